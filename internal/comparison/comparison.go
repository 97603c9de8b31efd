// Package comparison compares two runs: what turned red or green, slower or dearer, what only one of them has, and
// which differences are evidence that the agent changed.
package comparison

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/result"
)

// Change is how the counts of a group changed from one run to the other, by chance or not.
type Change string

// The changes.
const (
	Same     Change = "same"     // green in both, or red in both by as many trials
	Red      Change = "red"      // passed, and does not any more
	Green    Change = "green"    // did not pass, and does now
	Weaker   Change = "weaker"   // a smaller part of its trials passes, and its status is the same
	Stronger Change = "stronger" // a larger part
)

// Verdict is the verdict on a group: whether the change is evidence, since chance alone changes many counts.
type Verdict = evidence.Verdict

// The verdicts.
const (
	Regressed  = evidence.Regressed
	Improved   = evidence.Improved
	NoEvidence = evidence.NoEvidence
	AsBefore   = evidence.Same // by mocks or recordings, which say the same whenever they are run
	// NotCompared is the verdict on a group that asks or checks something else than before, or in a run that does not
	// record it.
	NotCompared Verdict = "changed"
	// Quarantined is the verdict on a group that decides nothing, because its scenario is in quarantine now.
	Quarantined Verdict = "quarantined"
)

// Report is the comparison of two runs.
type Report struct {
	Before, After *result.Run
	Pairs         []Pair   // the groups that both have, in the order of After
	Gone, New     []*Group // groups that only one run has, in its order
	// Across says that the runs have one provider each, and not the same: groups were matched without it.
	Across bool
	// Judgement is the judgement on all pairs that can be compared. Its indexes are those of these pairs.
	Judgement *evidence.Judgement
}

// Pair is a group of trials in both runs.
type Pair struct {
	Was, Now *Group
	Change   Change
	Verdict  Verdict
	// Unchecked says that less is asked of the group than before, with any status: a check is missing, it is skipped
	// now, or its gate asks for less.
	Unchecked bool
	Less      string // what less a gate asks of it, in words; "": nothing
	Fewer     bool   // it has fewer trials, so that less shows
	Slower    bool   // its trials take longer by more than Margin, on average
	Faster    bool
	Dearer    bool // its trials cost more by more than Margin, on average
	Cheaper   bool
}

// Margin is the least relative difference of mean durations or costs that is reported. Durations must also differ by
// minMS.
const Margin = 0.2

const minMS = 50

// Group is the trials of a scenario with a provider in a region.
type Group struct {
	result.Tally

	Scenario, Provider, Region string
	Trials                     []int // indexes into Run.Briefs
	Passed                     int
	judged                     int      // trials that were not stopped
	DurationMS                 float64  // of a trial that ended by itself, on average
	CostUSD                    *float64 // of such a trial with its judges, on average; nil: the price of one is not known
	SimulatedUSD               float64  // the simulated part of the cost
	Tokens                     float64  // of such a trial, on average
}

// key identifies a group in both runs. The file may have moved.
type key struct{ project, scenario, provider, region, session string }

// Compare compares two runs. It reads a trial of each group: a check that is gone cannot fail.
func Compare(before, after *result.Run) (*Report, error) {
	r := &Report{Before: before, After: after}
	was, wasOrder := groups(before)
	now, nowOrder := groups(after)
	if one, other := provider(was), provider(now); one != "" && other != "" && one != other {
		r.Across = true
		was, wasOrder = regardless(was, wasOrder)
		now, nowOrder = regardless(now, nowOrder)
	}
	for _, k := range nowOrder {
		if was[k] == nil {
			r.New = append(r.New, now[k])
			continue
		}
		p, err := r.pair(was[k], now[k])
		if err != nil {
			return nil, err
		}
		r.Pairs = append(r.Pairs, p)
	}
	for _, k := range wasOrder {
		if now[k] == nil {
			r.Gone = append(r.Gone, was[k])
		}
	}
	r.judge()
	return r, nil
}

// Count counts the pairs for which a condition holds.
func (r *Report) Count(is func(*Pair) bool) (n int) {
	for i := range r.Pairs {
		if is(&r.Pairs[i]) {
			n++
		}
	}
	return n
}

// Changed returns the pairs with a change, in order.
func (r *Report) Changed(c Change) (all []*Pair) {
	for i := range r.Pairs {
		if r.Pairs[i].Change == c {
			all = append(all, &r.Pairs[i])
		}
	}
	return all
}

// provider is the only provider of the groups; "" when there are several, or none.
func provider(groups map[key]*Group) (id string) {
	for k := range groups {
		if id != "" && id != k.provider {
			return ""
		}
		id = k.provider
	}
	return id
}

// regardless leaves the provider out of the keys.
func regardless(groups map[key]*Group, order []key) (map[key]*Group, []key) {
	out := make(map[key]*Group, len(groups))
	for i, k := range order {
		g := groups[k]
		k.provider = ""
		order[i], out[k] = k, g
	}
	return out, order
}

// groups are the groups of a run, and their keys in order, without trials that are no longer in the plan.
func groups(run *result.Run) (map[key]*Group, []key) {
	all, order := map[key]*Group{}, []key(nil)
	tallies := map[string]*result.Tally{}
	for _, t := range run.Tallies() {
		tallies[t.Name] = t
	}
	for i, b := range run.Briefs.All() {
		if b.Gone {
			continue
		}
		k := key{scenario: b.Scenario, provider: b.Provider, region: b.Region, session: b.Part()}
		k.project, _, _ = strings.Cut(b.ID, b.Scenario+"/")
		g := all[k]
		if g == nil {
			g = &Group{Scenario: b.Scenario, Provider: b.Provider, Region: b.Region, Tally: *tallies[b.GroupName()]}
			all[k] = g
			order = append(order, k)
		}
		g.Trials = append(g.Trials, i)
	}
	for _, g := range all {
		g.measure(run)
	}
	return all, order
}

// measure sums up the trials. Tolerated failures leave the group green.
func (g *Group) measure(run *result.Run) {
	together := g.Status
	g.Status = result.Passed
	ended, priced, usd, simulated := 0.0, true, 0.0, 0.0
	for _, i := range g.Trials {
		b := run.Briefs.At(i)
		if b.Status != result.Cancelled {
			g.judged++
		}
		if b.Status == result.Passed {
			g.Passed++
		} else if !b.Tolerated {
			g.Status = worse(g.Status, b.Status)
		}
		if b.Status != result.Passed && b.Status != result.Failed {
			continue
		}
		ended++
		g.DurationMS += b.DurationMS
		g.Tokens += float64(b.Usage.Total())
		simulated += b.SimulatedUSD()
		for _, c := range b.Beside() {
			simulated += c.SimulatedUSD
		}
		if cost := b.FullCost(); cost == nil {
			priced = false
		} else {
			usd += *cost
		}
	}
	if g.Gate != nil {
		g.Status = together
	}
	if ended == 0 {
		return
	}
	g.DurationMS, g.Tokens = g.DurationMS/ended, g.Tokens/ended
	if priced {
		g.CostUSD, g.SimulatedUSD = new(usd/ended), simulated/ended
	}
}

// badness orders the statuses of trials, the best first.
var badness = []result.Status{result.Passed, result.Skipped, result.Cancelled, result.Failed, result.Errored}

func worse(a, b result.Status) result.Status {
	if slices.Index(badness, b) > slices.Index(badness, a) {
		return b
	}
	return a
}

func (r *Report) pair(was, now *Group) (Pair, error) {
	p := Pair{Was: was, Now: now, Change: change(was, now)}
	lost, err := r.checkRemoved(&p)
	if err != nil {
		return p, err
	}
	skipped := now.Status == result.Skipped && was.Status != result.Skipped
	p.Less = now.LessThan(&was.Tally)
	p.Unchecked = lost || skipped || p.Less != ""
	p.Fewer = !was.gated() && !now.gated() && now.planned() < was.planned() // a gate ends when it is sure
	if d := now.DurationMS - was.DurationMS; d > minMS {
		p.Slower = above(now.DurationMS, was.DurationMS)
	} else if d < -minMS {
		p.Faster = above(was.DurationMS, now.DurationMS)
	}
	if was.CostUSD != nil && now.CostUSD != nil {
		p.Dearer, p.Cheaper = above(*now.CostUSD, *was.CostUSD), above(*was.CostUSD, *now.CostUSD)
	}
	return p, nil
}

// Trials reads the trials that Representatives chooses.
func (r *Report) Trials(p *Pair) (was, now *result.Trial, err error) {
	i, j := r.Representatives(p)
	if was, err = r.Before.Trials.Trial(i); err == nil {
		now, err = r.After.Trials.Trial(j)
	}
	return was, now, err
}

// Representatives chooses the trials that best show the change of a pair, by index in Briefs. Of After it is the first
// trial that changed like its group, from or to a pass; or one that got worse or better like its group, or is new and
// has the status of the group; or one that did not pass; or the first one. Of Before it is the trial with the same
// number, or with the same row if all rows are one group; or the first one.
func (r *Report) Representatives(p *Pair) (was, now int) {
	best, there := -1, r.placesBefore(p)
	for _, j := range p.Now.Trials {
		b := r.After.Briefs.At(j)
		before, counterpart := result.Unset, p.Was.Trials[0]
		if i, known := there[b.Place()]; known {
			before, counterpart = r.Before.Briefs.At(i).Status, i
		}
		if shows := p.shows(before, b.Status); shows > best {
			best, was, now = shows, counterpart, j
		}
	}
	return was, now
}

// placesBefore are the trials that a group had before, by their places in it: the first of each.
func (r *Report) placesBefore(p *Pair) map[result.Place]int {
	all := make(map[result.Place]int, len(p.Was.Trials))
	for _, i := range slices.Backward(p.Was.Trials) {
		all[r.Before.Briefs.At(i).Place()] = i
	}
	return all
}

// shows says how well the change of a trial represents that of its group. Unset is the status of a missing trial.
func (p *Pair) shows(was, now result.Status) int {
	down := p.Change == Red || p.Change == Weaker
	up := p.Change == Green || p.Change == Stronger
	const passed = result.Passed
	steps := slices.Index(badness, now) - slices.Index(badness, was)
	switch added := was == result.Unset; {
	case down && was == passed && now != passed && now == p.Now.Status:
		return 5
	case down && was == passed && now != passed, up && !added && was != passed && now == passed:
		return 4
	case !added && (down && steps > 0 || up && steps < 0):
		return 3
	case added && (down && now != passed || up && now == passed):
		return 2
	case now != passed:
		return 1
	}
	return 0
}

// gated reports whether a gate concludes from the trials.
func (g *Group) gated() bool { return g.Gate != nil && g.Gate.Rule == result.RuleGate }

// planned is the highest number of trials of the group.
func (g *Group) planned() int {
	if g.Gate != nil && g.Gate.Early() {
		return g.Gate.Max
	}
	return len(g.Trials)
}

// checkRemoved reports whether a check is missing or was skipped: in the representative trial, or in one with fewer
// checks than the trial of the same number before.
func (r *Report) checkRemoved(p *Pair) (bool, error) {
	i, j := r.Representatives(p)
	if r.Before.Briefs.At(i).Row == r.After.Briefs.At(j).Row { // other rows may have other checks
		if lost, err := r.checkRemovedIn(i, j); lost || err != nil {
			return lost, err
		}
	}
	before := r.placesBefore(p)
	held := func(b *result.Brief) int { return b.Checks.Total - b.Checks.Skipped }
	for _, j := range p.Now.Trials {
		now := r.After.Briefs.At(j)
		if i, there := before[now.Place()]; there && held(now) < held(r.Before.Briefs.At(i)) {
			if lost, err := r.checkRemovedIn(i, j); lost || err != nil {
				return lost, err
			}
		}
	}
	return false, nil
}

// checkRemovedIn reports whether trial j lacks a check of the earlier trial i, or skipped it.
func (r *Report) checkRemovedIn(i, j int) (bool, error) {
	was, err := r.Before.Trials.Trial(i)
	if err != nil {
		return false, err
	}
	now, err := r.After.Trials.Trial(j)
	if err != nil {
		return false, err
	}
	gone := func(c result.Change) bool {
		return c.Now == nil || c.Was != nil && c.Now.Status == result.Skipped
	}
	return slices.ContainsFunc(result.Changes(was, now), gone), nil
}

// rate is the share of the trials that passed. What was stopped is no worse for it.
func (g *Group) rate() float64 { return float64(g.Passed) / float64(max(g.judged, 1)) }

// Fell reports whether the pass rate is lower than before, even if the group is red because of it.
func (p *Pair) Fell() bool {
	verdict := p.Now.Status == result.Failed || p.Now.Status == result.Undecided
	return p.Change == Weaker ||
		p.Change == Red && verdict && p.Was.judged > 0 && p.Now.judged > 0 && p.Now.rate() < p.Was.rate()
}

func above(a, b float64) bool { return a > b*(1+Margin) }

func change(was, now *Group) Change {
	before, after := was.rate(), now.rate()
	if was.judged == 0 || now.judged == 0 { // it was stopped: of its rate nothing is known
		before, after = 0, 0
	}
	red := now.Status == result.Failed || now.Status == result.Errored || now.Status == result.Undecided
	switch {
	case was.Status == result.Passed && now.Status != result.Passed, red && was.Status == result.Skipped:
		return Red
	case was.Status != result.Passed && now.Status == result.Passed:
		return Green
	case after < before:
		return Weaker
	case after > before:
		return Stronger
	}
	return Same
}
