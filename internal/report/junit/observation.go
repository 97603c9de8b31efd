package junit

import (
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// location identifies a testcase within its group, if testcases are turns or checks.
type location struct {
	turn  int    // -1: the conversation
	check int    // -1: the whole turn; for an eval, the number of its result
	eval  string // id; "": no eval
}

// wholeTrial is the location of what belongs to no turn: an error of the trial itself, or a trial that was skipped.
var wholeTrial = location{turn: -2, check: -1}

// observation is the outcome of one trial at one location.
type observation struct {
	location
	name     string
	file     string // file of the check; "": that of the scenario
	line     int32
	status   result.Status
	ms       float64
	reason   string         // in one line, if there are no problems
	problems []show.Problem // checks that did not pass
	exchange *result.Turn   // the turn to show with the problems; may be nil
	// verdict is the verdict of the check, if each check is a testcase; otherwise nil.
	verdict *result.Verdict
}

// observations lists the outcomes of a trial, one for each turn or check.
func observations(t *result.Trial, by Granularity) []observation {
	var all []observation
	reported := false // a turn shows the error of the trial
	for i := range t.Turns {
		turn := &t.Turns[i]
		if by == ByCheck {
			all = append(all, checks(turn.Index, turn, turn.Assertions)...)
			continue
		}
		s := summarize(turn.Index, turn, turn.Assertions)
		s.ms = turn.LatencyMS
		switch {
		case turn.Error != "":
			s.status, s.reason = moreSevere(s.status, result.Errored), show.Line(turn.Error)
			reported = true
		case turn.NotRun != "":
			s.status, s.reason = moreSevere(s.status, result.Cancelled), "not run: "+show.Line(turn.NotRun)
		}
		all = append(all, s)
	}
	switch {
	case by == ByCheck:
		all = append(all, checks(-1, lastTurnRun(t), t.Conversation)...)
	case len(t.Conversation) > 0:
		all = append(all, summarize(-1, lastTurnRun(t), t.Conversation))
	}
	all = append(all, evals(t)...)
	if t.Error != "" && !reported {
		all = append(all, observation{
			location: wholeTrial, name: "run", status: t.Status, reason: show.TrialError(t), exchange: lastTurnRun(t),
		})
	} else if len(all) == 0 {
		all = append(all, observation{location: wholeTrial, name: "run", status: t.Status, reason: show.Reason(t)})
	}
	return all
}

// summarize returns the outcome of all checks of a turn, or of the conversation, together.
func summarize(turn int, exchange *result.Turn, verdicts []result.Verdict) observation {
	s := observation{
		location: location{turn: turn, check: -1}, name: show.TurnLabel(turn), status: result.Passed, exchange: exchange,
	}
	skipped := 0
	for _, c := range checks(turn, exchange, verdicts) {
		s.problems = append(s.problems, c.problems...)
		if c.status == result.Skipped {
			skipped++
			s.reason = c.reason
		}
		s.status = moreSevere(s.status, c.status)
	}
	if turn < 0 && skipped == len(verdicts) {
		s.status = result.Skipped
	}
	return s
}

// checks are the outcomes of the checks of a turn, or of the conversation.
func checks(turn int, exchange *result.Turn, verdicts []result.Verdict) []observation {
	all := make([]observation, len(verdicts))
	for i := range verdicts {
		all[i] = check(location{turn: turn, check: i}, exchange, &verdicts[i])
	}
	return all
}

// evals are the outcomes of the evals that have a threshold.
func evals(t *result.Trial) []observation {
	var all []observation
	results := map[location]int{}
	for i := range t.Evals {
		e := &t.Evals[i]
		if !e.Gates() {
			continue
		}
		at := location{turn: e.Turn, eval: e.ID}
		results[at]++
		at.check = results[at] - 1
		all = append(all, check(at, lastTurnRun(t), show.EvalVerdict(e)))
	}
	return all
}

func check(loc location, exchange *result.Turn, v *result.Verdict) observation {
	s := observation{
		location: loc, name: show.TurnLabel(loc.turn) + ": " + show.Line(v.Name()), status: v.Status, ms: v.DurationMS,
		exchange: exchange, verdict: v,
	}
	if v.Position.Line > 0 {
		s.file, s.line = show.Line(v.Position.File), v.Position.Line
	}
	switch v.Status {
	case result.Passed:
	case result.Skipped:
		s.reason = show.Line(v.SkipReason)
	default:
		s.problems = []show.Problem{{Turn: loc.turn, Index: loc.check, Verdict: v}}
	}
	return s
}

// counted is the turn of the observation in the statistics of the group.
func (s *observation) counted() int {
	if s.eval == "" && s.turn >= 0 && s.exchange != nil {
		return s.exchange.Script()
	}
	return s.turn
}

// moreSevere returns the more severe of two statuses: failed, then error, cancelled, passed and skipped. An unset
// status counts as an error.
func moreSevere(a, b result.Status) result.Status {
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

func lastTurnRun(t *result.Trial) *result.Turn {
	for i := len(t.Turns) - 1; i >= 0; i-- {
		if t.Turns[i].NotRun == "" {
			return &t.Turns[i]
		}
	}
	return nil
}
