package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// EachDecisive calls f for the check, or for the parts that decide its verdict: of an any_of that passed these are the
// parts that passed. A check that was skipped or could not judge decides nothing.
func (c *Compiled) EachDecisive(v *result.Verdict, f func(*Compiled)) {
	c.eachDecisive(v.Status.String(), v.Details, f)
}

func (c *Compiled) eachDecisive(status string, details Details, f func(*Compiled)) {
	if status != result.Passed.String() && status != result.Failed.String() {
		return
	}
	within := c.Nested()
	if within == nil {
		f(c)
		return
	}
	told := detailsOfParts(details)
	_, negates := c.Check.(*negation)
	for i, part := range within {
		if i >= len(told) {
			return
		}
		its, _ := told[i]["status"].(string)
		if own, _ := told[i]["details"].(Details); negates || its == status {
			part.eachDecisive(its, own, f)
		}
	}
}

// detailsOfParts are the details that a combined check has of its parts, also after decoding.
func detailsOfParts(details Details) []Details {
	if own, ok := details["checks"].([]Details); ok {
		return own
	}
	list, _ := details["checks"].([]any)
	told := make([]Details, len(list))
	for i := range list {
		told[i], _ = list[i].(Details)
	}
	return told
}

// AskedWhyEnded is the index of the reply that a finish_reason check judges; -1: the check is another one, or there is
// no reply.
func (c *Compiled) AskedWhyEnded(s *Subject) int {
	if _, asks := c.Check.(*finishReason); asks {
		if last := s.last(); last != nil {
			return last.Index
		}
	}
	return -1
}

// CountedFailures are the failed calls that change the score of the check.
func (c *Compiled) CountedFailures(s *Subject) []Call {
	if !c.CountsFailures() {
		return nil
	}
	if c.session {
		s = s.Conversation()
	}
	return slices.DeleteFunc(slices.Clone(s.Calls), func(call Call) bool { return !c.looksAt(CallOutcomes, call.Name) })
}
