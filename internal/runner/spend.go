package runner

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
)

// spend sums the usage and cost of model calls.
type spend struct {
	usage   chat.Usage
	calls   int
	usd     float64
	unknown bool // the price of a call is not known

	cached   int     // calls that an earlier run paid for; not in usd
	savedUSD float64 // their known cost in that run
	unpriced int     // those of unknown cost
}

func (s *spend) add(r *chat.Reply) {
	s.usage = s.usage.Add(r.Usage)
	if r.ModelCalls != nil {
		s.calls += *r.ModelCalls - 1
	}
	s.calls++
	if r.Cached {
		s.cached++
		if r.CostUSD != nil {
			s.savedUSD += *r.CostUSD
		} else {
			s.unpriced++
		}
		return
	}
	if r.CostUSD == nil {
		s.unknown = true
		return
	}
	s.usd += *r.CostUSD
}

// addFailed adds the usage of a failed call.
func (s *spend) addFailed(err error) {
	usage, usd := providers.Spent(err)
	if usage == (chat.Usage{}) {
		return
	}
	s.add(&chat.Reply{Usage: usage, CostUSD: usd})
}

// with is what both took together.
func (s *spend) with(t *spend) *spend {
	return &spend{
		usage: s.usage.Add(t.usage), calls: s.calls + t.calls, usd: s.usd + t.usd, unknown: s.unknown || t.unknown,
		cached: s.cached + t.cached, savedUSD: s.savedUSD + t.savedUSD, unpriced: s.unpriced + t.unpriced,
	}
}

// addRecorded adds the usage of a recorded message.
func (s *spend) addRecorded(m *chat.Message) {
	if m.Usage == nil && m.CostUSD == nil || m.ModelCalls != nil && *m.ModelCalls == 0 {
		return
	}
	reply := chat.Reply{CostUSD: m.CostUSD}
	if m.Usage != nil {
		reply.Usage = *m.Usage
	}
	s.add(&reply)
	if m.ModelCalls != nil { // of the steps of a composition together
		s.calls += *m.ModelCalls - 1
	}
}

// fromCache describes the replies that cost nothing because they came from the cache or the recording; "": none did.
// recorded of them came from the recording.
func (s *spend) fromCache(recorded int) string {
	if s.cached == 0 {
		return ""
	}
	where := "the cache"
	switch {
	case recorded >= s.cached:
		where = "the recording"
	case recorded > 0:
		where = "the cache and the recording"
	}
	text := fmt.Sprintf("%d of %s came from %s, and cost nothing now", s.cached,
		plural.Of(s.calls, "reply", "replies"), where)
	saved := "$" + strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", s.savedUSD), "0"), ".")
	switch {
	case s.unpriced == s.cached:
		text += " (cost unknown when they were paid for)"
	case s.unpriced > 0:
		text += fmt.Sprintf(" (%s and %d of unknown cost when they were paid for)", saved, s.unpriced)
	case s.savedUSD > 0:
		text += " (" + saved + " when they were paid for)"
	}
	return text
}

// cost is the sum in US dollars; nil when the price of a call is not known.
func (s *spend) cost() *float64 {
	if s.unknown || s.calls == 0 {
		return nil
	}
	usd := s.usd
	return &usd
}
