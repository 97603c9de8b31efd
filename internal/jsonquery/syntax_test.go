package jsonquery_test

import (
	"regexp"
	"testing"

	"github.com/arena-evals/arena/internal/jsonquery"
)

// TestSyntax: the error of an invalid path has plain words: the position, the text there, and what was expected.
func TestSyntax(t *testing.T) {
	t.Parallel()
	theirs := regexp.MustCompile(`TOK|SyntaxError|lbrac|tQuoted|node| in \$`)
	for path, want := range map[string]string{
		"a.":                      `character 3: found the end, expected a name, [ or { after the point`,
		`"ä"..b`:                  `character 5: found ".", expected a name, [ or { after the point`,
		"[?a==1]":                 "character 6: found \"1\", a number that is a value stands between backquotes: `1`",
		"{a b}":                   `character 4: found "b", expected :`,
		"order id":                `character 7: found "id", expected an operator or the end`,
		"foo(":                    `character 5: found the end, expected a name or a value`,
		"a == 'b' && 'c":          "character 13: the ' is never closed",
		"`{x`":                    "what stands between backquotes must be JSON, such as `1` or `\"text\"`",
		"#":                       `character 1: found "#", which JMESPath does not know outside of quotes`,
		"aä":                      `character 2: found "ä", which JMESPath does not know outside of quotes`,
		"items[0":                 `character 8: found the end, expected ]`,
		"a[":                      `character 3: found the end, expected a number, a slice, * or a filter ?… in the brackets`,
		"a[::::]":                 `character 5: found ":", a slice has at most two colons`,
		`"f"(a)`:                  `character 1: found "\"", the name of a function has no quotes`,
		"":                        `character 1: found the end, expected a name or a value`,
		"a[99999999999999999999]": "a number in it cannot be read",
		"$.a[":                    `character 5: found the end, expected the rest of what is begun: a bracket or a quote is not closed`,
		"$[?(@.a == ]":            `character 12: found "]", expected a value: a path, a number or a text in quotes`,
		"$a":                      `character 2: found "a", expected . or [ or the end`,
		"$['a":                    `character 5: found the end, expected a name in quotes, a number, * or a filter ?… in the brackets`,
		"$.a[?@.b=]":              `character 10: '=' is no operator of filters, such as ==`,
	} {
		_, err := jsonquery.Compile(path)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	// Names of the library's tokens are in no message.
	for _, path := range []string{"a.'b'", "let $x = a", "a.b{c}", `{"a"}`, "a[1x]", "a ||", "[?a]]", "@(", "a | | b", "$.a b", "$..[", "$[1,"} {
		if _, err := jsonquery.Compile(path); err == nil || theirs.MatchString(err.Error()) {
			t.Errorf("%q: %v", path, err)
		}
	}
}
