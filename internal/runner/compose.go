package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/workflow"
)

// composition is the composition of the present state; nil: a model answers.
func (s *session) composition() *composed {
	f := s.flow
	if f == nil || f.machine == nil || f.machine.Current().Mode != workflow.Composed {
		return nil
	}
	return s.trial.Project.compositions[f.machine.Current().Composition]
}

// errEmptyOutput is returned for a composition whose output is an empty text: every check that forbids something would
// pass.
var errEmptyOutput = errors.New("its output is an empty text")

// compose runs the steps of a composition as the answer to the user's message. The reply is their output, with the
// usage and cost of all steps.
func (s *session) compose(ctx context.Context, turn *result.Turn, loop *toolLoop, c *composed) error {
	user := s.messages[len(s.messages)-1]
	h := &stepHost{s: s, c: c, turn: turn, user: user, before: repliesIn(s.messages), began: s.clock.elapsed()}
	out, err := h.run(ctx)
	loop.log = append(loop.log, h.log...)
	if loop.calls += len(h.log); err == nil {
		err = loop.limits(0) // concurrent steps did not count each other's calls
	}
	turn.Composition = h.record(out, err)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if missing := s.recorder.Err(); missing != nil {
		return missing
	}
	if err != nil {
		return fmt.Errorf("composition %s: %w", c.Name, err)
	}
	if err := s.addOutputReply(ctx, turn, h, composition.Text(out.Output)); err != nil {
		return err
	}
	_, err = s.advance(ctx, loop)
	return err
}

// run runs the steps. The outcome is nil when the input does not fit.
func (h *stepHost) run(ctx context.Context) (*composition.Outcome, error) {
	input := composition.Input(h.user.Text())
	if err := h.c.fits(inputSchema, input); err != nil {
		return nil, fmt.Errorf("the user's message does not fit its input_schema: %w", err)
	}
	out, err := h.c.Run(ctx, input, h)
	if err != nil {
		return out, err
	}
	if err := h.c.fits(outputSchema, out.Output); err != nil {
		return out, fmt.Errorf("its output does not fit its output_schema: %w", err)
	}
	if composition.Text(out.Output) == "" {
		return out, fmt.Errorf("%w%s", errEmptyOutput, h.emptyOutputHint(out))
	}
	return out, nil
}

// emptyOutputHint says what to do if the output is empty because an agent step ended with a call and without text.
func (h *stepHost) emptyOutputHint(out *composition.Outcome) string {
	for _, rec := range slices.Backward(out.Records) {
		spec := rec.Step
		if rec.Skipped || rec.Within != nil || rec.Output == nil || h.c.Output != "" && spec.ID != h.c.Output {
			continue
		}
		if spec.Kind == composition.Agent && spec.StopTool != "" {
			return fmt.Sprintf(": the step %s ended with its call of %s and no words: name an earlier step as output of the "+
				"composition, or have it say something beside the call", spec.ID, spec.StopTool)
		}
		return ""
	}
	return ""
}

// addOutputReply adds the output as the reply of the turn, after the guardrails of the state's own prompt.
func (s *session) addOutputReply(ctx context.Context, turn *result.Turn, h *stepHost, text string) error {
	usage, calls := h.spend.usage, h.spend.calls
	reply := chat.Message{
		Role: chat.Assistant, Content: text, FinishReason: "stop", Usage: &usage, CostUSD: h.cost(), ModelCalls: &calls,
		LatencyMS: milliseconds(s.clock.elapsed() - h.began),
	}
	set := s.stance.guards
	if !set.OnOutput() {
		s.addReply(reply)
		return nil
	}
	subject := s.subject(turn.Index)
	subject.Calls = s.calls[len(s.calls)-len(h.log):]
	subject.LatencyMS = &reply.LatencyMS
	done := s.routeGuardrails(subject)
	o := set.Reply().Finish(ctx, subject, reply, nil)
	done()
	s.recordFirings(turn, len(s.messages), &o)
	s.addReply(o.Message)
	return o.Err
}

// repliesIn counts the replies of the assistant.
func repliesIn(messages []chat.Message) (n int) {
	for i := range messages {
		if messages[i].Role == chat.Assistant {
			n++
		}
	}
	return n
}

// record returns the outcome of the steps for the results.
func (h *stepHost) record(out *composition.Outcome, err error) *result.Composition {
	r := &result.Composition{Name: h.c.Name, Steps: []result.Step{}}
	if err != nil {
		r.Error = err.Error()
	}
	if out == nil {
		return r
	}
	r.Output = out.Output
	if err != nil && !errors.Is(err, errEmptyOutput) {
		r.Output = nil
	}
	for _, rec := range out.Records {
		r.Steps = append(r.Steps, h.step(rec))
	}
	return r
}

func (h *stepHost) step(rec *composition.Record) result.Step {
	spec := rec.Step
	step := result.Step{
		ID: spec.ID, Kind: string(spec.Kind), Prompt: spec.PromptTask, Tool: spec.Tool, Skipped: rec.Skipped,
		Attempts: rec.Attempts, Input: rec.Input, Output: rec.Output, Target: rec.Target,
	}
	if rec.Within != nil {
		step.Within = rec.Within.ID
	}
	if rec.Err != nil {
		step.Error = rec.Err.Error()
	}
	if spec.Kind == composition.Parallel && !rec.Skipped {
		step.Status = result.ParallelComplete
		if rec.Err != nil {
			step.Status = result.ParallelFailed
		}
	}
	if took := h.took[spec]; took != nil {
		step.LatencyMS, step.Messages, step.Failed = milliseconds(took.span), took.messages, took.failed
		if took.spend.calls > 0 {
			usage := took.spend.usage
			step.Usage, step.Calls, step.CostUSD = &usage, took.spend.calls, took.spend.cost()
		}
	}
	return step
}

// composed is what checks see of compositions: that of the turn, or at the end of the conversation the last one that
// ran, with those before it. It is nil in projects without compositions, and for recordings that hold none.
func (s *session) composed(turn int) *checks.Composition {
	recorded := s.trial.Recorded != nil
	if len(s.trial.Project.Project.Compositions) == 0 && !recorded || s.step != nil {
		return nil
	}
	for i := len(s.out.Turns) - 1; i >= 0; i-- {
		t := &s.out.Turns[i]
		if t.Composition != nil && (turn < 0 || t.Index == turn) {
			seen := compositionSeen(t)
			for j := 0; turn < 0 && j < i; j++ {
				if before := &s.out.Turns[j]; before.Composition != nil {
					seen.Earlier = append(seen.Earlier, *compositionSeen(before))
				}
			}
			return seen
		}
		if turn >= 0 && t.Index <= turn {
			break
		}
	}
	if recorded {
		return nil
	}
	return &checks.Composition{None: true}
}

// compositionSeen is what checks see of the composition of a turn.
func compositionSeen(t *result.Turn) *checks.Composition {
	c := &checks.Composition{
		Outputs: map[string]string{}, Branches: map[string]string{}, Parallels: map[string]string{},
		Turn: t.Index,
	}
	if t.Assistant != "" {
		c.Output = &t.Assistant
	}
	for i := range t.Composition.Steps {
		switch step := &t.Composition.Steps[i]; {
		case step.Skipped:
		case step.Kind == string(composition.Branch):
			if step.Error == "" {
				c.Branches[step.ID] = step.Target
			}
		default:
			if step.Error == "" {
				c.Outputs[step.ID] = composition.Text(step.Output)
			}
			if step.Status != "" {
				c.Parallels[step.ID] = step.Status
			}
		}
	}
	return c
}
