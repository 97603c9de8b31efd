package result

import (
	"github.com/arena-evals/arena/internal/diag"

	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Collector collects finished trials into a Run. It keeps a Brief for each trial, the counts of each assertion for each
// group of several trials, and the key of each judgement. It belongs to one goroutine.
type Collector struct {
	briefs []Brief
	groups map[groupKey]*groupCount
	judges JudgeSum
	evals  evalSum
	warned map[string]*warned

	tools      toolUses
	coverage   coverSum
	datasets   datasetSums
	overBudget string  // why trials were not run that the limit of costs did not allow for
	mayCost    float64 // the most of what they may cost
}

// warned is the trials with the same warning.
type warned struct {
	trials int
	id     string // of the last trial
}

type groupKey struct{ file, scenario, provider, region, row string }

type groupCount struct {
	first      int // plan index of its first trial so far; orders the groups
	statuses   [len(statusNames)]int
	planned    int
	broken     int // trials that ended in an error of their own
	assertions map[countedCheck]*counted
}

// counted is the statistics of an assertion so far.
type counted struct {
	AssertionStats

	first int // plan index of its first trial; orders the variants
}

// countedCheck identifies what is counted separately: one check of one variant.
type countedCheck struct {
	turn, index int    // turn is that of the scenario, or for an eval that of the conversation; -1: none
	eval        string // id; "" for an assertion
	step        string // of a composition, whose output the eval judged
	variant     string // as text; "" where nothing was perturbed
}

// expected limits the room that is reserved in advance.
const expected = 1 << 14

// Expect reserves room for a number of trials. More or fewer may come.
func (c *Collector) Expect(trials int) {
	c.briefs = slices.Grow(c.briefs, min(max(trials, 0), expected))
}

// Add takes a settled trial and returns its brief.
func (c *Collector) Add(t *Trial) Brief {
	b := NewBrief(t)
	c.briefs = append(c.briefs, b)
	c.judges.Add(t)
	c.evals.add(t)
	c.coverage.add(t)
	c.datasets.add(t)
	if c.tools == nil {
		c.tools = toolUses{}
	}
	c.tools.add(t)
	if t.OverBudget {
		c.mayCost = max(c.mayCost, t.MayCostUSD)
		c.overBudget = t.Skip
	}
	for _, text := range t.Warnings {
		c.warn(text, t.ID)
	}
	if t.Trials > 1 && !t.Gone { // a trial that is gone is in no group
		c.group(t).add(t)
	}
	return b
}

func (c *Collector) warn(text, id string) {
	if c.warned == nil {
		c.warned = map[string]*warned{}
	}
	w := c.warned[text]
	if w == nil {
		w = &warned{}
		c.warned[text] = w
	}
	w.trials++
	w.id = id
}

// warnings returns the warnings of trials, each with its trials.
func (c *Collector) warnings() []string {
	var all []string
	for _, text := range slices.Sorted(maps.Keys(c.warned)) {
		w := c.warned[text]
		whose := w.id
		if w.trials > 1 {
			whose = fmt.Sprintf("%d trials", w.trials)
		}
		all = append(all, text+" ("+whose+")")
	}
	return all
}

func keyOf(b *Brief) groupKey { return groupKey{b.File, b.Scenario, b.Provider, b.Region, b.Row} }

func (c *Collector) group(t *Trial) *groupCount {
	key := groupKey{t.Position.File, t.Scenario, t.Provider, t.Region, t.RowID()}
	if c.groups == nil {
		c.groups = map[groupKey]*groupCount{}
	}
	g := c.groups[key]
	if g == nil {
		g = &groupCount{first: t.Index, planned: t.Trials, assertions: map[countedCheck]*counted{}}
		c.groups[key] = g
	}
	g.first = min(g.first, t.Index)
	return g
}

func (g *groupCount) add(t *Trial) {
	g.statuses[t.Status]++
	if t.Error != "" {
		g.broken++
	}
	variant := variantKey(t.Variant)
	t.decided(func(script, i int, v *Verdict) {
		g.count(t, countedCheck{turn: script, index: i, variant: variant}, v.Name(), v.PassThreshold, v.Status)
	})
	t.evalPlaces(variant, (*EvalResult).Gates, func(at countedCheck, e *EvalResult) {
		g.count(t, at, e.Type, nil, e.Status)
	})
}

// variantKey is equal for trials of one variant, and only for them.
func variantKey(v map[string]string) string {
	if len(v) == 0 {
		return ""
	}
	key, _ := json.Marshal(v) // cannot fail: a map of texts; its keys are sorted
	return string(key)
}

func (g *groupCount) count(t *Trial, at countedCheck, name string, threshold *float64, status Status) {
	s := g.assertions[at]
	if s == nil {
		s = &counted{first: t.Index, AssertionStats: AssertionStats{
			Turn: at.turn, Index: at.index, Eval: at.eval, Step: at.step, Variant: t.Variant, Type: name, PassThreshold: 1,
		}}
		if threshold != nil {
			s.PassThreshold = *threshold
		}
		g.assertions[at] = s
	}
	s.first = min(s.first, t.Index)
	switch status {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Skipped, Cancelled:
		s.Skipped++
	default:
		s.Errors++
	}
}

// ToolWarnings are about tools that failed in every call of every trial that was added.
func (c *Collector) ToolWarnings() []diag.Diagnostic { return c.tools.neverWorked() }

// Finish folds what was added into run: briefs in plan order, groups, totals and the status.
func (c *Collector) Finish(run *Run) {
	slices.SortFunc(c.briefs, func(a, b Brief) int { return cmp.Compare(a.Index, b.Index) })
	run.Briefs, run.Groups, run.OverBudget, run.MayCostUSD = c.briefs, nil, c.overBudget, c.mayCost
	for _, text := range c.warnings() {
		if !slices.Contains(run.Warnings, text) { // a run that was read has it already
			run.Warnings = append(run.Warnings, text)
		}
	}
	byKey := map[groupKey]Status{}
	for key, g := range c.groups {
		group := g.fold(key)
		byKey[key] = group.Status
		run.Groups = append(run.Groups, group)
	}
	slices.SortFunc(run.Groups, func(a, b Group) int {
		return cmp.Compare(c.groups[a.key].first, c.groups[b.key].first)
	})
	run.decisive = Counts{}
	for i := range run.Briefs {
		b := &run.Briefs[i]
		status := b.Status
		if b.Gone {
			if status != Passed && !b.Tolerated { // a trial that is gone cannot make the run pass
				run.decisive.Count(status)
			}
			continue
		}
		if s, grouped := byKey[keyOf(b)]; grouped {
			b.Tolerated = s == Passed && status == Failed
			status = s
		}
		run.decisive.Count(status)
	}
	if missing := run.Planned - len(run.Briefs); missing > 0 {
		run.decisive.Trials += missing
		run.decisive.Cancelled += missing
	}
	if covered := c.coverage.total(); covered != nil {
		run.Coverage = covered
	}
	run.Summary, run.Evals, run.Datasets = summarize(run.Briefs), c.evals.stats(), c.foldDatasets(byKey)
	if run.Summary.Judges = c.judges.Total(); run.Summary.Judges != nil {
		run.Summary.JudgeUSD = run.Summary.Judges.CostUSD
	}
	run.Settle()
}

// fold decides a group. Every assertion must hold in its required share of the trials of each variant, and no trial may
// have an error of its own.
func (g *groupCount) fold(key groupKey) Group {
	out := Group{
		key: key, Scenario: key.scenario, Provider: key.provider, Region: key.region, Row: key.row,
		Assertions: []AssertionStats{},
	}
	for _, n := range g.statuses {
		out.Trials += n
	}
	if g.statuses[Cancelled] > 0 { // trials that never started may not have been added
		out.Trials = max(out.Trials, g.planned)
	}
	out.Passed = g.statuses[Passed]
	out.PassRate, out.Flakiness = rate(out.Passed, out.Trials)
	inOrder := slices.SortedFunc(maps.Values(g.assertions), func(a, b *counted) int {
		// turn -1, the conversation, comes last
		return cmp.Or(cmp.Compare(uint(a.Turn), uint(b.Turn)), cmp.Compare(a.Eval, b.Eval), cmp.Compare(a.Step, b.Step),
			cmp.Compare(a.Index, b.Index),
			cmp.Compare(a.first, b.first))
	})
	for _, s := range inOrder {
		s.PassRate, s.Flakiness = rate(s.Passed, s.Passed+s.Failed)
		s.Status = s.fold()
		out.Assertions = append(out.Assertions, s.AssertionStats)
		out.Status = worse(out.Status, s.Status)
	}
	switch {
	case g.broken > 0:
		out.Status = worse(out.Status, Errored)
	case g.statuses[Cancelled] > 0:
		out.Status = worse(out.Status, Cancelled)
	case g.statuses[Skipped] == out.Trials:
		out.Status = worse(out.Status, Skipped)
	case out.Status == Unset && g.statuses[Failed] > 0: // failed without a failed assertion
		out.Status = Failed
	case out.Status == Unset || out.Status == Skipped: // no assertions, or all of them skipped
		out.Status = Passed
	}
	return out
}

func (s *AssertionStats) fold() Status {
	switch {
	case s.Errors > 0:
		return Errored
	case s.Passed+s.Failed == 0:
		return Skipped
	case s.PassRate >= s.PassThreshold:
		return Passed
	}
	return Failed
}

// rate returns passed/total and the flakiness 1 - |2·rate - 1|: 0 when all trials agree, 1 when they split evenly.
func rate(passed, total int) (rate, flakiness float64) {
	if total == 0 {
		return 0, 0
	}
	rate = float64(passed) / float64(total)
	d := 2*rate - 1
	return rate, 1 - max(d, -d)
}

func summarize(briefs []Brief) Summary {
	var s Summary
	for i := range briefs {
		b := &briefs[i]
		s.Count(b.Status)
		if b.Tolerated {
			s.Tolerated++
		}
		if b.Before {
			s.Before++
		}
		if b.Flaky {
			s.Flaky++
		}
		s.Checks.sum(b.Checks)
		s.Usage.Usage = s.Usage.Usage.Add(b.Usage.Usage)
		s.Usage.Calls += b.Usage.Calls
		s.Usage.ToolCalls += b.Usage.ToolCalls
		s.Guards = s.Guards.plus(b.Guards)
		s.Refused += b.Refused
		s.EvalsDispatched += b.Dispatched
		s.Evals = s.Evals.plus(b.Evals)
		s.SimulatedUSD += b.SimulatedUSD()
		switch {
		case b.CostUSD != nil && s.CostUSD == nil:
			sum := *b.CostUSD
			s.CostUSD = &sum
		case b.CostUSD != nil:
			*s.CostUSD += *b.CostUSD
		case b.Usage.Calls > 0:
			s.Unpriced++
		}
	}
	return s
}
