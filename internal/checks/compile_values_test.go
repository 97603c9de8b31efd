package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// comparedValues are the parameters whose values are compared as a whole. Those of the second list are not bans.
var comparedValues = map[string]string{
	"tool_args_excluded_session excluded_args":  `tool_name: t, excluded_args: {card: %}`,
	"tool_args_excluded_session forbidden_args": `tool_name: t, forbidden_args: {card: %}`,
	"tool_args expected_args":                   `tool_name: t, expected_args: {card: %}, max_score: 0`,
	"tool_calls_with_args expected_args":        `tool_name: t, expected_args: {card: %}, max_score: 0`,
	"equals value":                              `value: %, max_score: 0`,
	"json_path expected":                        `expression: card, expected: %, max_score: 0`,
	"json_path contains":                        `expression: card, contains: [%], max_score: 0`,
}

// TestSlipsInEveryBannedValue: every parameter with forbidden values warns of slips in them.
func TestSlipsInEveryBannedValue(t *testing.T) {
	t.Parallel()
	told := func(problems []diag.Diagnostic) (hints []string) {
		for _, p := range problems {
			if strings.HasPrefix(p.Code, "looks-like-") || p.Code == "empty-value" {
				hints = append(hints, p.Hint)
			}
		}
		return hints
	}
	for where, params := range comparedValues {
		check, _, _ := strings.Cut(where, " ")
		for value, slip := range map[string]bool{
			`"4111,4222"`: true, `"4111, 4222"`: true, `"4111;4222"`: true, `"4111,"`: true, `"4111|4222"`: true,
			`"^4111$"`: true, `".*"`: true, `" "`: true, `">=4111"`: true, `"!= 4111"`: true, `"not 4111"`: true,
			`'["4111", "4222"]'`: true, `"re:4111"`: true, `"4111 "`: true, `"/4111/"`: true, `"@cards.txt"`: true,
			`"4111"`: false, `4111`: false, `"1,000"`: false, `"12,50"`: false, `"48.137, 11.575"`: false, `"Berlin, Germany"`: false,
			`"not delivered"`: false, `"*"`: false, `"<b>"`: false, `"=SUM(A1)"`: false, `"100$"`: false, `"me@example.com"`: false,
			`"2026-11-23"`: false, `"-5"`: false, `"a/b"`: false, `"+49 30 1234"`: false,
		} {
			text := "{" + strings.ReplaceAll(params, "%", value) + "}"
			_, problems := compileYAML(check, text)
			if got := told(problems); len(got) > 0 != slip || len(got) > 1 && value != `" "` {
				t.Errorf("%s: %s: want %v: %v", check, text, slip, problems)
			}
		}
	}
	for _, text := range []string{
		"tool_name: t\nforbidden_args: {card: [4111 4222]}", "tool_name: t\nexcluded_args:\n  card: |\n    4111\n",
		`{tool_name: t, forbidden_args: {card: ["4111,"]}}`, `{tool_name: t, forbidden_args: {card: ["4111;4222"]}}`,
		`{tool_name: t, forbidden_args: {card: [a, " "]}}`,
	} {
		if _, problems := compileYAML("tool_args_excluded_session", text); len(told(problems)) != 1 {
			t.Errorf("%s: %v", text, problems)
		}
	}
	for _, text := range []string{
		`{tool_name: t, forbidden_args: {card: ["4111 4222"]}}`, `{tool_name: t, forbidden_args: {card: [red car, blue car]}}`,
		`{tool_name: t, forbidden_args: {card: [money back]}}`, "tool_name: t\nexcluded_args:\n  card: |-\n    4111\n",
	} {
		if _, problems := compileYAML("tool_args_excluded_session", text); len(told(problems)) != 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// TestEveryValueIsKnown: every parameter with values of any type is in comparedValues, unless nothing is compared with
// it.
func TestEveryValueIsKnown(t *testing.T) {
	t.Parallel()
	given := []string{"extra", "args", "steps", "steps.args", "body", "context", "metadata", "params"} // to somebody else, or of a score
	seen := 0
	eachField(func(check, path string, _ *layout, f *field, _ func(any) map[string]any) {
		if !strings.Contains(f.Shape.Label(), "any value") || slices.Contains(given, path) {
			return
		}
		seen++
		if comparedValues[check+" "+path] == "" {
			t.Errorf("%s: %s: nobody looks for slips in it: %s", check, path, f.Shape.Label())
		}
	})
	if seen < 5 {
		t.Errorf("only %d were seen", seen)
	}
}
