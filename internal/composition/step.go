// Package composition runs the steps of agents that answer by a fixed graph and not by one model call: prompts, bounded
// agents, tools, branches and parallel steps. It knows no model and no tool; the runner hands in what runs a single
// step.
package composition

import (
	"encoding/json"
	"iter"
	"regexp"
	"sync"
)

// A Composition is a graph of steps. It never changes, and all trials of a project share it.
type Composition struct {
	Name        string
	Description string
	Steps       []*Step // in the order in which they run
	Output      string  // id of the step whose output is the composition's; "": the last step with an output

	InputSchema, OutputSchema json.RawMessage // nil: any value
}

// Kind is what a step does.
type Kind string

// The kinds.
const (
	Prompt   Kind = "prompt"   // one model call without tools
	Agent    Kind = "agent"    // model calls with tools, within limits
	Tool     Kind = "tool"     // one tool call that no model made
	Branch   Kind = "branch"   // chooses which step comes next
	Parallel Kind = "parallel" // runs leaf steps at once
)

// Kinds lists the kinds.
var Kinds = []Kind{Prompt, Agent, Tool, Branch, Parallel}

// IsLeaf reports whether the step calls a model or a tool itself.
func (k Kind) IsLeaf() bool { return k == Prompt || k == Agent || k == Tool }

// A Step is one node of the graph. Which fields count depends on its kind.
type Step struct {
	ID        string
	Kind      Kind
	DependsOn []string // the step is skipped when all of these are
	Attempts  int      // the limit of attempts; 0 counts as 1
	Evals     []string // ids of evals that judge its output

	PromptTask string // prompt, agent
	Input      any    // prompt, agent: may hold references; nil: the input of the composition
	// Schema is the JSON Schema of the output of a prompt or an agent; nil: the output is text.
	Schema json.RawMessage

	Tools    []string // agent
	MaxSteps int      // agent: limit of rounds; 0: only the limit of the turn
	StopTool string   // agent: the round that calls this tool is the last

	Tool string         // tool
	Args map[string]any // tool: may hold references

	If         *Predicate // branch
	Then, Else string     // branch: ids of later steps; Else may be ""

	Branches []*Step // parallel: leaf steps
	Strategy Strategy
	Into     string
}

// Strategy says how the outputs of parallel steps are joined.
type Strategy string

// The strategies.
const (
	Append  Strategy = "append"  // a list, in the order of the file
	Replace Strategy = "replace" // the last one
	Barrier Strategy = "barrier" // an object by step id
)

// Strategies lists the strategies.
var Strategies = []Strategy{Append, Replace, Barrier}

var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_]\w*$`) })

// IsID reports whether a text can be the id of a step.
func IsID(text string) bool { return idPattern().MatchString(text) }

// All yields the steps in the order of the file; leaves come after their parallel step.
func (c *Composition) All() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		for _, s := range c.Steps {
			if !yield(s) {
				return
			}
			for _, b := range s.Branches {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// Step returns the step with an id, also one within a parallel step; nil: none.
func (c *Composition) Step(id string) *Step {
	for s := range c.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}
