package checks

import (
	"strings"
	"testing"
)

// TestBannedNumbers: there is a warning of an unusual spelling of a number only if the value is forbidden.
func TestBannedNumbers(t *testing.T) {
	t.Parallel()
	for value, severity := range map[string]string{
		"+436641234567": "error", "0012": "error", "007": "error", "089": "error", "0x1F": "warning", "1e3": "warning",
		"1_000": "warning", "1.10": "warning", "42": "", "1.5": "", `"0012"`: "", "true": "",
	} {
		for check, params := range map[string]string{
			"tool_args_excluded_session": "{tool_name: get, forbidden_args: {id: [VALUE]}}",
			"tools_not_called_with_args": "{tool_name: get, excluded_args: {id: VALUE}}",
			"not":                        "{check: {type: tool_args, params: {tool_name: get, expected_args: {id: VALUE}}}}",
			"json_path":                  "{expression: $.id, expected: VALUE, max_score: 0}",
		} {
			_, problems := compileYAML(check, strings.ReplaceAll(params, "VALUE", value))
			got := ""
			for _, p := range problems {
				if strings.Contains(p.Msg, "is the number") {
					got = p.Severity.String()
				}
			}
			if got != severity {
				t.Errorf("%s %s: %q, want %q (%v)", check, value, got, severity, problems)
			}
		}
		_, problems := compileYAML("tool_args", "{tool_name: get, expected_args: {id: "+value+"}}")
		for _, p := range problems {
			if strings.Contains(p.Msg, "is the number") {
				t.Errorf("a value that must come: %v", p)
			}
		}
	}
}
