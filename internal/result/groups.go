package result

import (
	"cmp"
	"math"

	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/sortby"
)

// finishGroups folds the groups into run, and returns their statuses.
func (c *Collector) finishGroups(run *Run) map[groupKey]Status {
	statuses := map[groupKey]Status{}
	for key, g := range c.groups {
		group := g.fold(key)
		statuses[key] = group.Status
		run.Groups = append(run.Groups, group)
	}
	sortby.Func(run.Groups, func(a, b Group) int {
		return cmp.Compare(c.groups[a.key].first, c.groups[b.key].first)
	})
	return statuses
}

// place sets the group of each trial, and whether it counts there.
func (c *Collector) place(run *Run, statuses map[groupKey]Status) {
	places := make(map[groupKey]int32, len(run.Groups))
	for i := range run.Groups {
		places[run.Groups[i].key] = int32(i)
	}
	for i, b := range run.Briefs.All() {
		if b.Gone {
			continue
		}
		key := c.groupOf(b.Row, b.BriefShared)
		s, grouped := statuses[key]
		if !grouped {
			continue
		}
		b.Group, b.Tolerated = places[key], s == Passed && b.Status == Failed
		b.Outvoted = b.Status != Passed && (s == Passed || run.Groups[b.Group].Gate.Allowed())
		if g := c.groups[key]; g.progress != nil {
			b.Uncounted, b.Rejected = !g.progress.counted(b.Trial), b.Rejected && g.progress.rejects[b.Trial]
		}
		run.Briefs.judge(i, &b)
	}
}

// decide counts the trials of the run by the status of their group, without excused ones.
func (c *Collector) decide(run *Run, statuses map[groupKey]Status) {
	run.decisive, run.undecided, run.allowed, run.missing, run.cut = Counts{}, 0, 0, 0, 0
	run.folded = true
	excused := c.excuse(run)
	run.excused = len(excused)
	alone := 0 // trials without a group that may end early
	for _, b := range run.Briefs.All() {
		status := b.Status
		if b.Gone {
			alone++
			if status != Passed && !b.Tolerated { // a trial that is gone cannot make the run pass
				run.decisive.Count(status)
			}
			continue
		}
		key := c.groupOf(b.Row, b.BriefShared)
		s, grouped := statuses[key]
		if g := c.groups[key]; grouped && g.progress != nil {
			continue // the group counts as one
		} else if grouped {
			status = s
		}
		if alone++; !excused[key] || status == Cancelled { // a stopped trial is unknown in any case
			run.decisive.Count(status)
		}
	}
	planned := run.Planned
	for i := range run.Groups {
		group := &run.Groups[i]
		g := c.groups[group.key]
		if g.progress == nil {
			continue
		}
		if g.recorded && g.there > 0 { // no further trials can be run
			planned -= g.there
			run.missing += max(g.there-g.ran, 0)
		} else if planned -= group.Gate.Max; group.Gate.Reason != ReasonSkipped && !g.progress.Over() {
			run.missing += max(group.Gate.Max-(g.ran-group.Gate.Replaced), 0)
		}
		switch {
		case group.Gate.cutShort():
			run.cut++
			run.decisive.Count(Cancelled)
		case excused[group.key] && group.Status != Cancelled:
		case group.Status != Undecided:
			run.decisive.Count(group.Status)
		case group.Gate.Allowed():
			run.allowed++
		default:
			run.undecided++
		}
	}
	if missing := planned - alone; missing > 0 {
		run.decisive.Trials += missing
		run.decisive.Cancelled += missing
		run.missing += missing
	}
}

// excuse marks trials that did not pass and yet do not make the run red, and returns their groups.
func (c *Collector) excuse(run *Run) map[groupKey]bool {
	known, excused := run.Against.known(), map[groupKey]bool{}
	for i, b := range run.Briefs.All() {
		switch {
		case b.Gone:
		case b.Quarantined():
			excused[c.groupOf(b.Row, b.BriefShared)] = true
			b.Excuse = b.Quarantine.String()
			if b.Group >= 0 {
				run.Groups[b.Group].Quarantined = true
			}
			run.Briefs.judge(i, &b)
		case known[b.GroupName()] != nil:
			excused[c.groupOf(b.Row, b.BriefShared)] = true
			b.Known = b.Status == Failed
			if known[b.GroupName()].Unmended {
				b.Excuse = "not known to be mended, red in " + run.Against.File
			} else if b.Known {
				b.Excuse = "known failure, as in " + run.Against.File
			}
			run.Briefs.judge(i, &b)
		}
	}
	return excused
}

// fold computes the result of a group.
func (g *groupCount) fold(key groupKey) Group {
	out := Group{
		key: key, File: key.file, Scenario: key.scenario, Provider: key.provider, Region: key.region, Row: key.row,
	}
	t := &g.tally
	if g.progress != nil {
		t = &g.progress.tally
		out.Gate = g.progress.result(g.recorded)
		out.Trials, out.Status = out.Gate.Counted, out.Gate.Verdict
	} else {
		for _, n := range t.statuses {
			out.Trials += n
		}
		if t.statuses[Cancelled] > 0 { // trials that never started may not have been added
			out.Trials = max(out.Trials, g.planned)
		}
		out.Status = t.status(out.Trials)
		out.Gate = t.plain(g.planned, out.Status)
	}
	out.Passed = t.statuses[Passed]
	out.PassRate, out.Flakiness = rate(out.Passed, out.Trials)
	out.Assertions = t.inOrder()
	for i := range out.Assertions {
		s := &out.Assertions[i]
		s.PassRate, s.Flakiness = rate(s.Passed, s.Passed+s.Failed)
		if out.Gate.Rule == RuleGate && s.Status == Failed && out.Status != Failed { // the gate decides, not a single trial
			s.Status = out.Status
		}
		s.bar(out.Gate)
	}
	return out
}

// plain is the gate of a count whose trials all run.
func (c *tally) plain(planned int, status Status) *Gate {
	ran := c.statuses[Passed] + c.statuses[Failed] + c.statuses[Errored]
	p := &Progress{
		spec: GateSpec{
			Rule: RuleCount, Confidence: DefaultConfidence, Max: max(planned, ran), Min: 1, Block: max(c.variants.len(), 1),
			Stop: StopNever,
		},
		counts: gate.Counts{Passed: c.statuses[Passed], Failed: c.statuses[Failed], Broken: c.statuses[Errored]},
		tally:  *c, added: ran, verdict: status, reason: ReasonMax,
	}
	switch {
	case status == Skipped && ran == 0:
		p.reason = ReasonSkipped
	case ran < p.spec.Max:
		p.reason = ReasonStopped
	}
	g := p.result(false)
	g.Saved = 0
	return g
}

// bar is the error bar of the pass rate of an assertion. Each assertion of a group has its own.
func (s *AssertionStats) bar(of *Gate) {
	c := gate.Counts{Passed: s.Passed, Failed: s.Failed, Broken: s.Errors}
	b := gate.Repeated(c, of.Max, of.Confidence)
	if c.N() == of.Max {
		b = gate.FixedBar(c, of.Confidence)
	}
	s.Low, s.High = tidy(b.Low), tidy(b.High)
}

// summarizeGroups counts the groups, if any has several trials.
func (c *Collector) summarizeGroups(run *Run, statuses map[groupKey]Status) {
	s := &run.Summary
	s.Undecided, s.Allowed = run.undecided+run.allowed+run.cut, run.allowed
	if len(run.Groups) == 0 {
		return
	}
	s.Groups = &GroupCounts{}
	rates := rates{}
	for i := range run.Groups {
		g := &run.Groups[i]
		s.Groups.count(g.Status)
		s.NotNeeded += g.Gate.Saved
		rates.add(g.Gate)
	}
	for _, b := range run.Briefs.All() {
		if _, grouped := statuses[c.groupOf(b.Row, b.BriefShared)]; grouped || b.Gone {
			continue
		}
		s.Groups.count(b.Status)
		rates.single(b.Status)
	}
	s.SuiteRate = rates.suite()
}

func (c *GroupCounts) count(s Status) {
	c.Groups++
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Undecided:
		c.Undecided++
	case Skipped:
		c.Skipped++
	case Cancelled:
		c.Cancelled++
	case Errored, Unset:
		c.Errors++
	}
}

// rates sums the estimates of groups, and the variances of their errors.
type rates struct {
	groups         int
	sum, variances float64
}

func (r *rates) add(g *Gate) {
	if g.Estimate == nil {
		return
	}
	r.groups++
	r.sum += *g.Estimate
	n := float64(g.Counted)
	at := (float64(g.Passed) + 0.5) / (n + 1)
	variance := float64(at*(1-at)) / n
	if made, err := g.GateSpec.Gate(); err == nil && made != nil {
		variance = made.Variance(g.counts())
	}
	r.variances += variance
}

// single adds a group of one trial.
func (r *rates) single(s Status) {
	g := Gate{GateSpec: GateSpec{Rule: RuleCount, Max: 1, Block: 1, Confidence: DefaultConfidence}, Counted: 1}
	switch s {
	case Passed:
		g.Passed, g.Estimate = 1, new(1.0)
	case Failed, Errored:
		g.Estimate = new(0.0)
	default: // it has no rate
	}
	r.add(&g)
}

// suite is the mean; nil: no groups.
func (r *rates) suite() *SuiteRate {
	if r.groups == 0 {
		return nil
	}
	const quantile = 1.645 // of 95%, one-sided
	mean := r.sum / float64(r.groups)
	off := float64(quantile*math.Sqrt(r.variances)) / float64(r.groups)
	return &SuiteRate{
		Rate: tidy(mean), Low: tidy(max(mean-off, 0)), High: tidy(min(mean+off, 1)), Confidence: DefaultConfidence,
	}
}
