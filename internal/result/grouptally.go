package result

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/gate"
)

// Tally is the result of a group, for comparisons of two runs.
type Tally struct {
	Name       string // project:scenario/provider/region[row], as in the ids of trials
	Asked      string // see Trial; "": not known, or different between trials
	Repeatable bool   // no trial depends on chance
	Status     Status // of the group
	// Quarantined says that the scenario is in quarantine: its result does not count.
	Quarantined bool
	Counts      gate.Counts
	// Failing names the checks that made the group fail.
	Failing []string
	Gate    *Gate // nil: a single trial, or not known

	fallen    []string // names of checks that failed in any of several trials
	threshold float64  // highest pass_threshold of its assertions
	seen      bool
}

// Add counts a trial. It ignores trials that never started, were skipped or replaced, or came after the verdict. A
// trial that failed before and passes now without a change counts as failed: to repeat until it is green is no
// evidence.
func (t *Tally) Add(b *Brief) {
	if !t.seen {
		t.seen, t.Asked, t.Repeatable, t.Quarantined = true, b.Asked, true, b.Quarantined()
	}
	t.Asked = commonAsked(t.Asked, b.Asked)
	t.Repeatable = t.Repeatable && b.Repeatable
	if b.Uncounted {
		return
	}
	switch b.Status {
	case Passed:
		if b.Flaky {
			t.Counts.Failed++
		} else {
			t.Counts.Passed++
		}
	case Failed:
		t.Counts.Failed++
	case Skipped:
	case Cancelled:
		if b.Turns > 0 {
			t.Counts.Broken++
		}
	case Errored, Undecided, Unset:
		t.Counts.Broken++
	}
}

// Sample is the tally for the statistical tests.
func (t *Tally) Sample() evidence.Sample {
	return sampled(t.rule(), t.Counts)
}

// rule is the rule that ended the trials; nil: their number was fixed, or something else ended them.
func (t *Tally) rule() *baseline.Rule {
	g := t.Gate
	switch {
	case g == nil || g.Rule == RuleCount && (g.never() || g.staged()),
		!slices.Contains([]GateReason{ReasonLine, ReasonCertain, ReasonMax}, g.Reason):
		return nil
	case g.Rule == RuleGate: // also with a single look: what was asked is kept
		r := g.rule()
		return &baseline.Rule{
			PassRate: r.PassRate, Tolerance: r.Tolerance, Confidence: r.Confidence, Max: r.Max, Min: r.Min, Block: r.Block,
			AllowUndecided: g.AllowUndecided,
		}
	}
	return &baseline.Rule{Max: g.Max, Threshold: t.threshold}
}

// Baseline is the tally for a baseline.
func (t *Tally) Baseline() baseline.Group {
	bar := gate.FixedBar(t.Counts, DefaultConfidence)
	if t.Gate != nil {
		bar.Low, bar.High = t.Gate.Low, t.Gate.High
	}
	return baseline.Group{
		Name: t.Name, Status: t.Status.String(), Passed: t.Counts.Passed, Failed: t.Counts.Failed,
		Broken: t.Counts.Broken, Low: bar.Low, High: bar.High,
		Failing: t.Failing, Rule: t.rule(), Repeatable: t.Repeatable, Asked: t.Asked,
	}
}

// GroupName names the group of the trial: project:scenario/provider/region[row].
func (b *Brief) GroupName() string {
	project, _, _ := strings.Cut(b.ID, b.Scenario+"/")
	name := project + b.Scenario + "/" + b.Provider + "/" + b.Region
	if part := b.Part(); part != "" {
		name += "[" + part + "]"
	}
	return name
}

// Part is the session or the row of the group; "": the whole scenario.
func (b *Brief) Part() string {
	if b.Pooled {
		return ""
	}
	return b.Session
}

// Place identifies a trial within its group, in the same way in every run.
type Place struct {
	Trial int
	Row   string // if all rows are one group, instead of the number
}

// Place is the place of the trial in its group.
func (b *Brief) Place() Place {
	if b.Pooled {
		return Place{Row: b.Row}
	}
	return Place{Trial: b.Trial}
}

// Tallies are the tallies of a run, in its order, without trials that are no longer in the plan.
func (r *Run) Tallies() []*Tally {
	var all []*Tally
	byName := map[string]*Tally{}
	for _, b := range r.Briefs.All() {
		if b.Gone {
			continue
		}
		name := b.GroupName()
		t := byName[name]
		if t == nil {
			t = &Tally{Name: name}
			byName[name], all = t, append(all, t)
		}
		t.Add(&b)
		if b.Group >= 0 && int(b.Group) < len(r.Groups) {
			t.take(&r.Groups[b.Group])
			continue
		}
		t.Status = worse(t.Status, b.Status)
		t.Failing = append(t.Failing, b.Failing...)
	}
	for _, t := range all {
		t.Repeatable = t.Repeatable || r.Replayed
		slices.Sort(t.Failing)
		t.Failing = slices.Compact(t.Failing)
	}
	return all
}

// take stores the result of the group.
func (t *Tally) take(g *Group) {
	if t.Gate != nil {
		return
	}
	t.Status, t.Gate = g.Status, g.Gate
	t.Failing = g.named(func(a *AssertionStats) bool { return a.Status == Failed })
	t.fallen = g.named(func(a *AssertionStats) bool { return a.Failed > 0 })
	for i := range g.Assertions {
		t.threshold = max(t.threshold, g.Assertions[i].PassThreshold)
	}
}

// named names the assertions for which a condition holds.
func (g *Group) named(is func(*AssertionStats) bool) (names []string) {
	for i := range g.Assertions {
		if a := &g.Assertions[i]; is(a) {
			at := a.place()
			at.variant = variantKey(a.Variant)
			names = append(names, at.name(a.Type))
		}
	}
	return names
}

// failing names the failed checks of a trial.
func (t *Trial) failing() (names []string) {
	if t.Status != Failed {
		return nil
	}
	variant := variantKey(t.Variant)
	t.decided(func(script, i int, v *Verdict) {
		if v.Status == Failed {
			names = append(names, countedCheck{turn: script, index: i, variant: variant}.name(v.Name()))
		}
	})
	t.evalPlaces(variant, (*EvalResult).Gates, func(at countedCheck, e *EvalResult) {
		if e.Status == Failed {
			names = append(names, at.name(e.Type))
		}
	})
	return names
}

// name names a check by its place, equally in each run: "turn 1, check 2: contains".
func (c countedCheck) name(kind string) string {
	where := "conversation"
	if c.turn >= 0 {
		where = fmt.Sprintf("turn %d", c.turn+1)
	}
	what := fmt.Sprintf("check %d", c.index+1)
	if c.eval != "" {
		what = "eval " + c.eval
		if c.index > 0 {
			what += fmt.Sprintf(" (%d)", c.index+1)
		}
	}
	if c.step != "" {
		what += " of step " + c.step
	}
	name := where + ", " + what + ": " + kind
	if c.variant != "" {
		name += " with " + c.variant
	}
	return name
}
