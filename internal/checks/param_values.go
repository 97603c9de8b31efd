package checks

import (
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// anyValue is a parameter of any type; null is a value. Numbers are json.Number.
type anyValue struct {
	given bool
	v     any
}

func (a *anyValue) take(b *binder, n *node.Node, what string) bool {
	before := b.r.Diags.Errors()
	b.r.NoYAML11Bools(n, what)
	b.warnNoValue(n, what)
	a.given, a.v = true, b.r.Any(n)
	return b.r.Diags.Errors() == before
}

func (*anyValue) shape() keys.Shape { return keys.Any{} }

// pattern is a parameter that holds a regular expression, compiled.
type pattern struct{ *regexp.Regexp }

func (p *pattern) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.String(n, what)
	if !ok {
		return false
	}
	if text == "" {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	if !b.r.IsPlainPattern(n, what) {
		return false
	}
	re, err := b.c.regexp(text)
	if err != nil {
		d := b.r.Errorf(n, "bad-regex", "%s is not a regular expression: %s", what, regexpProblem(err))
		d.Hint = regexpHint(text, regexpProblem(err))
		return false
	}
	p.Regexp = re
	return true
}

func (*pattern) shape() keys.Shape {
	return keys.Own{Words: "regular expression", Doc: jsonschema.Doc{
		Type: jsonschema.Types{"string"}, Format: "regex", MinLength: 1,
	}}
}

func regexpProblem(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

var backreference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[1-9]`) })

// unbalanced finds an unbalanced sign of a regular expression, or a sign that is not allowed.
var unbalanced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:missing closing|unexpected|missing argument to repetition operator:) [`]?([])*+?])")
})

// regexpHint explains syntax of other regular expression dialects, and signs that are probably meant literally.
func regexpHint(text, problem string) string {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(text, look) {
			return "RE2 syntax has no lookahead and no lookbehind: what must not be there is a check of its own, with " +
				"expect_match: false"
		}
	}
	if backreference().MatchString(text) {
		return "RE2 syntax has no backreferences"
	}
	if m := unbalanced().FindStringSubmatch(problem); m != nil {
		sign := `\` + m[1]
		if pair := map[string]string{")": `\( or \)`, "]": `\[ or \]`}[m[1]]; pair != "" {
			sign = pair
		}
		return "for the character itself write " + sign + ", in single quotes"
	}
	return ""
}
