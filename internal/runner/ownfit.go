package runner

import (
	"errors"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/tools/memory"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// ownFit says why the arguments of a call do not match one of arena's own tools, in the state of the call; nil: they
// match. isOwn is false for other tools.
func (p *project) ownFit(call *checks.Call) (isOwn bool, err error) {
	if !slices.Contains(p.OwnTools(), call.Name) {
		return false, nil
	}
	args := call.Args
	if args == nil {
		args = map[string]any{}
	}
	err = errors.New("nobody is offered it here")
	for _, state := range p.statesNamed(call.State) {
		media := slices.Collect(maps.Values(own.Media()))
		for _, tool := range slices.Concat(p.states[state], p.skillOffers(state), memory.Tools(), media) {
			if tool.Name != call.Name {
				continue
			}
			if err = checks.FitsSchema(tool.Schema, args); err == nil {
				return true, nil
			}
		}
	}
	return true, err
}

// statesNamed are the states with a name, or all states if the name is not known; nil: no workflow.
func (p *project) statesNamed(name string) []*workflow.State {
	if p.Workflow == nil || p.Workflow.Graph == nil {
		return []*workflow.State{nil}
	}
	if one := p.Workflow.Graph.State(name); one != nil {
		return []*workflow.State{one}
	}
	return p.Workflow.States
}

func (p *project) skillOffers(state *workflow.State) []chat.Tool {
	if p.skills == nil {
		return nil
	}
	return p.skills.offers[state]
}
