package own_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// TestSignaturesOfOwnTools: what the tools of workflows and skills cannot read is an error, and nothing is left out in
// silence.
func TestSignaturesOfOwnTools(t *testing.T) {
	t.Parallel()
	signatures := own.Signatures()
	for _, name := range append([]string{workflow.TransitionTool, workflow.ArtifactTool}, skill.ToolNames...) {
		whole := map[string]any{}
		for _, needed := range own.Needs[name] {
			whole[needed] = "x"
		}
		if name == workflow.TransitionTool {
			whole["context"] = "x"
		}
		with := func(key string, value any) map[string]any {
			args := maps.Clone(whole)
			args[key] = value
			return args
		}
		got, err := signatures[name].Take(whole)
		if err != nil || !maps.Equal(got, whole) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := signatures[name].Take(with("contxt", "x")); err == nil || !strings.Contains(err.Error(), `"contxt"`) {
			t.Errorf("%s takes an unknown argument: %v", name, err)
		}
		for key := range whole {
			without := maps.Clone(whole)
			delete(without, key)
			needed := slices.Contains(own.Needs[name], key)
			for what, args := range map[string]map[string]any{"none": without, "null": with(key, nil)} {
				if _, err := signatures[name].Take(args); (err != nil) != needed {
					t.Errorf("%s: %s as %s: %v", name, what, key, err)
				}
			}
			for _, wrong := range []any{1.5, true, []any{"x"}, map[string]any{"a": "x"}} {
				if _, err := signatures[name].Take(with(key, wrong)); err == nil || !strings.Contains(err.Error(), key) {
					t.Errorf("%s: %v as %s: %v", name, wrong, key, err)
				}
			}
		}
	}
}
