package junit

import (
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// place is where a testcase finer than a scenario stands within its group.
type place struct {
	turn  int    // -1: the conversation
	check int    // -1: the whole turn; of an eval the number of the result
	eval  string // id; "" is none
}

// whole is the place of what belongs to no turn: an error of the trial itself, a trial that was skipped.
var whole = place{turn: -2, check: -1}

// sight is one trial's outcome at a place.
type sight struct {
	place
	name     string
	file     string // of the check; "" is the scenario's
	line     int32
	status   result.Status
	ms       float64
	reason   string         // in one line, where no problem says it
	problems []show.Problem // what did not pass
	said     *result.Turn   // the conversation to show with them; may be nil
	// verdict is the check of a testcase of its own; nil for one of several.
	verdict *result.Verdict
}

// sights takes a trial apart.
func sights(t *result.Trial, by Granularity) []sight {
	var all []sight
	said := false // where the trial broke
	for i := range t.Turns {
		turn := &t.Turns[i]
		if by == ByCheck {
			all = append(all, checks(turn.Index, turn, turn.Assertions)...)
			continue
		}
		s := block(turn.Index, turn, turn.Assertions)
		s.ms = turn.LatencyMS
		switch {
		case turn.Error != "":
			s.status, s.reason = worse(s.status, result.Errored), show.Line(turn.Error)
			said = true
		case turn.NotRun != "":
			s.status, s.reason = worse(s.status, result.Cancelled), "not run: "+show.Line(turn.NotRun)
		}
		all = append(all, s)
	}
	switch {
	case by == ByCheck:
		all = append(all, checks(-1, lastRun(t), t.Conversation)...)
	case len(t.Conversation) > 0:
		all = append(all, block(-1, lastRun(t), t.Conversation))
	}
	all = append(all, evals(t)...)
	if t.Error != "" && !said {
		all = append(all, sight{place: whole, name: "run", status: t.Status, reason: show.TrialError(t), said: lastRun(t)})
	} else if len(all) == 0 {
		all = append(all, sight{place: whole, name: "run", status: t.Status, reason: show.Reason(t)})
	}
	return all
}

// block is the outcome of all checks of a turn, or of the conversation, together.
func block(turn int, said *result.Turn, verdicts []result.Verdict) sight {
	s := sight{place: place{turn: turn, check: -1}, name: show.Place(turn), status: result.Passed, said: said}
	skipped := 0
	for _, c := range checks(turn, said, verdicts) {
		s.problems = append(s.problems, c.problems...)
		if c.status == result.Skipped {
			skipped++
			s.reason = c.reason
		}
		s.status = worse(s.status, c.status)
	}
	if turn < 0 && skipped == len(verdicts) {
		s.status = result.Skipped
	}
	return s
}

// checks are the outcomes of the checks of a turn, or of the conversation.
func checks(turn int, said *result.Turn, verdicts []result.Verdict) []sight {
	all := make([]sight, len(verdicts))
	for i := range verdicts {
		all[i] = check(place{turn: turn, check: i}, said, &verdicts[i])
	}
	return all
}

// evals are the outcomes of the evals that have a threshold.
func evals(t *result.Trial) []sight {
	var all []sight
	results := map[place]int{}
	for i := range t.Evals {
		e := &t.Evals[i]
		if !e.Gates() {
			continue
		}
		at := place{turn: e.Turn, eval: e.ID}
		results[at]++
		at.check = results[at] - 1
		all = append(all, check(at, lastRun(t), show.EvalVerdict(e)))
	}
	return all
}

func check(at place, said *result.Turn, v *result.Verdict) sight {
	s := sight{
		place: at, name: show.Place(at.turn) + ": " + show.Line(v.Name()), status: v.Status, ms: v.DurationMS,
		said: said, verdict: v,
	}
	if v.Position.Line > 0 {
		s.file, s.line = show.Line(v.Position.File), v.Position.Line
	}
	switch v.Status {
	case result.Passed:
	case result.Skipped:
		s.reason = show.Line(v.SkipReason)
	default:
		s.problems = []show.Problem{{Turn: at.turn, Index: at.check, Verdict: v}}
	}
	return s
}

// worse keeps the status that says more. Statuses are ordered by how bad they are, but a pass says more than a skip,
// and what nobody set is an error.
func worse(a, b result.Status) result.Status {
	weight := func(s result.Status) int {
		switch s {
		case result.Unset:
			return int(result.Errored)
		case result.Skipped:
			return 0
		default:
			return int(s)
		}
	}
	if weight(b) > weight(a) {
		return b
	}
	return a
}

func lastRun(t *result.Trial) *result.Turn {
	for i := len(t.Turns) - 1; i >= 0; i-- {
		if t.Turns[i].NotRun == "" {
			return &t.Turns[i]
		}
	}
	return nil
}
