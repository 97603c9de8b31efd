package result

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
)

// Collector collects finished trials into a Run. It keeps a Brief for each trial, the counts of each assertion for each
// group of several trials, and the key of each judgement. It belongs to one goroutine.
type Collector struct {
	briefs *Briefs
	groups map[groupKey]*groupCount
	gated  bool // a group may end early
	judges JudgeSum
	evals  evalSum
	warned map[string]*warned
	noted  map[string]int // notices, with the number of their trials

	tools      toolUses
	coverage   coverSum
	asked      conditional
	datasets   datasetSums
	overBudget string  // why trials were not run because of the limit of costs
	mayCost    float64 // the highest estimate of their costs
}

// warned counts the trials with the same warning.
type warned struct {
	trials int
	id     string // of the last trial
}

type groupKey struct{ file, scenario, provider, region, row string }

// groupCount is the state of a group so far.
type groupCount struct {
	first    int // plan index of its first trial so far; orders the groups
	planned  int
	tally    tally     // of a group whose trials all count
	progress *Progress // of a group that may end early; nil: it may not
	recorded bool      // no more trials can be run
	there    int       // number of its trials, if known
	ran      int       // trials that ended, with any status
}

// countedCheck identifies a check of one variant, which is counted separately.
type countedCheck struct {
	turn, index int    // turn is that of the scenario, or for an eval that of the conversation; -1: none
	eval        string // id; "" for an assertion
	step        string // step of a composition whose output the eval judged
	variant     string // as text; "" where nothing was perturbed
}

// compare orders checks by turn, those of the conversation (-1) last. Variants are equal.
func (c countedCheck) compare(d countedCheck) int {
	return cmp.Or(cmp.Compare(uint(c.turn), uint(d.turn)), cmp.Compare(c.eval, d.eval), cmp.Compare(c.step, d.step),
		cmp.Compare(c.index, d.index))
}

// place identifies the check, without its variant.
func (a *AssertionStats) place() countedCheck {
	return countedCheck{turn: a.Turn, index: a.Index, eval: a.Eval, step: a.Step}
}

// place identifies the check, without its variant.
func (c *RowsCheck) place() countedCheck {
	return countedCheck{turn: c.Turn, index: c.Index, eval: c.Eval, step: c.Step}
}

// Add adds a settled trial and returns its brief.
func (c *Collector) Add(t *Trial) Brief {
	b := NewBrief(t)
	key := c.groupOf(b.Row, b.BriefShared)
	b.Pooled = b.Row != "" && key.row == ""
	if g := c.groups[key]; g != nil && !b.Gone {
		b.Gated = g.progress != nil
	}
	if c.briefs == nil {
		c.briefs = &Briefs{}
	}
	c.briefs.add(&b)
	c.judges.Add(t)
	c.evals.add(t)
	c.coverage.add(t)
	c.datasets.add(t)
	c.asked.add(t)
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
	for _, text := range t.Notices {
		if c.noted == nil {
			c.noted = map[string]int{}
		}
		c.noted[text]++
	}
	c.addToGroup(t)
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

func keyOf(row string, b *BriefShared) groupKey {
	return groupKey{b.File, b.Scenario, b.Provider, b.Region, row}
}

// Gate sets the groups that may end early. It must be called before trials are added.
func (c *Collector) Gate(groups []GatedGroup) {
	if len(groups) > 0 && c.groups == nil {
		c.groups = map[groupKey]*groupCount{}
	}
	for i := range groups {
		g := &groups[i]
		c.gated = true
		c.groups[g.key()] = &groupCount{
			first: g.First, planned: g.Max, progress: NewProgress(g.GateSpec), recorded: g.Recorded,
			there: g.Trials,
		}
	}
}

// groupOf is the key of the group of a trial.
func (c *Collector) groupOf(row string, b *BriefShared) groupKey {
	key := keyOf(row, b)
	if c.gated && row != "" { // all rows may be one group
		whole := key
		whole.row = ""
		if c.groups[whole] != nil {
			return whole
		}
	}
	return key
}

func (c *Collector) addToGroup(t *Trial) {
	if t.Gone { // it belongs to no group
		return
	}
	key := c.groupOf(t.RowID(), &BriefShared{
		File: t.Position.File, Scenario: t.Scenario, Provider: t.Provider, Region: t.Region,
	})
	g := c.groups[key]
	if g == nil && t.Trials < 2 {
		return
	}
	if g == nil {
		if c.groups == nil {
			c.groups = map[groupKey]*groupCount{}
		}
		g = &groupCount{first: t.Index, planned: t.Trials}
		c.groups[key] = g
	}
	g.first = min(g.first, t.Index)
	g.ran++
	if g.progress != nil {
		g.progress.Add(t)
		return
	}
	g.tally.count(Observe(t))
}

// variantKey is equal for trials of one variant, and only for them.
func variantKey(v map[string]string) string {
	if len(v) == 0 {
		return ""
	}
	key, _ := json.Marshal(v) // cannot fail: a map of texts; its keys are sorted
	return string(key)
}

// ToolWarnings warn of tools that failed in every call of every added trial.
func (c *Collector) ToolWarnings() []diag.Diagnostic { return c.tools.neverWorked() }

// Finish folds the added trials into run: briefs in plan order, groups, totals and the status. It is called once, after
// the last trial.
func (c *Collector) Finish(run *Run) {
	c.briefs.sort()
	run.Briefs, run.Groups, run.OverBudget, run.MayCostUSD = c.briefs, nil, c.overBudget, c.mayCost
	if run.Notices = c.asked.notices(); len(run.Notices) == 0 {
		run.Notices = c.noted
	} else {
		maps.Copy(run.Notices, c.noted)
	}
	for _, text := range c.warnings() {
		if !slices.Contains(run.Warnings, text) { // a run that was read from a file has it already
			run.Warnings = append(run.Warnings, text)
		}
	}
	byKey := c.finishGroups(run)
	c.place(run, byKey)
	run.isolate()
	if run.Basis != nil {
		run.Against = run.Basis.against(run.Tallies())
	}
	c.decide(run, byKey)
	if covered := c.coverage.total(); covered != nil {
		run.Coverage = covered
	}
	run.Summary, run.Evals, run.Datasets = summarize(run.Briefs), c.evals.stats(), c.foldDatasets(byKey)
	c.summarizeGroups(run, byKey)
	if run.Summary.Judges = c.judges.Total(); run.Summary.Judges != nil {
		run.Summary.JudgeUSD = run.Summary.Judges.CostUSD
	}
	run.Settle()
	c.groups = nil // frees memory for the reports
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

func summarize(briefs *Briefs) Summary {
	var s Summary
	for _, b := range briefs.All() {
		s.Count(b.Status)
		if b.Tolerated {
			s.Tolerated++
		}
		if b.Rejected {
			s.Replaced++
		}
		if b.Known {
			s.Known++
		}
		if b.Quarantined() && b.Status == Failed && !b.Tolerated {
			s.Quarantined++
		}
		if b.Before {
			s.Before++
		}
		if b.Flaky {
			s.Flaky++
		}
		s.Checks.sum(*b.Checks)
		s.Usage.Usage = s.Usage.Usage.Add(b.Usage.Usage)
		s.Usage.Calls += b.Usage.Calls
		s.Usage.ToolCalls += b.Usage.ToolCalls
		s.Guards = s.Guards.plus(b.Guards)
		s.Refused += b.Refused
		s.EvalsDispatched += b.Dispatched
		s.Evals = s.Evals.plus(b.Evals)
		s.SimulatedUSD += b.SimulatedUSD()
		s.Users = s.Users.plus(b.Users)
		s.Context = s.Context.plus(b.Context)
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
