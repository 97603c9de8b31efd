package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// decided records what assertions and evals with a threshold have judged. Checks of other turns, skipped checks, and
// irrelevant alternatives of any_of do not count: warnings are still due for what they would have judged.
type decided struct {
	ends     map[int]bool // finish reasons; by the number of the reply of the agent, from 0
	failures map[int]bool // failures of calls; by index in the calls of the session
}

// decide records what a verdict has judged.
func (s *session) decide(c *checks.Compiled, v *result.Verdict, subject *checks.Subject) {
	if s.judgedStep != "" { // its messages are not in the conversation
		return
	}
	c.EachDecisive(v, func(part *checks.Compiled) {
		if at := part.AskedWhyEnded(subject); at >= 0 {
			s.decided.ends = marked(s.decided.ends, s.replyNumber(subject, at))
		}
		s.decided.failures = marked(s.decided.failures, s.callIndexes(part.CountedFailures(subject))...)
	})
}

func marked(set map[int]bool, keys ...int) map[int]bool {
	if set == nil && len(keys) > 0 {
		set = map[int]bool{}
	}
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// replyNumber is the number of a reply among those of the agent, from 0. A subject may leave out what others said.
func (s *session) replyNumber(subject *checks.Subject, at int) int {
	m := &subject.Messages[at]
	if at >= len(s.messages) || !sameReply(m, &s.messages[at]) {
		for at = len(s.messages) - 1; at > 0 && !sameReply(m, &s.messages[at]); {
			at--
		}
	}
	number := 0
	for i := range s.messages[:at] {
		if s.messages[i].Role == chat.Assistant {
			number++
		}
	}
	return number
}

func sameReply(a, b *chat.Message) bool {
	return a.Role == b.Role && a.FinishReason == b.FinishReason && a.State == b.State && a.Text() == b.Text()
}

// callIndexes are the indexes of some calls, which are in order, among those of the session.
func (s *session) callIndexes(some []checks.Call) (places []int) {
	at := 0
	for i := range some {
		same := func(own checks.Call) bool {
			return own.Turn == some[i].Turn && own.Step == some[i].Step && own.Name == some[i].Name &&
				own.Error == some[i].Error
		}
		found := slices.IndexFunc(s.calls[at:], same)
		if found < 0 {
			return places
		}
		at += found + 1
		places = append(places, at-1)
	}
	return places
}
