package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// TestTextsThatLookLikeSomethingElse: every parameter with texts to look for warns of texts that look like patterns,
// and every ban warns of texts that look like lists.
func TestTextsThatLookLikeSomethingElse(t *testing.T) {
	t.Parallel()
	told := func(problems []diag.Diagnostic, code string) bool {
		return slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
			return p.Code == code && p.Severity == diag.Warning && p.Hint != "" && p.Pos.Line == 1 && p.Pos.Col > 1
		})
	}
	bans := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		if forbids := strings.Contains(f.Doc, "must not") && strings.Contains(f.Doc, "Text"); forbids != (f.Is == BannedText) {
			t.Errorf("%s: %s is %q: %s", check, path, f.Is, f.Doc)
		}
		if !f.Is.isSought() {
			return
		}
		_, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(wrap(`\bshipped\b`)), ScopeTurn, nil)
		if !told(problems, "looks-like-pattern") {
			t.Errorf("%s: %s: %v", check, path, problems)
		}
		params := jsonvalue.Compact(wrap("refund, chargeback"))
		negated := `{"check": {"type": "` + check + `", "params": ` + params + `}}`
		for i, given := range []string{params, negated} {
			_, problems := compileJSON(&Compiler{}, []string{check, "not"}[i], given, ScopeTurn, nil)
			want := (f.Is == BannedText) == (i == 0)
			if got := told(problems, "looks-like-list"); got != want {
				t.Errorf("%s: %s: %s: told of: %v", check, path, given, got)
			}
			if want {
				bans++
			}
		}
	})
	if bans < 10 {
		t.Errorf("only %d bans were tried", bans)
	}
}

// Words of a ban that are joined as in a sentence are told of, and phrases that are said as they stand are not.
func TestJoinedWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"refund or credit": "refund credit", "refund, credit or voucher": "refund credit voucher",
		"refund, credit, and voucher": "refund credit voucher", "erstattung oder gutschrift": "erstattung gutschrift",
		"refund and credit": "", "terms and conditions": "", "more or less": "", "trick or treat": "", "yes or no": "", "he or she": "",
		"medical or legal advice": "", "or": "", "Refund or credit": "", "a or b": "", "dead or alive": "",
	} {
		if got := strings.Join(joinedWords(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for check, told := range map[string]bool{"content_excludes": want != "", "contains": false} {
			_, problems := compileYAML(check, "patterns: ["+`"`+text+`"]`)
			if got := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return p.Code == "looks-like-list" }); got != told {
				t.Errorf("%s %q: %v", check, text, problems)
			}
		}
	}
}

func TestPatternIn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`\bshipped\b`, `ship*`, `*shipped`, `refund.*`, `.*refund`, `refund.*order`, `49\.99`, `\d+ days`, `\w+`, `(?i)refund`,
		`^Refund`, `[a-z]+`, `refund|chargeback`, `(refund|money back)`, `order\s+number`, `a.+b`,
	} {
		if patternIn(text) == "" {
			t.Errorf("%q does not look like a pattern", text)
		}
	}
	for _, text := range []string{
		"refund", "**bold**", "*italic*", "* item", "2 * 3", `C:\data\bin`, `C:\data`, "$49.99", "Really?", "(really)", "a | b", "| a | b |",
		"C++", "1+1", "e.g. this", "...", "[link](https://example.com)", "user@example.com", "50%", "^_^", `\(x\)`, "||", "#*", "5*",
		"```json", `{"a": [1, 2]}`, "http://a/?b=c", "x^2", `\alpha`, `\beta`, "**", "***", "a * b * c", "char *p", "/* note */",
	} {
		if sign := patternIn(text); sign != "" {
			t.Errorf("%q looks like a pattern by %q", text, sign)
		}
	}
}

func TestListIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a, b": {"a", "b"}, "refund,chargeback": {"refund", "chargeback"}, "Refund, Chargeback, fee": {"Refund", "Chargeback", "fee"},
		"refund": nil, "Hello, world": nil, "no refund, sorry": nil, "1,000": nil, "a,": nil, ",": nil, "Yes, I can": nil, "": nil,
	} {
		if diff := cmp.Diff(want, listIn(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
