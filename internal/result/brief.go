package result

// noRare is shared by the many trials without rare values. It is never changed.
var noRare = &BriefRare{}

// noRow is shared by trials without a row or session. It is never changed.
var noRow = &BriefRow{}

// BriefOf is a brief with only the values that the trials of a group share.
func BriefOf(shared BriefShared) Brief {
	return Brief{
		BriefShared: &shared, BriefRare: &BriefRare{}, BriefRow: &BriefRow{}, Usage: &Usage{}, Checks: &CheckCount{},
		Group: -1,
	}
}

// NewBrief returns the brief of a settled trial.
func NewBrief(t *Trial) Brief {
	shared := BriefShared{
		Scenario: t.Scenario, Provider: t.Provider, Region: t.Region, Trials: t.Trials,
		File: t.Position.File, Line: t.Position.Line,
		Simulated: t.Simulated, TaskType: t.TaskType, Repeatable: t.Repeatable,
	}
	if t.Recording != nil {
		shared.Recording = t.Recording.File
	}
	b := BriefOf(shared)
	if t.Recording != nil {
		b.Session = t.Recording.Name
	}
	if t.Row != nil {
		b.Row, b.Session = t.Row.ID, t.Row.ID
		b.Score, b.Scored = t.Score()
	}
	if *b.BriefRow == *noRow {
		b.BriefRow = noRow
	}
	b.Index, b.ID, b.Trial, b.Status, b.Turns = t.Index, t.ID, t.Trial, t.Status, int32(len(t.Turns))
	b.Asked = t.asked()
	b.DurationMS, b.CostUSD, *b.Usage = t.DurationMS, t.CostUSD, t.Usage
	b.Before, b.Gone, b.Flaky, b.OverBudget, b.Rejected = t.Before, t.Gone, t.Flaky, t.OverBudget, t.Rejected
	b.Tolerated = t.Gone && t.Excused && t.Status == Failed
	rare := BriefRare{
		Judges: t.Judges, Users: t.Users, Context: t.Context, Earlier: t.earlier(), Guards: GuardsOf(t),
		Refused: t.Workflow.refusals(), Evals: EvalsOf(t), Dispatched: t.EvalsDispatched, Failing: t.failing(),
	}
	if b.BriefRare = &rare; rare.isEmpty() {
		b.BriefRare = noRare
	}
	t.Checks(func(_, _ int, v *Verdict) { b.Checks.add(v.Status) })
	return b
}

func (r *BriefRare) isEmpty() bool {
	return r.Refused+r.Dispatched+len(r.Failing) == 0 && r.Judges == nil && r.Users == nil && r.Context == nil &&
		r.Guards == nil && r.Evals == nil && r.Earlier == (Earlier{})
}

// Score is the mean score of checks and evals for which higher is better, and their number.
func (t *Trial) Score() (mean float64, n int32) {
	sum := 0.0
	add := func(score, most *float64) {
		if score != nil && most == nil {
			sum += *score
			n++
		}
	}
	t.Checks(func(_, _ int, v *Verdict) { add(v.Score, v.MaxScore) })
	for i := range t.Evals {
		add(t.Evals[i].Score, t.Evals[i].MaxScore)
	}
	if n == 0 {
		return 0, 0
	}
	return tidy(sum / float64(n)), n
}

// SimulatedUSD is the simulated part of the cost, which nobody paid.
func (b *Brief) SimulatedUSD() float64 {
	if !b.Simulated || b.CostUSD == nil {
		return 0
	}
	return *b.CostUSD
}

func (c *CheckCount) add(s Status) {
	c.Total++
	switch s {
	case Passed:
		c.Passed++
	case Skipped:
		c.Skipped++
	case Cancelled:
		c.NotRun++
	case Failed:
		c.Failed++
	default: // Errored, and Unset, which never passes
		c.Errors++
	}
}

func (c *CheckCount) sum(d CheckCount) {
	c.Total += d.Total
	c.Passed += d.Passed
	c.Failed += d.Failed
	c.Errors += d.Errors
	c.Skipped += d.Skipped
	c.NotRun += d.NotRun
}

// RowID is the id of the row of the dataset for which the trial ran; "": none.
func (t *Trial) RowID() string {
	if t.Row == nil {
		return ""
	}
	return t.Row.ID
}
