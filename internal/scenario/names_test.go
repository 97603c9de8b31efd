package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesThatNoToolCanBear: impossible tool names are refused in every field.
func TestNamesThatNoToolCanBear(t *testing.T) {
	t.Parallel()
	const turn = "turns:\n  - role: user\n    content: hi\n"
	for place, file := range map[string]string{
		"chaos":        turn + "    chaos: {tool_failures: [{tool: NAME, mode: error}]}\n",
		"consent":      turn + "    consent_overrides: {NAME: deny}\n",
		"mock":         turn + "    mock: {tool_calls: [{name: NAME}]}\n",
		"tool_choice":  turn + "tool_policy: {tool_choice: NAME}\n",
		"blocklist":    turn + "tool_policy: {blocklist: [NAME]}\n",
		"blocklist, 1": turn + "tool_policy: {blocklist: NAME}\n",
	} {
		for _, name := range []string{`'look_up '`, `"look_up\n"`, `"look_\u200bup"`, `look_*up`, `look_up()`, `'a__* '`, `a__b()`} {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.scenario.yaml")
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(file, "NAME", name)), 0o600); err != nil {
				t.Fatal(err)
			}
			_, diags := Load(Options{Paths: []string{path}})
			found := false
			for _, p := range diags.Sorted() {
				found = found || p.Code == "odd-name" && p.Hint != "" && p.Pos.Line > 0
			}
			if !found {
				t.Errorf("%s: %s: %v", place, name, diags.Sorted())
			}
		}
	}
}
