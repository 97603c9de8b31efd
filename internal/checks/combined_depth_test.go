package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestChecksWithinChecks: combined checks are refused at the position where they are nested too deeply, in every
// spelling.
func TestChecksWithinChecks(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string][2]string{
		"not":      {`{"check": {"type": "not", "params": `, `}}`},
		"all_of":   {`{"checks": [{"type": "all_of", "params": `, `}]}`},
		"any_of":   {`{"checks": [{"type": "any_of", "params": `, `}]}`},
		"weighted": {`{"checks": [{"type": "weighted", "weight": 2, "params": `, `}]}`},
	} {
		inner := `{"check": {"type": "contains", "params": {"patterns": ["x"]}}}`
		if name != "not" {
			inner = `{"checks": [{"type": "contains", "params": {"patterns": ["x"]}}]}`
		}
		for depth, want := range map[int]string{
			100: "", 101: " is nested in 101 checks; at most 100 can be nested",
			300: " is nested in 101 checks; at most 100 can be nested",
		} {
			params := strings.Repeat(wrap[0], depth-1) + inner + strings.Repeat(wrap[1], depth-1)
			c, problems := (&Compiler{}).CompileJSON(&JSONCheck{Type: name, Params: params, Scope: ScopeTurn})
			problems = slices.DeleteFunc(problems, func(p diag.Diagnostic) bool { return p.Code == "turned-round" })
			switch {
			case want == "" && (c == nil || len(problems) > 0):
				t.Errorf("%d of %s: %v", depth, name, problems)
			case want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Msg, want)):
				t.Errorf("%d of %s: %.300v", depth, name, problems)
			}
		}
	}
}
