package own

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/workflow"
)

// Transition is the tool by which the model of a state moves on.
func Transition(g *workflow.Graph, state *workflow.State) chat.Tool {
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

// SetArtifact is the tool by which the model of a state hands on texts.
func SetArtifact(state *workflow.State) chat.Tool {
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
