package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// turnings are ways to reverse a check, or to write the check itself in another way. The text is its parameters without
// the braces.
var turnings = []struct {
	name, check string
	opposite    bool
	params      func(check, params string) string
}{
	{"as it is", "", false, func(_, p string) string { return "{" + p + "}" }},
	{"max_score", "", true, func(_, p string) string { return "{" + p + `, "max_score": 0}` }},
	{"max_score above 0", "", true, func(_, p string) string { return "{" + p + `, "max_score": 0.5}` }},
	{"not", "not", true, func(c, p string) string { return `{"check": ` + asCheck(c, p) + "}" }},
	{"not, max_score", "not", false, func(c, p string) string { return `{"check": ` + asCheck(c, p) + `, "max_score": 0}` }},
	{"not of max_score", "not", false, func(c, p string) string { return `{"check": ` + asCheck(c, p+`, "max_score": 0`) + "}" }},
	{"any_of", "any_of", false, func(c, p string) string { return `{"checks": [` + asCheck(c, p) + "]}" }},
	{"any_of of max_score", "any_of", true, func(c, p string) string { return `{"checks": [` + asCheck(c, p+`, "max_score": 0`) + "]}" }},
	{"any_of, max_score", "any_of", true, func(c, p string) string { return `{"checks": [` + asCheck(c, p) + `], "max_score": 0}` }},
	{"all_of", "all_of", false, func(c, p string) string { return `{"checks": [` + asCheck(c, p) + "]}" }},
	{"all_of of not", "all_of", true, func(c, p string) string {
		return `{"checks": [` + asCheck("not", `"check": `+asCheck(c, p)) + "]}"
	}},
	{"weighted, max_score", "weighted", true, func(c, p string) string {
		return `{"checks": [{"type": "` + c + `", "params": {` + p + `}, "weight": 1}], "max_score": 0}`
	}},
	{"not of not", "not", false, func(c, p string) string { return `{"check": ` + asCheck("not", `"check": `+asCheck(c, p)) + "}" }},
	{"not of any_of", "not", true, func(c, p string) string {
		return `{"check": ` + asCheck("any_of", `"checks": [`+asCheck(c, p)+"]") + "}"
	}},
}

func asCheck(check, params string) string {
	return fmt.Sprintf(`{"type": %q, "params": {%s}}`, check, params)
}

// slipsOf are texts with slips of YAML or habits from other tools.
var slipsOf = map[string][]string{
	"text": {
		"shipped ", "/shipped/", "“shipped”", "'shipped'", "$order", "{order}", "{ order }", "shipped,", "shipped;",
		"re:shipped", "regex:shipped", "icontains:shipped", "not-contains:shipped", "file://bans.txt", "@bans.txt",
		"`shipped`", "r'shipped'", "shipped/i", "shipped/gi", "m/shipped/", "- shipped",
	},
	// Slips in required texts too.
	"text, required too": {`\bshipped\b`, `\\bshipped\\b`, `\\d+`, "refund|money back", "ship*", "shipped$", "^4111$", ".*"},
	"pattern": {
		"shipped ", "/shipped/", "“shipped”", "'shipped'", "shipped/i", "shipped/gi", "m/shipped/", "~shipped~", "r'shipped'",
		"`shipped`", "re:shipped", "regex:shipped", "ship*ped", `\<shipped\>`,
	},
	"pattern, required too": {
		`\\bshipped\\b`, `\\d+`, "shipped$^", `[^\s\S]`, "[30 days]", "[shipped]",
	},
}

// TestSlipsInEveryBan: slips are found in every forbidden text and pattern, however it is forbidden, and not in
// required ones, where the failing check shows them.
func TestSlipsInEveryBan(t *testing.T) {
	t.Parallel()
	told := func(problems []diag.Diagnostic) bool {
		return slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
			return strings.HasPrefix(p.Code, "looks-like-") || strings.HasPrefix(p.Code, "odd-")
		})
	}
	tried := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		kind := "text"
		switch isPattern := strings.HasSuffix(f.Shape.Label(), "regular expression"); {
		case isPattern:
			kind = "pattern"
		case !f.Is.isSought():
			return
		}
		if strings.Contains(path, ".") && (check == "any_of" || check == "all_of" || check == "weighted") {
			return
		}
		for _, way := range turnings {
			banned := way.opposite != (f.Is == BannedText || f.Name == "failure_pattern")
			for i, text := range slices.Concat(slipsOf[kind], slipsOf[kind+", required too"]) {
				var v any = text
				switch {
				case strings.HasPrefix(f.Shape.Label(), "map"):
					v = map[string]any{"a": text}
				case strings.HasPrefix(f.Shape.Label(), "list of reg"):
					v = []any{text}
				}
				params := jsonvalue.Compact(wrap(v))
				given := way.params(check, params[1:len(params)-1])
				name := check
				if way.check != "" {
					name = way.check
				}
				_, problems := compileJSON(&Compiler{}, name, given, ScopeTurn, nil)
				want := banned || i >= len(slipsOf[kind])
				if f.Name == "failure_pattern" && i < len(slipsOf[kind]) {
					continue // what it forbids is known once it is compiled
				}
				if got := told(problems); got != want {
					t.Errorf("%s: %s: %q, %s: told of: %v, want %v: %v", check, path, text, way.name, got, want, problems)
				}
				tried++
			}
		}
	})
	if tried < 2000 {
		t.Errorf("only %d were tried", tried)
	}
}

// TestSlipsInOtherBans: slips are found in patterns that another parameter forbids, and in patterns of JSON Schemas.
func TestSlipsInOtherBans(t *testing.T) {
	t.Parallel()
	for check, given := range map[string]string{
		"regex":       `"pattern": %q, "expect_match": false`,
		"tool_exec":   `"tool": "t", "failure_pattern": %q`,
		"json_schema": `"schema": {"properties": {"a": {"not": {"pattern": %q}}}}`,
	} {
		for _, text := range slices.Concat(slipsOf["pattern"], slipsOf["pattern, required too"]) {
			for _, way := range turnings {
				if way.opposite {
					continue
				}
				params := way.params(check, fmt.Sprintf(given, text))
				_, problems := compileJSON(&Compiler{}, cmp.Or(way.check, check), params, ScopeTurn, nil)
				if len(slips(problems)) == 0 {
					t.Errorf("%s: %s: %v", way.name, params, problems)
				}
			}
		}
	}
	for text, want := range map[string]int{"shipped": 0, "^/api/v1/": 0, `\\d+`: 1, "a^b": 1, "/shipped|sent/": 1, "shipped ": 0} {
		for _, given := range []string{
			`{"schema": {"type": "object", "properties": {"a": {"pattern": %q}}}}`, `{"schema": {"patternProperties": {%q: {}}}}`,
			`{"schema": {"not": {"not": {"items": [{"pattern": %q}]}}}}`,
		} {
			_, problems := compileJSON(&Compiler{}, "json_schema", fmt.Sprintf(given, text), ScopeTurn, nil)
			if got := len(slips(problems)); got != want {
				t.Errorf(given+": told %d times, want %d: %v", text, got, want, problems)
			}
		}
	}
}

// TestHighMaxScore: there is a warning of a max_score that only perfect scores exceed if high scores are good, but not
// for measures of similarity.
func TestHighMaxScore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		check, params string
		want          bool
	}{
		{"contains", "patterns: [refund]\nmax_score: 0.8", true},
		{"equals", "value: refund\nmax_score: 0.8", true},
		{"json_valid", "max_score: 0.9", true},
		{"llm_judge", "criteria: It is polite\nmax_score: 0.8", true},
		{"tool_args", "tool_name: t\nexpected_args: {a: 1}\nmax_score: 0.7", true},
		{"contains", "patterns: [refund]\nmax_score: 0.5", false},
		{"contains", "patterns: [refund]\nmax_score: 0", false},
		{"contains", "patterns: [a, b, c]\nmin_score: 0.3\nmax_score: 0.8", false},
		{"cosine_similarity", "reference: Thirty days\nmax_score: 0.8", false},
		{"rouge", "reference: Thirty days or so\nmax_score: 0.8", false},
		{"llm_judge", "criteria: It is polite\nmin_score: 0.2\nmax_score: 0.8", false},
	} {
		_, problems := compileYAML(c.check, c.params)
		told := false
		for _, p := range problems {
			if p.Severity == diag.Error {
				t.Errorf("%s %s: %s", c.check, c.params, p.Msg)
			}
			told = told || strings.Contains(p.Msg, "alone lets pass whatever scores less")
		}
		if told != c.want {
			t.Errorf("%s %s: told: %v, want %v", c.check, c.params, told, c.want)
		}
	}
}
