package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
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
			offered = append(offered, transitionTool(p.Workflow.Graph, state))
		}
		if len(state.Artifacts) > 0 {
			offered = append(offered, setArtifactTool(state))
		}
		sortTools(offered)
		all[state] = offered
	}
	return all
}

func sortTools(list []chat.Tool) {
	slices.SortFunc(list, func(a, b chat.Tool) int { return strings.Compare(a.Name, b.Name) })
}

// transitionTool is the tool by which the model of a state moves on.
func transitionTool(g *workflow.Graph, state *workflow.State) chat.Tool {
	var b strings.Builder
	b.WriteString("Moves the conversation on to another state, once this one has done its part.\n")
	for _, event := range state.EventNames() {
		to := g.State(state.Events[event])
		fmt.Fprintf(&b, "- %s: to %s", event, to.Name)
		if to.Description != "" {
			b.WriteString(" (" + to.Description + ")")
		}
		b.WriteByte('\n')
	}
	return chat.Tool{Name: workflow.TransitionTool, Description: strings.TrimSpace(b.String()), Schema: objectSchema(
		property{"event", "What has happened.", state.EventNames()},
		property{"context", "What the next state has to know of the conversation so far.", nil},
	)}
}

func setArtifactTool(state *workflow.State) chat.Tool {
	var names []string
	var b strings.Builder
	b.WriteString("Sets a text that other states of the conversation are given.\n")
	for i := range state.Artifacts {
		a := &state.Artifacts[i]
		names = append(names, a.Name)
		fmt.Fprintf(&b, "- %s (%s)", a.Name, a.Type)
		if a.Append {
			b.WriteString(", added to what is there")
		}
		if a.Description != "" {
			b.WriteString(": " + a.Description)
		}
		b.WriteByte('\n')
	}
	slices.Sort(names)
	return chat.Tool{Name: workflow.ArtifactTool, Description: strings.TrimSpace(b.String()), Schema: objectSchema(
		property{"name", "Name of the artifact.", names}, property{"value", "Its text.", nil},
	)}
}

// property is an argument that takes a text.
type property struct {
	name, description string
	words             []string // nil: any text
}

// objectSchema is the schema of arguments that are all required.
func objectSchema(list ...property) json.RawMessage {
	type text struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum,omitempty"`
	}
	properties, required := map[string]text{}, make([]string, len(list))
	for i, p := range list {
		properties[p.name], required[i] = text{"string", p.description, p.words}, p.name
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		panic(err) // of maps of texts
	}
	return raw
}
