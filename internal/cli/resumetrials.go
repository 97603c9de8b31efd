package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// earlierTrials are those of a journal by what its trials asked for.
type earlierTrials struct {
	usable  map[string][]*result.Entry // finished, not set aside, not yet taken; the last line is the first to be taken
	failed  map[string][]*result.Entry // in the order of the lines
	lines   map[string][]int64
	settled map[*result.Entry]bool // nothing in it makes the run red: passed, tolerated or skipped
	passed  map[string]bool        // the same by id, whatever was asked for
	numbers []int                  // of the trials in their groups, each once and in order
	rounds  int                    // at least as many as each variant was repeated
}

// newEarlierTrials looks through a journal for a run that is strict, or not.
func newEarlierTrials(ledger *result.JournalContent, plan *runner.Plan, strict bool) *earlierTrials {
	p := &earlierTrials{
		usable: map[string][]*result.Entry{}, failed: map[string][]*result.Entry{}, lines: map[string][]int64{},
		settled: map[*result.Entry]bool{}, passed: map[string]bool{},
	}
	programs := runner.Surroundings(plan)
	tolerated, fired := map[string]bool{}, map[string]bool{}
	for i := range ledger.Run.Briefs {
		b := &ledger.Run.Briefs[i]
		tolerated[b.ID] = b.Tolerated
		fired[b.ID] = b.Guards != nil && b.Guards.Fired > 0
	}
	for _, e := range ledger.Entries {
		p.numbers = append(p.numbers, e.Number)
		if e.Fingerprint == "" || e.Programs != programs || e.Warned && e.Strict != strict {
			e.Fingerprint = ""
		} else {
			p.lines[e.Fingerprint] = append(p.lines[e.Fingerprint], e.Offset())
		}
		settled := !e.CutShort && (e.Status == result.Passed || e.Status == result.Skipped || tolerated[e.ID]) &&
			!(fired[e.ID] && slices.Contains(plan.FailOn, result.FailOnGuardrail)) &&
			!(e.Unjudged && slices.Contains(plan.FailOn, result.FailOnEval))
		p.settled[e] = settled
		if !e.Dropped {
			p.passed[e.ID] = settled
		}
		if e.Fingerprint == "" || e.CutShort {
			continue
		}
		if e.Status == result.Failed && !tolerated[e.ID] {
			p.failed[e.Fingerprint] = append(p.failed[e.Fingerprint], e)
		}
		if !e.Dropped {
			p.usable[e.Fingerprint] = append(p.usable[e.Fingerprint], e)
		}
	}
	slices.Sort(p.numbers)
	p.numbers = slices.Compact(p.numbers)
	p.rounds = rounds(ledger.Entries)
	return p
}

// rounds is at least how often a variant was repeated. How many variants a group had is not known, but not less than
// were journaled.
func rounds(entries []*result.Entry) int {
	type group struct {
		variants map[string]bool
		last     int // number
	}
	groups, most := map[string]*group{}, 1
	for _, e := range entries {
		id, variant, found := strings.Cut(e.ID, fmt.Sprintf("#%d[", e.Number))
		if !found {
			continue
		}
		g := groups[id]
		if g == nil {
			g = &group{variants: map[string]bool{}}
			groups[id] = g
		}
		g.variants[variant], g.last = true, max(g.last, e.Number)
	}
	for _, g := range groups {
		most = max(most, (g.last-1)/len(g.variants)+1)
	}
	return most
}

// take is a finished trial that asked for the same, and would have finished within the limit of time that is set now;
// nil: there is none left. timeout is the limit for all trials of the run, or 0.
func (p *earlierTrials) take(print string, t *runner.Trial, timeout time.Duration) *result.Entry {
	for {
		list := p.usable[print]
		if len(list) == 0 {
			return nil
		}
		last := len(list) - 1
		p.usable[print] = list[:last]
		if inTime(list[last], t.Limit(), timeout) {
			return list[last]
		}
	}
}

// inTime reports whether a trial would have ended as it did with the limit of time that it has now.
func inTime(e *result.Entry, limit, timeout time.Duration) bool {
	if e.Timeout == timeout { // other limits are part of the fingerprint
		return true
	}
	return !e.OutOfTime && (limit == 0 || e.DurationMS <= float64(limit)/float64(time.Millisecond))
}
