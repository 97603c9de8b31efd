package result

// NewBrief returns the part of a settled trial that is kept in memory.
func NewBrief(t *Trial) Brief {
	b := Brief{
		Index: t.Index, ID: t.ID, Scenario: t.Scenario, Provider: t.Provider, Region: t.Region,
		Trial: t.Trial, Trials: t.Trials, File: t.Position.File, Line: t.Position.Line,
		Status: t.Status, Turns: len(t.Turns), DurationMS: t.DurationMS, Usage: t.Usage, CostUSD: t.CostUSD,
		Simulated: t.Simulated, Judges: t.Judges, Users: t.Users, Context: t.Context, Guards: GuardsOf(t),
		Refused:    t.Workflow.refusals(),
		Evals:      EvalsOf(t),
		Dispatched: t.EvalsDispatched,
		Before:     t.Before, Gone: t.Gone, Flaky: t.Flaky, OverBudget: t.OverBudget, TaskType: t.TaskType,
		Rejected: t.Rejected, Group: -1, Asked: t.Asked, Repeatable: t.Repeatable,
		Failing:   t.failing(),
		Tolerated: t.Gone && t.Excused && t.Status == Failed,
	}
	if t.Recording != nil {
		b.Recording, b.Session = t.Recording.File, t.Recording.Name
	}
	if t.Row != nil {
		b.Row, b.Session = t.Row.ID, t.Row.ID
	}
	t.Checks(func(_, _ int, v *Verdict) { b.Checks.add(v.Status) })
	if t.Row != nil {
		b.Score, b.Scored = t.Score()
	}
	return b
}

// Score is the mean of the scores of the trial's checks and evals, of which more is better, and how many have one.
func (t *Trial) Score() (mean float64, n int) {
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

// SimulatedUSD is the part of the cost that a mock made up and nobody paid.
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
