package result

import (
	"cmp"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// DatasetStats are the statistics of the rows of a dataset, for one scenario × provider × region.
type DatasetStats struct {
	Scenario string   `json:"scenario"`
	Provider string   `json:"provider"`
	Region   string   `json:"region"`
	Dataset  string   `json:"dataset"`  // its file
	Position diag.Pos `json:"position"` // of the scenario
	RowCounts
	// PassRate is the pass rate of the rows that ran; a broken one did not pass. nil: none ran.
	PassRate *float64 `json:"pass_rate"`
	// Interval is the 95% confidence interval of the pass rate of all rows, of which these are a sample; see
	// agreement.RateInterval.
	Interval *agreement.Interval `json:"pass_rate_interval"`
	Trials   int                 `json:"trials"`
	// CostUSD is the cost of the agent over all trials; nil: no price is known. Cost is the cost of one trial.
	CostUSD *float64 `json:"cost_usd"`
	// SimulatedUSD is the simulated part of the cost: mocks made it up and nobody paid it.
	SimulatedUSD float64        `json:"simulated_usd,omitempty"`
	Unpriced     int            `json:"unpriced,omitempty"` // trials of unknown price, which are not in the cost
	Judges       *SideCost      `json:"judges,omitempty"`   // cost of judging all trials; nil: no model judged
	Cost         *Spread        `json:"cost_usd_per_trial"`
	Duration     *Spread        `json:"duration_ms_per_trial"`
	Variants     []VariantStats `json:"variants,omitempty"` // of perturbations
	Checks       []RowsCheck    `json:"checks"`
	// Worst are rows that did not pass, or passed with a score below 1, the worst first: at most WorstRows.
	Worst []WorstRow `json:"worst_rows"`
}

// WorstRows is how many rows DatasetStats names.
const WorstRows = 20

// RowCounts counts rows by status. A row with several trials has the status of its group.
type RowCounts struct {
	Rows      int `json:"rows"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Errors    int `json:"errors"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
	// Undecided are rows with several trials whose gate is undecided.
	Undecided int `json:"undecided,omitempty"`
}

// Ran is the number of rows with a result.
func (c *RowCounts) Ran() int { return c.Passed + c.Failed + c.Errors + c.Undecided }

// VariantStats counts the trials of a dataset with one variant.
type VariantStats struct {
	Variant  map[string]string `json:"variant"`
	Trials   int               `json:"trials"`
	Passed   int               `json:"passed"`
	Failed   int               `json:"failed"`
	Errors   int               `json:"errors"`
	PassRate *float64          `json:"pass_rate"` // nil: none of the three
}

// RowsCheck is one check or eval over the rows of a dataset, in one variant.
type RowsCheck struct {
	Turn     int               `json:"turn"` // -1: conversation
	Index    int               `json:"index"`
	Eval     string            `json:"eval,omitempty"` // id; Index is the number of the result within the turn
	Step     string            `json:"step,omitempty"` // step of a composition whose output the eval judged
	Variant  map[string]string `json:"variant,omitempty"`
	Type     string            `json:"type"`
	Position diag.Pos          `json:"position"`
	Gates    bool              `json:"gates"` // false: it only measures
	Passed   int               `json:"passed"`
	Failed   int               `json:"failed"`
	Errors   int               `json:"errors"`  // it could not judge
	Skipped  int               `json:"skipped"` // or not reached
	// PassRate is the pass rate of the results; an error is not a pass. nil: none.
	PassRate *float64 `json:"pass_rate"`
	// Interval is like that of DatasetStats; nil if a row has several results, which are not independent.
	Interval *agreement.Interval `json:"pass_rate_interval"`
	Scores   *Spread             `json:"scores"` // nil: no result has one
}

// WorstRow is a row with a bad result.
type WorstRow struct {
	Row    string   `json:"row"`   // id
	Trial  string   `json:"trial"` // id of its worst trial
	Status Status   `json:"status"`
	Trials int      `json:"trials"`
	Passed int      `json:"passed"` // of its trials
	Score  *float64 `json:"score"`  // mean score of checks and evals for which higher is better; nil: none

	index int
}

// datasetKey is equal for the rows that are counted together.
type datasetKey struct{ file, scenario, provider, region string }

// datasetSum sums the trials of a dataset. The outcome of rows is known only at the end.
type datasetSum struct {
	stats    DatasetStats // what all trials have in common
	first    int          // plan index of its first trial so far; orders the datasets
	trials   int
	unpriced int
	cost     *spreading
	mocked   *spreading // the simulated part of cost
	duration *spreading
	judges   JudgeSum
	variants map[string]*variantSum
	checks   map[countedCheck]*rowsCheckSum
}

type variantSum struct {
	VariantStats
	first int
}

type rowsCheckSum struct {
	RowsCheck
	first  int
	scores *spreading
}

// datasetSums are the datasets of a run.
type datasetSums map[datasetKey]*datasetSum

func (all *datasetSums) add(t *Trial) {
	if t.Row == nil || t.Gone {
		return
	}
	if *all == nil {
		*all = datasetSums{}
	}
	key := datasetKey{t.Position.File, t.Scenario, t.Provider, t.Region}
	d := (*all)[key]
	if d == nil {
		d = &datasetSum{
			stats: DatasetStats{
				Scenario: t.Scenario, Provider: t.Provider, Region: t.Region, Dataset: t.Row.Position.File, Position: t.Position,
			},
			first: t.Index, cost: newSpreading(moneyParts), mocked: newSpreading(moneyParts), duration: newSpreading(timeParts),
			variants: map[string]*variantSum{}, checks: map[countedCheck]*rowsCheckSum{},
		}
		(*all)[key] = d
	}
	d.add(t)
}

func (d *datasetSum) add(t *Trial) {
	d.first = min(d.first, t.Index)
	d.trials++
	d.judges.Add(t)
	if t.Status != Skipped {
		d.duration.add(t.DurationMS)
	}
	switch {
	case t.CostUSD == nil && t.Usage.Calls > 0:
		d.unpriced++
	case t.CostUSD != nil && t.Usage.Calls > 0:
		d.cost.add(*t.CostUSD)
		if t.Simulated {
			d.mocked.add(*t.CostUSD)
		}
	}
	variant := variantKey(t.Variant)
	if variant != "" {
		d.variant(variant, t)
	}
	t.decided(func(script, i int, v *Verdict) {
		c := d.check(t, countedCheck{turn: script, index: i, variant: variant}, v.Name(), v.Position)
		c.Gates = true
		c.count(v.Status, v.Score)
	})
	t.evalPlaces(variant, nil, func(at countedCheck, e *EvalResult) {
		c := d.check(t, at, e.Type, e.Position)
		c.Gates = c.Gates || e.Gates()
		switch {
		case e.Gates():
			c.count(e.Status, e.Score)
		case e.Error != "":
			c.count(Errored, nil)
		case e.Score == nil:
			c.count(Skipped, nil)
		default:
			c.scores.add(*e.Score)
		}
	})
}

// evalPlaces calls f with each eval result that counts, and its place: the index is the number of the result within the
// turn. nil: all count.
func (t *Trial) evalPlaces(variant string, counts func(*EvalResult) bool, f func(at countedCheck, e *EvalResult)) {
	var results map[countedCheck]int // by eval and turn
	for i := range t.Evals {
		e := &t.Evals[i]
		if counts != nil && !counts(e) {
			continue
		}
		if results == nil {
			results = map[countedCheck]int{}
		}
		at := countedCheck{turn: e.Turn, eval: e.ID, step: e.Step, variant: variant}
		results[at]++
		at.index = results[at] - 1
		f(at, e)
	}
}

func (d *datasetSum) variant(key string, t *Trial) {
	v := d.variants[key]
	if v == nil {
		v = &variantSum{VariantStats{Variant: t.Variant}, t.Index}
		d.variants[key] = v
	}
	v.first = min(v.first, t.Index)
	v.Trials++
	switch t.Status {
	case Passed:
		v.Passed++
	case Failed:
		v.Failed++
	case Skipped, Cancelled:
	default: // Errored; and Unset, which never passes
		v.Errors++
	}
}

func (d *datasetSum) check(t *Trial, at countedCheck, name string, pos diag.Pos) *rowsCheckSum {
	c := d.checks[at]
	if c == nil {
		c = &rowsCheckSum{RowsCheck{
			Turn: at.turn, Index: at.index, Eval: at.eval, Step: at.step, Variant: t.Variant, Type: name, Position: pos,
		}, t.Index, newSpreading(scoreParts)}
		d.checks[at] = c
	}
	c.first = min(c.first, t.Index)
	return c
}

func (c *rowsCheckSum) count(status Status, score *float64) {
	switch status {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Skipped, Cancelled:
		c.Skipped++
		return
	default: // Errored; and Unset, which never passes
		c.Errors++
		return
	}
	if score != nil {
		c.scores.add(*score)
	}
}

// finish computes the statistics of a dataset, without its rows.
func (d *datasetSum) finish() DatasetStats {
	out := d.stats
	out.Trials, out.Unpriced, out.Duration, out.Cost = d.trials, d.unpriced, d.duration.spread(), d.cost.spread()
	if d.cost.n > 0 {
		out.CostUSD, out.SimulatedUSD = new(tidy(d.cost.total())), tidy(d.mocked.total())
	}
	out.Judges = d.judges.Total()
	out.Checks, out.Worst = []RowsCheck{}, []WorstRow{}
	for _, v := range slices.SortedFunc(maps.Values(d.variants), func(a, b *variantSum) int {
		return cmp.Compare(a.first, b.first)
	}) {
		v.PassRate = share(v.Passed, v.Passed+v.Failed+v.Errors)
		out.Variants = append(out.Variants, v.VariantStats)
	}
	return out
}

// finishChecks adds the checks to the statistics of a dataset whose rows are counted.
func (d *datasetSum) finishChecks(out *DatasetStats) {
	for _, c := range slices.SortedFunc(maps.Values(d.checks), func(a, b *rowsCheckSum) int {
		return cmp.Or(a.place().compare(b.place()), cmp.Compare(a.first, b.first))
	}) {
		c.Scores = c.scores.spread()
		c.PassRate, c.Interval = nil, nil
		if judged := c.Passed + c.Failed + c.Errors; c.Gates {
			c.PassRate = share(c.Passed, judged)
			if judged <= out.Rows {
				c.Interval = agreement.RateInterval(c.Passed, judged)
			}
		}
		out.Checks = append(out.Checks, c.RowsCheck)
	}
}

func share(part, of int) *float64 {
	if of == 0 {
		return nil
	}
	return new(float64(part) / float64(of))
}

// row adds a row with a known status.
func (s *DatasetStats) row(r WorstRow) {
	s.Rows++
	switch r.Status {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Skipped:
		s.Skipped++
	case Cancelled:
		s.Cancelled++
	case Undecided:
		s.Undecided++
	default: // Errored; and Unset, which never passes
		s.Errors++
	}
	flawless := r.Status == Passed && r.Passed == r.Trials && (r.Score == nil || *r.Score >= 1)
	if flawless || r.Status == Skipped || r.Status == Cancelled {
		return
	}
	if len(s.Worst) == WorstRows && r.compare(&s.Worst[WorstRows-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(s.Worst, &r, func(a WorstRow, b *WorstRow) int { return a.compare(b) })
	s.Worst = slices.Insert(s.Worst, at, r)
	s.Worst = s.Worst[:min(len(s.Worst), WorstRows)]
}

// compare is negative if r is worse than o.
func (r *WorstRow) compare(o *WorstRow) int {
	return cmp.Or(cmp.Compare(worstFirst(r.Status), worstFirst(o.Status)),
		cmp.Compare(r.Passed*o.Trials, o.Passed*r.Trials), cmp.Compare(scoreOr(r.Score), scoreOr(o.Score)),
		cmp.Compare(r.index, o.index))
}

// worstFirst orders statuses of rows, the worst first.
func worstFirst(s Status) int {
	switch s {
	case Failed:
		return 0
	case Passed:
		return 2
	default:
		return 1
	}
}

func scoreOr(score *float64) float64 {
	if score == nil {
		return 1
	}
	return *score
}

// groupedRow gathers the trials of a row with several.
type groupedRow struct {
	worst  WorstRow
	trials int
	passed int
	sum    float64
	scored int
}

// foldDatasets folds the rows of the briefs, in plan order, into the statistics of their datasets. statuses are those
// of groups.
func (c *Collector) foldDatasets(statuses map[groupKey]Status) []DatasetStats {
	if len(c.datasets) == 0 {
		return nil
	}
	all := map[datasetKey]*DatasetStats{}
	for key, d := range c.datasets {
		all[key] = new(d.finish())
	}
	grouped := map[groupKey]*groupedRow{}
	var order []groupKey
	for _, b := range c.briefs.All() {
		stats := all[datasetKey{b.File, b.Scenario, b.Provider, b.Region}]
		if stats == nil || b.Row == "" || b.Gone {
			continue
		}
		key := keyOf(b.Row, b.BriefShared)
		if _, several := statuses[key]; !several {
			stats.row(rowOf(&b))
			continue
		}
		g := grouped[key]
		if g == nil {
			g = &groupedRow{worst: rowOf(&b)}
			grouped[key], order = g, append(order, key)
		}
		g.add(&b)
	}
	for _, key := range order {
		all[datasetKey{key.file, key.scenario, key.provider, key.region}].row(grouped[key].row(statuses[key]))
	}
	keys := slices.Collect(maps.Keys(all))
	sortby.Func(keys, func(a, b datasetKey) int { return cmp.Compare(c.datasets[a].first, c.datasets[b].first) })
	out := make([]DatasetStats, 0, len(keys))
	for _, key := range keys {
		s := all[key]
		ran := s.Ran()
		s.PassRate, s.Interval = share(s.Passed, ran), agreement.RateInterval(s.Passed, ran)
		c.datasets[key].finishChecks(s)
		out = append(out, *s)
	}
	return out
}

// rowOf is a row with one trial.
func rowOf(b *Brief) WorstRow {
	r := WorstRow{Row: b.Row, Trial: b.ID, Status: b.Status, Trials: 1, index: b.Index}
	if b.Status == Passed {
		r.Passed = 1
	}
	if b.Scored > 0 {
		r.Score = new(b.Score)
	}
	return r
}

func (g *groupedRow) add(b *Brief) {
	g.trials++
	if b.Status == Passed {
		g.passed++
	}
	if b.Scored > 0 {
		g.sum, g.scored = g.sum+b.Score, g.scored+1
	}
	if one := rowOf(b); one.compare(&g.worst) < 0 {
		g.worst = one
	}
}

func (g *groupedRow) row(status Status) WorstRow {
	r := WorstRow{
		Row: g.worst.Row, Trial: g.worst.Trial, Status: status, Trials: g.trials, Passed: g.passed, index: g.worst.index,
	}
	if g.scored > 0 {
		r.Score = new(tidy(g.sum / float64(g.scored)))
	}
	return r
}
