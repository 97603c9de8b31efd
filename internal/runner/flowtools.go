package runner

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/sortby"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// stateTools returns for each state of a workflow the tools that its model is offered: those of the prompt, and those
// by which it moves on and hands on texts. The steps of a composition take the latter from those of its state.
func (p *project) stateTools() map[*workflow.State][]chat.Tool {
	if p.Workflow == nil || p.Workflow.Graph == nil {
		return nil
	}
	all := map[*workflow.State][]chat.Tool{}
	for _, state := range p.Workflow.States {
		offered := slices.Clone(p.bareStance(p.PromptOf(state)).offered)
		if !state.Ends() && state.Mode != workflow.External {
			offered = append(offered, own.Transition(p.Workflow.Graph, state))
		}
		if len(state.Artifacts) > 0 {
			offered = append(offered, own.SetArtifact(state))
		}
		sortTools(offered)
		all[state] = offered
	}
	return all
}

func sortTools(list []chat.Tool) {
	sortby.Func(list, func(a, b chat.Tool) int { return strings.Compare(a.Name, b.Name) })
}
