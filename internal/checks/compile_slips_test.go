package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// compileYAML compiles a check whose parameters are YAML.
func compileYAML(name, params string) (*Compiled, []diag.Diagnostic) {
	var d diag.List
	docs := node.Parse(&node.Reader{File: "a.yaml", Diags: &d}, []byte(params))
	if len(docs) != 1 {
		return nil, d.Sorted()
	}
	out := (&Compiler{}).Compile(&scenario.Check{Type: name, Params: docs[0], Settled: true}, &d)
	return out, d.Sorted()
}

func slips(problems []diag.Diagnostic) (hints []string) {
	for _, p := range problems {
		if p.Code == "looks-like-slip" && p.Severity == diag.Warning {
			hints = append(hints, p.Hint)
		}
	}
	return hints
}

// TestSlipsInBans: there is a warning of forbidden texts that YAML changes.
func TestSlipsInBans(t *testing.T) {
	t.Parallel()
	for text, hint := range map[string]string{
		`patterns: "[shipped]"`:           "write it without quotes: [shipped]",
		`patterns: '[shipped, denied]'`:   "write it without quotes: [shipped, denied]",
		`patterns: [“shipped”]`:           `write them straight: "shipped"`,
		`patterns: «shipped»`:             `write them straight: "shipped"`,
		"patterns:\n  -shipped":           "write a space after the dash, or quotes around the text",
		"patterns:\n  - shipped# cc":      "for a comment write a space before it: shipped # cc",
		`patterns: /shipped/`:             "write shipped; for a pattern use type: regex",
		`patterns: ["/shipped/i"]`:        "write shipped; for a pattern use type: regex",
		`patterns: ["*shipped*"]`:         `write "shipped", which is found anywhere in a text; for the stars themselves use type: regex`,
		`patterns: [ship*]`:               `write "ship", which is found anywhere in a text; for the stars themselves use type: regex`,
		`patterns: ["'shipped'"]`:         `write shipped in one pair of quotes`,
		`patterns: ["shipped "]`:          `write "shipped"`,
		`patterns: [' shipped']`:          `write "shipped"`,
		`patterns: [no]`:                  `quote it: "no"`,
		`patterns: true`:                  `quote it: "true"`,
		`patterns: $order`:                "a variable is written {{order}}",
		`patterns: ["order {id}"]`:        `a variable is written {{id}}; for the braces themselves write \{id}`,
		`patterns: ['a\nb']`:              `write "a\nb" in double quotes`,
		`patterns: [secret\tkey]`:         `write "secret\tkey" in double quotes`,
		`patterns: ['hello%20you']`:       "write the character itself; for what is written here use type: regex",
		`patterns: ['&#115;ecret']`:       "write the character itself; for what is written here use type: regex",
		`patterns: ['\$50']`:              "leave the backslash out; for a pattern use type: regex",
		`patterns: ['!secret']`:           `write "secret" for the text without it`,
		`patterns: ['salt &amp; pepper']`: "write the character itself; for what is written here use type: regex",
		`patterns: [hello OR bye]`:        "write each text as an entry of its own",
		`patterns: [hello && bye]`:        "write each text as an entry of its own",
		`patterns: [hello / bye]`:         "write each text as an entry of its own",
		`patterns: [./banned.txt]`:        "write what is in the file as entries of the list",
		`patterns: [file:banned.txt]`:     "write what is in the file as entries of the list",
		`patterns: ["!include bans.txt"]`: "write what is in the file as entries of the list",
		`patterns: [refund.]`:             `write "refund", which is found with it, too; for the sign itself use type: regex`,
	} {
		if _, problems := compileYAML("content_excludes", text); !slices.Equal(slips(problems), []string{hint}) {
			t.Errorf("%s: %v", text, problems)
		}
		if !strings.Contains(text, "\n") {
			negated := "{check: {type: contains, params: {" + text + "}}}"
			if _, problems := compileYAML("not", negated); !slices.Equal(slips(problems), []string{hint}) {
				t.Errorf("%s: %v", negated, problems)
			}
		}
		if _, problems := compileYAML("contains", text); slips(problems) != nil {
			t.Errorf("contains: %s: %v", text, problems)
		}
	}
	for _, text := range []string{
		`patterns: shipped`, `patterns: etc.`, `patterns: secrets.txt`, `patterns: ["[Your Name]"]`, `patterns: ["no"]`, `patterns: "-shipped"`, `patterns: C# code`,
		`patterns: ["shipped# cc"]`, `patterns: /usr/bin/env`, `patterns: $49`, `patterns: USD $5`, `patterns: it's "fine"`,
		`patterns: "[]"`, `patterns: "**bold**"`, `patterns: "***"`, `patterns: "2 * 3"`, `patterns: -5`, `patterns: https://a/b/`, `patterns: "$"`, `patterns: “`, `patterns: “a” or b`,
	} {
		if _, problems := compileYAML("content_excludes", text); slips(problems) != nil {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// TestSeveralTextsInABan: several lines that YAML joins to one text were meant as several texts.
func TestSeveralTextsInABan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("many words ", 3)
	told := func(problems []diag.Diagnostic) string {
		for _, p := range problems {
			if p.Code == "looks-like-slip" && strings.HasPrefix(p.Hint, "for several texts") {
				return p.Severity.String()
			}
		}
		return ""
	}
	for text, want := range map[string]string{
		"patterns:\n  - shipped\n    delivered":                    "error",
		"patterns:\n  shipped\n  delivered\nmatch_mode: substring": "error",
		"patterns:\n  -shipped\n  -no":                             "error",
		"patterns: >-\n  shipped\n  delivered":                     "error",
		"patterns:\n  - >-\n    shipped\n    delivered":            "error",
		"patterns: |-\n  shipped\n  will be delivered":             "error",
		"patterns:\n  - |-\n    shipped\n    delivered":            "error",
		"patterns: |-\n  ```python\n  import os":                   "warning",
		"patterns:\n  - " + long + "\n    " + long:                 "warning",
		"patterns:\n  - 'shipped\n    delivered'":                  "",
		"patterns: [shipped and delivered, a  b]":                  "",
		"patterns: >-\n  shipped and delivered":                    "",
		"patterns: |-\n  shipped":                                  "",
		`patterns: ["shipped\ndelivered"]`:                         "",
		"patterns:\n  - shipped\n  # delivered\n  - sent off":      "",
	} {
		if _, problems := compileYAML("content_excludes", text); told(problems) != want {
			t.Errorf("%q: want %q: %v", text, want, problems)
		}
		if _, problems := compileYAML("contains", text); told(problems) != "" {
			t.Errorf("contains: %q: %v", text, problems)
		}
		negated := "check:\n  type: contains\n  params:\n    " + strings.ReplaceAll(text, "\n", "\n    ")
		if _, problems := compileYAML("not", negated); told(problems) != want && !strings.Contains(text, "match_mode") {
			t.Errorf("not: %q: want %q: %v", negated, want, problems)
		}
	}
}

// TestCurlyApostrophes: there is a warning of an apostrophe only if the check does not look for both forms.
func TestCurlyApostrophes(t *testing.T) {
	t.Parallel()
	if _, problems := compileYAML("content_excludes", "patterns: [can’t]"); slips(problems) != nil {
		t.Errorf("content_excludes: %v", problems)
	}
	if _, problems := compileYAML("not", "check: {type: contains, params: {patterns: [can’t]}}"); len(slips(problems)) != 1 {
		t.Errorf("not contains: %v", problems)
	}
}

// TestGhostsEverywhere: invisible characters are refused in every text and pattern to look for, and so are patterns
// between slashes.
func TestGhostsEverywhere(t *testing.T) {
	t.Parallel()
	tried := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		pattern := strings.HasSuffix(f.Shape.Label(), "regular expression") // alone, in a list, in a map
		if !f.Is.isSought() && !pattern {
			return
		}
		given := []string{"ship\u00adped", "\ufeffshipped", "ship\u200bped"}
		if pattern {
			given = append(given, "/shipped|sent/", "/shipped/i")
		}
		for _, text := range given {
			var value any = text
			switch {
			case strings.HasPrefix(f.Shape.Label(), "map"):
				value = map[string]any{"a": text}
			case strings.HasPrefix(f.Shape.Label(), "list of reg"):
				value = []any{text}
			}
			_, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(wrap(value)), ScopeTurn, nil)
			if !slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
				return strings.HasPrefix(p.Code, "odd-") && p.Severity == diag.Error && p.Hint != ""
			}) {
				t.Errorf("%s: %s: %q (%s): %v", check, path, text, f.Shape.Label(), problems)
			}
			tried++
		}
	})
	if tried < 50 {
		t.Errorf("only %d were tried", tried)
	}
}

// TestSlipsEverywhere: every parameter with forbidden texts warns of slips.
func TestSlipsEverywhere(t *testing.T) {
	t.Parallel()
	tried := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		if !f.Is.isSought() {
			return
		}
		params := jsonvalue.Compact(wrap("“shipped”"))
		negated := `{"check": {"type": "` + check + `", "params": ` + params + `}}`
		for i, given := range []string{params, negated} {
			_, problems := compileJSON(&Compiler{}, []string{check, "not"}[i], given, ScopeTurn, nil)
			if got, want := slips(problems) != nil, (f.Is == BannedText) == (i == 0); got != want {
				t.Errorf("%s: %s: %s: told of: %v", check, path, given, got)
			}
			tried++
		}
	})
	if tried < 20 {
		t.Errorf("only %d were tried", tried)
	}
}

// TestUnwrittenValues: every parameter warns of an empty value, as before a comment, but not of null.
func TestUnwrittenValues(t *testing.T) {
	t.Parallel()
	told := func(problems []diag.Diagnostic) (n int) {
		for _, p := range problems {
			if p.Code == "empty-value" && p.Severity == diag.Warning && strings.Contains(p.Hint, "null if that is meant") {
				n++
			}
		}
		return n
	}
	for text, want := range map[string]int{
		"tool_name: t\nexpected_args: {order_id: }":               1,
		"tool_name: t\nexpected_args:\n  order_id: #A-9999":       1,
		"tool_name: t\nexpected_args: {a: {b: , c: [1, null]}}":   1,
		"tool_name: t\nexpected_args: {order_id: null, other: ~}": 0,
		"tool_name: t\nexpected_args: {order_id: ''}":             0,
	} {
		for _, check := range []string{"tool_calls_with_args", "tool_args"} {
			if _, problems := compileYAML(check, text); told(problems) != want {
				t.Errorf("%s: %s: %v", check, text, problems)
			}
		}
	}
}

// TestLookalikesInPatterns: every parameter with patterns warns of lookalike characters, which match only themselves.
func TestLookalikesInPatterns(t *testing.T) {
	t.Parallel()
	seen := 0
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		if !strings.Contains(f.Shape.Label(), "regular expression") || f.codec.inner != nil {
			return
		}
		seen++
		for pattern, hint := range map[string]string{
			"30\u00a0days": `type a normal space, or [ \xA0] for both`,
			"don’t":        "write ['’] for both",
			"don['’]t":     "", "30[ \u00a0]days": "", `30\xA0days`: "",
		} {
			v := map[string]any{
				"regular expression": pattern, "list of regular expression": []any{"y", pattern},
				"map to regular expression": map[string]any{"id": pattern},
			}[f.Shape.Label()]
			_, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(wrap(v)), ScopeTurn, nil)
			if got := strings.Join(slips(problems), "; "); got != hint {
				t.Errorf("%s: %s: %q: %q, want %q", check, path, pattern, got, hint)
			}
		}
	})
	if seen < 5 {
		t.Errorf("%d parameters take patterns; want more", seen)
	}
}

// TestSlipsInBannedValues: a forbidden value is compared as a whole, so wildcards, patterns and lookalikes in it are
// slips. In a required value they make the check fail, so there is no warning.
func TestSlipsInBannedValues(t *testing.T) {
	t.Parallel()
	told := func(problems []diag.Diagnostic) bool {
		return slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return strings.HasPrefix(p.Code, "looks-like-") })
	}
	for text, want := range map[string]bool{
		`A-.*`: true, `A-*`: true, `'A-1 '`: true, `'*A'`: true, `/A-1/`: true, `'\d+'`: true, `Ａ-1`: true, `hellо`: true,
		`a&nbsp;b`: true, `'a\nb'`: true, `A-1`: false, `5`: false, `true`: false, `2 * 3`: false, `"a\nb"`: false, `c:\new`: false,
		`hello`: false, `привет`: false,
	} {
		for check, params := range map[string]string{
			"tool_args_excluded_session": "{tool_name: t, excluded_args: {id: " + text + "}}",
			"not":                        "{check: {type: json_path, params: {expression: a, expected: " + text + "}}}",
			"tool_args":                  "{tool_name: t, expected_args: {id: " + text + "}, max_score: 0}",
			"equals":                     "{value: " + text + ", max_score: 0}",
		} {
			if _, problems := compileYAML(check, params); told(problems) != want {
				t.Errorf("%s %s: want %v: %v", check, params, want, problems)
			}
		}
		for check, params := range map[string]string{
			"json_path": "{expression: a, expected: " + text + "}", "tool_args": "{tool_name: t, expected_args: {id: " + text + "}}",
			"not": "{check: {type: tool_args_excluded_session, params: {tool_name: t, excluded_args: {id: " + text + "}}}}",
		} {
			if _, problems := compileYAML(check, params); told(problems) {
				t.Errorf("%s %s: %v", check, params, problems)
			}
		}
	}
	_, problems := compileYAML("tool_args_excluded_session", "{tool_name: t, forbidden_args: {id: [A-1, A-.*]}}")
	if len(problems) != 1 || problems[0].Code != "looks-like-pattern" {
		t.Errorf("in a list: %v", problems)
	}
}

// TestOtherAlphabetsInPatterns: there is a warning of letters of other alphabets that look the same in patterns.
func TestOtherAlphabetsInPatterns(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]int{"hellо": 1, "ｈello": 1, "hell[oо]": 0, "привет": 0, "café|naïve": 0, "λ": 0, "…|½": 0} {
		for _, params := range []string{"{pattern: %s}", "{pattern: %s, expect_match: false}"} {
			_, problems := compileYAML("regex", strings.Replace(params, "%s", "'"+pattern+"'", 1))
			if len(slips(problems)) != want {
				t.Errorf("%s: want %d: %v", pattern, want, problems)
			}
		}
	}
}

// TestSeveralCodesInABan: codes separated by commas are several texts; amounts and places are one.
func TestSeveralCodesInABan(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]string{
		"L-99, L-98": "looks-like-list", "L-99; L-98": "looks-like-list", "a1,b2": "looks-like-list",
		"refund;money": "looks-like-list", "L-99|L-98": "looks-like-pattern", "v1.2|v1.3": "looks-like-pattern",
		"1,000": "", "12,50": "", "Berlin, Germany": "", "Hello, world": "", "| a | b |": "", "March 3, 2026": "",
	} {
		_, problems := compileYAML("content_excludes", "{patterns: ["+jsonvalue.Compact(text)+"]}")
		found := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return p.Code == code })
		if found != (code != "") || code == "" && len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// TestCriteriaThatStandForOthers: the criteria for a judge must not be a placeholder for criteria.
func TestCriteriaThatStandForOthers(t *testing.T) {
	t.Parallel()
	for text, severity := range map[string]diag.Severity{
		"criteria/polite.md": diag.Error, "polite.md": diag.Error, "$CRITERIA": diag.Error, "TODO": diag.Warning,
		"...": diag.Warning, "<criteria>": diag.Warning, "None": diag.Warning, "<your criteria here>": diag.Warning,
	} {
		_, problems := compileYAML("llm_judge", "{criteria: "+jsonvalue.Compact(text)+"}")
		if len(problems) != 1 || problems[0].Severity != severity || problems[0].Code != "looks-like-slip" {
			t.Errorf("%s: %v", text, problems)
		}
	}
	if _, problems := compileYAML("llm_judge", "{criteria: Names README.md}"); len(problems) > 0 {
		t.Error(problems)
	}
}
