package runner

import "github.com/arena-evals/arena/internal/result"

// recordedGates are the groups of a finished run whose trials could end early, as they are judged again: by the rule
// that they had, since no more trials of them can be had, and more than there are may be needed.
type recordedGates struct {
	was   map[gateKey]*result.GatedGroup
	known map[gateKey]int // index in list
	list  []result.GatedGroup
	rule  *TrialOptions
}

type gateKey struct{ file, scenario, provider, region, row string }

func newRecordedGates(groups []result.GatedGroup, rule *TrialOptions) *recordedGates {
	r := &recordedGates{was: map[gateKey]*result.GatedGroup{}, known: map[gateKey]int{}, rule: rule}
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

// allowed reports whether the group may be undecided now: a flag of the run before allows nothing.
func (r *recordedGates) allowed(t *Trial) bool {
	trials := t.Scenario.Trials
	if trials == nil && t.Project != nil && t.Project.Project != nil {
		trials = t.Project.Defaults.Trials
	}
	return r.rule.AllowUndecided || trials != nil && trials.Rule != nil && trials.Rule.AllowUndecided != nil &&
		*trials.Rule.AllowUndecided
}
