package arena

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// Composed is a composition that answered in a turn, in place of a model.
type Composed struct {
	Name  string // of the composition
	Steps []Step // in the order of the file; those of a parallel step come after it
}

// Step is one step of a composition. Steps after a failed one are not listed.
type Step struct {
	ID       string
	Kind     string // prompt, agent, tool, branch or parallel
	Within   string // the parallel step that contains it; "": none
	Attempts int    // 0: it was skipped, or failed before the first attempt
	Input    any    // text, or a value; nil: none
	Output   any    // text, or decoded JSON with numbers as json.Number; nil: none
	Target   string // of a branch: the step that it chose
	Error    string // why it failed; "": it did not

	Tools      []ToolUse     // its tool calls, in order; their Turn is ignored
	ModelCalls int           // of all attempts
	Latency    time.Duration // of all attempts; in a Conversation 0 is not known
}

func composedFrom(t *result.Turn) *Composed {
	if t.Composition == nil {
		return nil
	}
	out := &Composed{Name: t.Composition.Name, Steps: make([]Step, len(t.Composition.Steps))}
	for i := range t.Composition.Steps {
		s := &t.Composition.Steps[i]
		step := Step{
			ID: s.ID, Kind: s.Kind, Within: s.Within, Attempts: s.Attempts, Input: jsonvalue.Clone(s.Input),
			Output: jsonvalue.Clone(s.Output), Target: s.Target, Error: s.Error, ModelCalls: s.Calls, Latency: span(s.LatencyMS),
		}
		for _, c := range t.ToolCalls {
			if c.Step == s.ID {
				step.Tools = append(step.Tools, ToolUse{
					Turn: t.Index, Name: c.Name, Args: cloneMap(c.Args), BadArgs: c.BadArgs, Result: c.Result, Error: c.Error,
				})
			}
		}
		out.Steps[i] = step
	}
	return out
}

// addSteps adds each composition to the last message of its turn. It fails for a turn that does not exist and for
// impossible steps: checks of steps would judge nothing.
func (c *Conversation) addSteps(messages []recording.Message) error {
	turns, first := recording.Turns(messages), 0
	for i, turn := range turns {
		first += len(turn)
		composed, given := c.Steps[i]
		if !given {
			continue
		}
		reply := &messages[first-1]
		if reply.Role != chat.Assistant {
			return fmt.Errorf("arena: the steps of turn %d, counted from 0, gave no reply: the turn does not end with one", i)
		}
		steps, err := composed.toRecording()
		if err != nil {
			return fmt.Errorf("arena: the steps of turn %d, counted from 0: %w", i, err)
		}
		reply.Steps = steps
		reply.ModelCalls = new(modelCalls(steps.Composition))
	}
	for _, i := range slices.Sorted(maps.Keys(c.Steps)) {
		if i < 0 || i >= len(turns) {
			return fmt.Errorf("arena: steps of turn %d, counted from 0: the conversation has %d", i, len(turns))
		}
	}
	return nil
}

// toRecording converts the composition to the recording's type.
func (c *Composed) toRecording() (*recording.Steps, error) {
	if len(c.Steps) == 0 {
		return nil, errors.New("there is none")
	}
	out := &recording.Steps{Composition: &result.Composition{Name: c.Name}}
	for i := range c.Steps {
		s := &c.Steps[i]
		if err := s.validate(c.Steps[:i], c.Steps); err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		step, err := s.toRecording()
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		if s.Error != "" && out.Error == "" {
			out.Error = fmt.Sprintf("step %s: %s", s.ID, s.Error)
		}
		out.Steps = append(out.Steps, *step)
		for _, use := range s.Tools {
			call := result.ToolCall{
				Step: s.ID, Name: use.Name, BadArgs: use.BadArgs, Result: use.Result, Error: use.Error,
			}
			if call.Args, err = plain(use.Args); err != nil {
				return nil, fmt.Errorf("step %q: the arguments of %s cannot be written as JSON: %w", s.ID, use.Name, err)
			}
			out.Calls = append(out.Calls, call)
		}
	}
	return out, nil
}

// validate returns an error for an impossible step. before are the steps before it.
func (s *Step) validate(before, all []Step) error {
	named := func(list []Step, id string, kind composition.Kind) bool {
		return slices.ContainsFunc(list, func(o Step) bool { return o.ID == id && (kind == "" || o.Kind == string(kind)) })
	}
	branch := s.Kind == string(composition.Branch)
	switch {
	case s.ID == "":
		return errors.New("it has no ID")
	case named(before, s.ID, ""):
		return errors.New("there are two of that ID")
	case !slices.Contains(composition.Kinds, composition.Kind(s.Kind)):
		return fmt.Errorf("there is no kind %q; expected one of %q", s.Kind, composition.Kinds)
	case s.Within != "" && !named(all, s.Within, composition.Parallel):
		return fmt.Errorf("it is within %q, which is no parallel step here", s.Within)
	case s.Attempts < 0 || s.ModelCalls < 0 || s.Latency < 0:
		return errors.New("one of Attempts, ModelCalls and Latency is below 0")
	case s.Attempts > 0 && s.Error == "" && s.Output == nil && s.needsOutput():
		return errors.New("it ran without an Error, and has no Output")
	case s.Attempts == 0 && s.ran():
		return errors.New("a step with Attempts 0 was skipped, and has no output, target, tools, model calls or latency")
	case s.Target != "" && !branch:
		return errors.New("only a branch has a Target")
	case branch && s.Output != nil:
		return errors.New("a branch has a Target, and no Output")
	case s.Target != "" && !named(all, s.Target, ""):
		return fmt.Errorf("its Target %q is no step here", s.Target)
	}
	return nil
}

// needsOutput reports whether the step must have an output unless it failed.
func (s *Step) needsOutput() bool {
	return s.Kind != string(composition.Branch) && s.Kind != string(composition.Tool)
}

// ran reports whether a field is set that only a step which ran can have.
func (s *Step) ran() bool {
	return s.Output != nil || s.Target != "" || len(s.Tools) > 0 || s.ModelCalls > 0 || s.Latency > 0
}

func (s *Step) toRecording() (*result.Step, error) {
	out := &result.Step{
		ID: s.ID, Kind: s.Kind, Within: s.Within, Skipped: s.Attempts == 0 && s.Error == "", Attempts: s.Attempts,
		Target: s.Target, Error: s.Error, Calls: s.ModelCalls, LatencyMS: float64(s.Latency) / float64(time.Millisecond),
	}
	if s.Kind == string(composition.Parallel) && !out.Skipped {
		if out.Status = result.ParallelComplete; s.Error != "" {
			out.Status = result.ParallelFailed
		}
	}
	values, err := plain(map[string]any{"Input": s.Input, "Output": s.Output})
	if err != nil {
		return nil, fmt.Errorf("its Input or Output cannot be written as JSON: %w", err)
	}
	out.Input, out.Output = values["Input"], values["Output"]
	return out, nil
}

// modelCalls counts the model calls of the steps: at least one for each attempt of a step that calls a model.
func modelCalls(c *result.Composition) (n int) {
	for i := range c.Steps {
		s := &c.Steps[i]
		n += s.Calls
		if s.Kind == string(composition.Prompt) || s.Kind == string(composition.Agent) {
			n += max(s.Attempts-s.Calls, 0)
		}
	}
	return n
}
