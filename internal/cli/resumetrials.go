package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// earlierTrials are those of a journal by what its trials asked for.
type earlierTrials struct {
	entries []*result.Entry
	usable  map[string]int             // finished, not set aside, not yet taken: the last of them; see before
	before  []int                      // by entry, the usable one before it that asked for the same; -1: there is none
	failed  map[string][]*result.Entry // in the order of the lines

	// For --last-failed.
	lines   map[string][]int64
	settled map[*result.Entry]bool // nothing in it makes the run red: passed, tolerated or skipped
	passed  map[string]bool        // the same by id, whatever was asked for

	finished map[string]bool // by id, those that came to a verdict, whatever was asked for; see cameToVerdict

	numbers []int // of the trials in their groups, each once and in order
	rounds  int   // at least as many as each variant was repeated
}

// newEarlierTrials looks through a journal for a run that is strict, or not. lastFailed: for --last-failed.
func newEarlierTrials(ledger *result.JournalContent, plan *runner.Plan, strict, lastFailed bool) *earlierTrials {
	p := &earlierTrials{
		entries: ledger.Entries, usable: make(map[string]int, len(ledger.Entries)), failed: map[string][]*result.Entry{},
		before: make([]int, len(ledger.Entries)),
		lines:  map[string][]int64{}, settled: map[*result.Entry]bool{}, passed: map[string]bool{},
	}
	programs := runner.Surroundings(plan)
	tolerated, fired, numbers := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for _, b := range ledger.Run.Briefs.All() {
		mark(tolerated, b.ID, b.Tolerated)
		mark(fired, b.ID, b.Guards != nil && b.Guards.Fired > 0)
	}
	for i, e := range ledger.Entries {
		numbers[e.Number] = true
		if e.Fingerprint == "" || e.Programs != programs || e.Warned && e.Strict != strict {
			e.Fingerprint = ""
		}
		if lastFailed {
			p.note(e, !e.CutShort && (e.Status == result.Passed || e.Status == result.Skipped || tolerated[e.ID]) &&
				!(fired[e.ID] && slices.Contains(plan.FailOn, result.FailOnGuardrail)) &&
				!(e.Unjudged && slices.Contains(plan.FailOn, result.FailOnEval)))
		}
		if e.Fingerprint == "" || e.CutShort {
			continue
		}
		if e.Status == result.Failed && !tolerated[e.ID] {
			p.failed[e.Fingerprint] = append(p.failed[e.Fingerprint], e)
		}
		if !e.Dropped {
			p.before[i] = -1
			if earlier, there := p.usable[e.Fingerprint]; there {
				p.before[i] = earlier
			}
			p.usable[e.Fingerprint] = i
		}
	}
	p.numbers = slices.Sorted(maps.Keys(numbers))
	p.rounds = rounds(ledger.Entries)
	return p
}

// mark says of the last trial of an id whether something is so, which is rare.
func mark(which map[string]bool, id string, is bool) {
	if is {
		which[id] = true
	} else {
		delete(which, id)
	}
}

// note takes down what --last-failed needs to know of a trial.
func (p *earlierTrials) note(e *result.Entry, settled bool) {
	if e.Fingerprint != "" {
		p.lines[e.Fingerprint] = append(p.lines[e.Fingerprint], e.Offset())
	}
	p.settled[e] = settled
	if !e.Dropped {
		p.passed[e.ID] = settled
	}
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

// cameToVerdict reports whether a trial of this id passed or failed, whatever it asked for.
func (p *earlierTrials) cameToVerdict(id string) bool {
	if p.finished == nil {
		p.finished = map[string]bool{}
		for _, e := range p.entries {
			if !e.Dropped && !e.CutShort && (e.Status == result.Passed || e.Status == result.Failed) {
				p.finished[e.ID] = true
			}
		}
	}
	return p.finished[id]
}

// take is a finished trial that asked for the same, and would have finished within the limit of time that is set now;
// nil: none left. timeout is the limit for all trials of the run, or 0.
func (p *earlierTrials) take(print string, t *runner.Trial, timeout time.Duration) *result.Entry {
	last, there := p.usable[print]
	if !there {
		return nil
	}
	for last >= 0 {
		e := p.entries[last]
		last = p.before[last]
		if inTime(e, t.Limit(), timeout) {
			p.usable[print] = last
			return e
		}
	}
	p.usable[print] = last
	return nil
}

// inTime reports whether a trial would have ended as it did with the limit of time that it has now.
func inTime(e *result.Entry, limit, timeout time.Duration) bool {
	if e.Timeout == timeout { // other limits are part of the fingerprint
		return true
	}
	return !e.OutOfTime && (limit == 0 || e.DurationMS <= float64(limit)/float64(time.Millisecond))
}
