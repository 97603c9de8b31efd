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

// earlierTrials are the trials of a journal, by fingerprint.
type earlierTrials struct {
	entries        []*result.Entry
	usable         map[string]int             // by fingerprint, the last one that is neither dropped nor taken
	previousUsable []int                      // by entry, the previous usable one with the same fingerprint; -1: none
	failed         map[string][]*result.Entry // by fingerprint, in the order of the lines

	// For --last-failed.
	lines   map[string][]int64
	settled map[*result.Entry]bool // passed, tolerated or skipped, and without a finding that makes the run red
	passed  map[string]bool        // by id: settled, with any fingerprint

	finished map[string]bool // by id: passed or failed, with any fingerprint; see cameToVerdict

	numbers []int // sorted numbers of trials within their groups
	rounds  int   // upper bound of the repetitions of a variant
}

// newEarlierTrials indexes a journal. strict: the new run is strict; lastFailed: it has --last-failed.
func newEarlierTrials(ledger *result.JournalContent, plan *runner.Plan, strict, lastFailed bool) *earlierTrials {
	p := &earlierTrials{
		entries: ledger.Entries, usable: make(map[string]int, len(ledger.Entries)), failed: map[string][]*result.Entry{},
		previousUsable: make([]int, len(ledger.Entries)),
		lines:          map[string][]int64{}, settled: map[*result.Entry]bool{}, passed: map[string]bool{},
	}
	programs := runner.Surroundings(plan)
	tolerated, fired, numbers := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for _, b := range ledger.Run.Briefs.All() {
		setOrDelete(tolerated, b.ID, b.Tolerated)
		setOrDelete(fired, b.ID, b.Guards != nil && b.Guards.Fired > 0)
	}
	for i, e := range ledger.Entries {
		numbers[e.Number] = true
		if e.Fingerprint == "" || e.Programs != programs || e.Warned && e.Strict != strict {
			e.Fingerprint = ""
		}
		if lastFailed {
			p.noteForLastFailed(e, !e.CutShort && (e.Status == result.Passed || e.Status == result.Skipped || tolerated[e.ID]) &&
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
			p.previousUsable[i] = -1
			if earlier, there := p.usable[e.Fingerprint]; there {
				p.previousUsable[i] = earlier
			}
			p.usable[e.Fingerprint] = i
		}
	}
	p.numbers = slices.Sorted(maps.Keys(numbers))
	p.rounds = rounds(ledger.Entries)
	return p
}

// setOrDelete adds a key to a set, or removes it.
func setOrDelete(which map[string]bool, id string, is bool) {
	if is {
		which[id] = true
	} else {
		delete(which, id)
	}
}

// noteForLastFailed records what --last-failed needs of a trial.
func (p *earlierTrials) noteForLastFailed(e *result.Entry, settled bool) {
	if e.Fingerprint != "" {
		p.lines[e.Fingerprint] = append(p.lines[e.Fingerprint], e.Offset())
	}
	p.settled[e] = settled
	if !e.Dropped {
		p.passed[e.ID] = settled
	}
}

// rounds is an upper bound of how often a variant was repeated: the journal shows only a lower bound of the variants of
// a group.
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

// cameToVerdict reports whether a trial with this id passed or failed, with any fingerprint.
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

// take returns a finished trial with the same fingerprint that also meets the present time limit; nil: none left.
// timeout is the limit of all trials, or 0.
func (p *earlierTrials) take(print string, t *runner.Trial, timeout time.Duration) *result.Entry {
	last, there := p.usable[print]
	if !there {
		return nil
	}
	for last >= 0 {
		e := p.entries[last]
		last = p.previousUsable[last]
		if inTime(e, t.Limit(), timeout) {
			p.usable[print] = last
			return e
		}
	}
	p.usable[print] = last
	return nil
}

// inTime reports whether a trial would have ended in the same way with the present time limit.
func inTime(e *result.Entry, limit, timeout time.Duration) bool {
	if e.Timeout == timeout { // other limits are part of the fingerprint
		return true
	}
	return !e.OutOfTime && (limit == 0 || e.DurationMS <= float64(limit)/float64(time.Millisecond))
}
