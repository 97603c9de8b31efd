package checks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

// eval returns the result of an eval with the name of the guardrail: the latest one of the turn under test, and of a
// conversation the latest one that fired, if any did; nil: none.
func (c *guardrailTriggered) eval(s *Subject) (latest *EvalResult) {
	if c.Guardrail == "" || c.Direction != bothDirections {
		return nil
	}
	for i := len(s.Earlier) - 1; i >= 0; i-- {
		e := &s.Earlier[i]
		if e.ID != c.Guardrail && !c.means(e.Type) || !s.Session && e.Turn != s.Turn {
			continue
		}
		if latest == nil {
			latest = e
		}
		if !s.Session || e.fired() {
			return e
		}
	}
	return latest
}

// fired reports whether the eval found what it looks for.
func (e *EvalResult) fired() bool { return e.Error == "" && !e.Skipped && e.Score < 1-slack }

// unseen is the error where it is not known whether the eval that is meant would have fired: it did not judge, or
// judged the text by which a guardrail of the same check replaced the reply.
func (c *guardrailTriggered) unseen(s *Subject) error {
	if slices.ContainsFunc(s.Guards, c.means) {
		return nil // not only an eval is meant
	}
	e := c.eval(s)
	if e != nil {
		switch by := c.tookReply(s, e); {
		case e.Error != "":
			return fmt.Errorf("the eval %s could not judge: %s", say.Named(e.ID), e.Error)
		case by != "" && !e.Skipped:
			return notMeasured(fmt.Sprintf("the guardrail %s had changed the reply before the eval %s judged it",
				say.Named(by), say.Named(e.ID)))
		}
		return nil
	}
	for _, e := range s.Evals {
		if e.ID != c.Guardrail && !c.means(e.Type) {
			continue
		}
		if c.Direction != bothDirections {
			return errors.New("an eval has no direction: take direction out")
		}
		what := "this turn"
		if s.Session {
			what = "this conversation"
		}
		return notMeasured(fmt.Sprintf("the eval %s (%s) has not judged %s", say.Named(e.ID), e.Trigger, what))
	}
	return nil
}

// tookReply names the guardrail of the same check as the eval that fired and changed a reply; "": none did.
func (c *guardrailTriggered) tookReply(s *Subject, e *EvalResult) string {
	check, known := c.custom.Lookup(e.Type)
	if !known {
		return ""
	}
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		if m.Role != chat.Assistant || m.Original == nil {
			continue
		}
		for j := range m.Validations {
			v := &m.Validations[j]
			if same, _ := c.custom.Lookup(v.Type); !v.Passed && same == check {
				return v.Type
			}
		}
	}
	return ""
}
