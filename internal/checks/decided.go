package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// EachDecisive calls f for the check, or for those within it on whose outcome a verdict rests: of any_of that passed
// they are those that passed, for another one could be anything. A check that was skipped, or could not judge, decides
// nothing.
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

// detailsOfParts are what a combined check tells of its parts, also where it comes from elsewhere.
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

// AskedWhyEnded is the reply of a subject about which finish_reason asks, as an index in its messages; -1: the check is
// another one, or there is none.
func (c *Compiled) AskedWhyEnded(s *Subject) int {
	if _, asks := c.Check.(*finishReason); asks {
		if last := s.last(); last != nil {
			return last.Index
		}
	}
	return -1
}

// CountedFailures are the calls of a subject that would change the score of the check by having failed.
func (c *Compiled) CountedFailures(s *Subject) []Call {
	if !c.CountsFailures() {
		return nil
	}
	if c.session {
		s = s.Conversation()
	}
	return slices.DeleteFunc(slices.Clone(s.Calls), func(call Call) bool { return !c.looksAt(CallOutcomes, call.Name) })
}
