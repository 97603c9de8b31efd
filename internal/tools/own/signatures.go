// Package own describes arena's own tools: those by which a model moves through a workflow, passes on texts, uses
// skills and generates media. Sessions run their calls.
package own

import (
	"encoding/json"
	"sync"

	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/memory"
	"github.com/arena-evals/arena/internal/workflow"
)

// Signatures are what the tools of workflows and skills take, in whatever state. Which events, artifacts and skills
// there are is looked up when they are called. A model that hands on nothing may leave the context out.
var Signatures = sync.OnceValue(func() map[string]*tools.Signature {
	text := func(optional string, names ...string) *tools.Signature {
		properties, required := map[string]any{}, []string{}
		for _, name := range names {
			properties[name] = map[string]string{"type": "string"}
			if name != optional {
				required = append(required, name)
			}
		}
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
		if err != nil {
			panic(err) // of maps of texts
		}
		return tools.NewSignature(raw)
	}
	return map[string]*tools.Signature{
		workflow.TransitionTool: text("context", "event", "context"), workflow.ArtifactTool: text("", "name", "value"),
		skill.ActivateTool: text("", "name"), skill.DeactivateTool: text("", "name"),
		skill.ResourceTool: text("", "skill_name", "path"),
	}
})

// Needs are the arguments without which arena's own tools do nothing.
var Needs = map[string][]string{
	workflow.TransitionTool: {"event"}, workflow.ArtifactTool: {"name", "value"}, skill.ActivateTool: {"name"},
	skill.DeactivateTool: {"name"}, skill.ResourceTool: {"skill_name", "path"},
	memory.Prefix + "remember": {"content"}, memory.Prefix + "forget": {"memory_id"},
}
