package own

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools/memory"
	"github.com/arena-evals/arena/internal/workflow"
)

// StepMayCall reports whether a step of a composition may call a tool. parallel: other steps run at the same time.
func StepMayCall(step *composition.Step, parallel bool, tool string) bool {
	switch {
	case parallel && ChangesConversation(tool):
		return false
	case step.Kind == composition.Tool:
		return tool == step.Tool
	}
	return step.Tools == nil || slices.ContainsFunc(step.Tools, func(allowed string) bool {
		prefix, wild := strings.CutSuffix(allowed, "*")
		return allowed == tool || wild && strings.HasPrefix(tool, prefix)
	})
}

// ChangesConversation reports whether a tool changes the state of the whole conversation. Concurrent steps are not
// offered it: the result would depend on their order.
func ChangesConversation(tool string) bool {
	return tool == workflow.TransitionTool || tool == workflow.ArtifactTool || slices.Contains(skill.ToolNames, tool) ||
		tool == memory.Prefix+"remember" || tool == memory.Prefix+"forget"
}
