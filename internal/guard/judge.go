package guard

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// Outcome is the result of applying guardrails to one message.
type Outcome struct {
	// Message is the message with which the conversation continues; see Input and Finish.
	Message chat.Message
	Firings []result.Firing // in the order of the file
	// Judgements are the judgements for guardrails that did not fire.
	Judgements []result.Judgement
	// Err is the error of a guardrail that could not judge. If that guardrail acts, it has replaced the message. The
	// conversation ends, and must not count as passed.
	Err error
}

// firing is a guardrail that fired.
type firing struct {
	*guardrail
	result.Firing
}

// judging is the judging of one message.
type judging struct {
	before    *checks.Subject // the conversation up to the message
	direction string

	fired      []firing
	judgements []result.Judgement
	err        error
}

// about returns a subject with m as the reply under test.
func (h *judging) about(m chat.Message) *checks.Subject {
	s := h.before.Fork()
	m.Role = chat.Assistant
	s.Messages = append(slices.Clip(h.before.Messages), m)
	s.Start, s.Session = len(h.before.Messages), false
	s.Calls = append(slices.Clip(h.before.Calls), checks.CallsOf([]chat.Message{m})...)
	return s
}

// judge applies a guardrail to a message.
func (h *judging) judge(ctx context.Context, r *guardrail, s *checks.Subject) {
	if r.Needs()&checks.NeedsReply != 0 && (s.Output() == "" || !s.Replied()) { // only tool calls, or media
		return
	}
	v := r.Judge(ctx, s)
	v.Type, v.Check = r.Type, "" // also in the long spelling: it is by this name that guardrail_triggered asks
	switch v.Status {
	case result.Passed, result.Skipped:
		h.judgements = append(h.judgements, v.Judgements...)
		return
	case result.Cancelled:
		h.fail(context.Cause(ctx))
		return
	case result.Failed:
	default:
		h.failJudge(r, v.Error)
	}
	h.fire(r, v)
}

// unable records a guardrail that had an error while the message was streamed.
func (h *judging) unable(r *guardrail, err error) {
	v := r.Unable(err)
	v.Type, v.Check = r.Type, ""
	h.failJudge(r, v.Error)
	h.fire(r, v)
}

func (h *judging) failJudge(r *guardrail, why string) {
	h.fail(fmt.Errorf("guardrail %s (%s:%d) cannot judge the %s: %s", r.Type, r.Pos.File, r.Pos.Line, h.direction, why))
}

func (h *judging) fire(r *guardrail, v result.Verdict) {
	h.fired = append(h.fired, firing{r, result.Firing{
		Verdict: v, Direction: h.direction, Action: result.Recorded, MonitorOnly: r.monitor,
	}})
}

// fail keeps the first error.
func (h *judging) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// outcome returns what fired, and records it on m.
func (h *judging) outcome(m chat.Message) Outcome {
	o := Outcome{Message: m, Judgements: h.judgements, Err: h.err}
	for i := range h.fired {
		f := &h.fired[i].Firing
		o.Firings = append(o.Firings, *f)
		o.Message.Validations = append(o.Message.Validations, record(f))
	}
	return o
}

// record is the record of a firing on the message.
func record(f *result.Firing) chat.Validation {
	v := &f.Verdict
	details := map[string]any{"direction": f.Direction, "action": string(f.Action)}
	if v.Score != nil {
		details["score"] = *v.Score
	}
	if v.Details != nil {
		details["value"] = v.Details
	}
	for key, text := range map[string]string{"explanation": v.Explanation, "error": v.Error} {
		if text != "" {
			details[key] = text
		}
	}
	if f.MonitorOnly {
		details["monitor_only"] = true
	}
	return chat.Validation{Type: v.Type, Details: details}
}
