package runner

import (
	"fmt"
	"strconv"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// recordedGates are the groups of a finished run whose trials could end early. They are judged again by the rule of
// that run, since no further trials can be run.
type recordedGates struct {
	was   map[gateKey]*result.GatedGroup
	known map[gateKey]int // index in list
	list  []result.GatedGroup
	m     *matrix
}

type gateKey struct{ file, scenario, provider, region, row string }

func newRecordedGates(groups []result.GatedGroup, m *matrix) *recordedGates {
	r := &recordedGates{was: map[gateKey]*result.GatedGroup{}, known: map[gateKey]int{}, m: m}
	for i := range groups {
		g := &groups[i]
		r.was[gateKey{g.File, g.Scenario, g.Provider, g.Region, g.Row}] = g
	}
	return r
}

// add counts a trial that is planned to be judged again.
func (r *recordedGates) add(t *Trial) {
	b := t.Finished.Brief
	if b.Gone {
		return
	}
	key := gateKey{b.File, b.Scenario, b.Provider, b.Region, b.Row}
	if r.was[key] == nil {
		key.row = "" // all rows may be one group
	}
	was := r.was[key]
	r.compareRule(t, was)
	if was == nil {
		return
	}
	at, known := r.known[key]
	if !known {
		at = len(r.list)
		r.known[key] = at
		g := *was
		g.File, g.First, g.Recorded = t.Scenario.Pos.File, t.Index, true
		g.AllowUndecided = r.allowed(t)
		r.list = append(r.list, g)
	}
	r.list[at].Trials++
}

// allowed reports whether the group may be undecided now: the flag of the earlier run does not count.
func (r *recordedGates) allowed(t *Trial) bool {
	trials := t.Scenario.Trials
	if trials == nil && t.Project != nil && t.Project.Project != nil {
		trials = t.Project.Defaults.Trials
	}
	return r.m.opts.Rule.AllowUndecided || trials != nil && trials.Rule != nil && trials.Rule.AllowUndecided != nil &&
		*trials.Rule.AllowUndecided
}

// compareRule warns if the files ask for another rate than the rejudged run did: its trials ran, and ended, by the
// older rule.
func (r *recordedGates) compareRule(t *Trial, was *result.GatedGroup) {
	if t.Finished.problem != "" || t.Scenario.Recorded != nil {
		return
	}
	now, ok := r.m.quietRule(t.Project.Project, t.Scenario, countVariants(t.Scenario))
	if !ok {
		return
	}
	concludes := func(s *result.GateSpec) bool { return s != nil && s.Rule == result.RuleGate }
	var then *result.GateSpec
	if was != nil {
		then = &was.GateSpec
	}
	if !concludes(now.gate) && !concludes(then) || concludes(now.gate) && concludes(then) && now.gate.Asks(then) {
		return
	}
	text := fmt.Sprintf("scenario %q: the files ask for %s now, and the trials are judged by what the run asked for: %s",
		t.Scenario.ID, ruleWords(now.gate), ruleWords(then))
	if r.m.first(text) {
		r.m.diags.Warnf(t.Scenario.Pos, 1, "other-rule", "%s", text).Hint =
			"run it again to have trials that end by today's rule"
	}
}

// ruleWords says what a rule asks for.
func ruleWords(s *result.GateSpec) string {
	if s == nil || s.Rule != result.RuleGate {
		return "each check to hold in its share of the trials"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	text := "pass_rate " + number(s.PassRate)
	if s.Tolerance > 0 {
		text += ", tolerance " + number(s.Tolerance)
	}
	if s.Confidence != result.DefaultConfidence {
		text += ", confidence " + number(s.Confidence)
	}
	text += " of at most " + plural.Of(s.Max, "trial", "trials")
	if s.Min > 1 {
		text += fmt.Sprintf(", and %d at least", s.Min)
	}
	if s.Stop == result.StopNever {
		text += ", all of which run"
	}
	return text
}
