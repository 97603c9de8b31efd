package guard

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// Outcome is what guardrails made of one message.
type Outcome struct {
	// Message is with what the conversation goes on; see Input and Finish.
	Message chat.Message
	Firings []result.Firing // in the order of the file
	// Judgements are the calls of judges for guardrails that did not fire.
	Judgements []result.Judgement
	// Err says that a guardrail could not judge. One that would have acted has replaced the message then. The
	// conversation ends, and must not count as passed.
	Err error
}

// firing is a guardrail that fired.
type firing struct {
	*rail
	result.Firing
}

// hearing is the judging of one message.
type hearing struct {
	before    *checks.Subject // the conversation up to the message
	direction string

	fired      []firing
	judgements []result.Judgement
	err        error
}

// about is the subject that has m under test, as if it were a reply.
func (h *hearing) about(m chat.Message) *checks.Subject {
	s := h.before.Fork()
	m.Role = chat.Assistant
	s.Messages = append(slices.Clip(h.before.Messages), m)
	s.Start, s.Session = len(h.before.Messages), false
	s.Calls = append(slices.Clip(h.before.Calls), checks.CallsOf([]chat.Message{m})...)
	return s
}

// judge holds a message against a guardrail.
func (h *hearing) judge(ctx context.Context, r *rail, s *checks.Subject) {
	if r.Needs()&checks.NeedsReply != 0 && s.Output() == "" { // a message that only calls tools, or only shows something
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
		h.broke(r, v.Error)
	}
	h.fire(r, v)
}

// unable books a guardrail that broke while the message was written.
func (h *hearing) unable(r *rail, err error) {
	v := r.Unable(err)
	v.Type, v.Check = r.Type, ""
	h.broke(r, v.Error)
	h.fire(r, v)
}

func (h *hearing) broke(r *rail, why string) {
	h.fail(fmt.Errorf("guardrail %s (%s:%d) cannot judge the %s: %s", r.Type, r.Pos.File, r.Pos.Line, h.direction, why))
}

func (h *hearing) fire(r *rail, v result.Verdict) {
	h.fired = append(h.fired, firing{r, result.Firing{
		Verdict: v, Direction: h.direction, Action: result.Recorded, MonitorOnly: r.monitor,
	}})
}

// fail keeps the first reason for which something could not be judged.
func (h *hearing) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// outcome tells what fired, on m as well.
func (h *hearing) outcome(m chat.Message) Outcome {
	o := Outcome{Message: m, Judgements: h.judgements, Err: h.err}
	for i := range h.fired {
		f := &h.fired[i].Firing
		o.Firings = append(o.Firings, *f)
		o.Message.Validations = append(o.Message.Validations, record(f))
	}
	return o
}

// record is a firing as it stands on the message.
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
