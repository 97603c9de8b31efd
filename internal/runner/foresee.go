package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Foresee reports the errors and warnings that a run of the whole suite would report before its first call, and rows of
// datasets that cannot be used. It plans the suite with clients that send nothing. Problems that d holds already are
// not repeated. A problem that a flag of the run may solve is a warning.
func Foresee(suite *scenario.Suite, opts PlanOptions, d *diag.List) {
	type problem struct {
		pos       diag.Pos
		code, msg string
	}
	told := map[problem]bool{}
	key := func(p diag.Diagnostic) problem { return problem{p.Pos, p.Code, p.Msg} }
	for _, p := range d.Sorted() {
		told[key(p)] = true
	}
	var found diag.List
	opts.Uncalled, opts.AllowEmpty = true, true
	opts.FailOn = nil
	plan := Make(suite, opts, &found)
	defer plan.Close()
	if found.Errors() == 0 {
		plan.foreseeRows(&Options{Strict: opts.Strict}, &found)
	}
	for _, p := range found.Sorted() {
		switch {
		case told[key(p)], p.Code == diag.NotAvailable:
			continue
		case p.Code == noBaseline:
			p.Severity = diag.Warning
		}
		d.Add(p)
	}
	if opts.Now != nil {
		foreseeEnds(suite, opts, d)
	}
}

// foreseeEnds reports quarantines that have ended: they make a run red.
func foreseeEnds(suite *scenario.Suite, opts PlanOptions, d *diag.List) {
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			if q := s.Quarantine; q != nil && (&Options{Started: opts.Now()}).decides(s) {
				d.Errorf(q.UntilPos, 0, "quarantine-over", "the quarantine of the scenario %q is over: each run is red",
					s.ID).Hint = "take the quarantine out, or say until when it has to go on"
			}
		}
	}
}

// mostForeseenRows is the number of rows of a dataset that are tested before a run.
const mostForeseenRows = 10_000

// foreseeRows reports unusable rows of datasets, each once; of long datasets only the first rows are tested.
func (p *Plan) foreseeRows(opts *Options, d *diag.List) {
	met := map[*scenario.Scenario]bool{}
	for i := range p.spans {
		s := &p.spans[i]
		if s.rows == nil || met[s.Scenario] || s.Scenario.Skip != "" {
			continue
		}
		met[s.Scenario] = true
		one := *s
		one.gate, one.wholeDataset, one.pool = nil, false, nil
		rows := slices.Sorted(slices.Values(s.rows)) // in the order of the file
		if len(rows) > mostForeseenRows {
			d.Add(diag.Diagnostic{
				Severity: diag.Warning, Pos: s.Scenario.Pos, Width: 1, Code: "rows-unread",
				Msg: "the dataset " + s.Scenario.Dataset.Name + " has more rows than are looked at before a run: the first " +
					"10,000 are",
			})
			rows = rows[:mostForeseenRows]
		}
		for _, row := range rows {
			one.row = int(row) + 1
			foreseeRow(one.Trial, opts, d)
		}
	}
}

// foreseeRow reports a row that cannot be used.
func foreseeRow(t Trial, opts *Options, d *diag.List) {
	s := newSession(t, opts, nil)
	defer s.closeBox()
	err := s.checkRow()
	if err == nil {
		return
	}
	at := diag.Pos{File: t.Scenario.Dataset.Name}
	if row := s.trial.Scenario.Row; row != nil {
		at = row.Pos
	}
	d.Errorf(at, 1, "bad-row", "scenario %q: %v", t.Scenario.ID, err)
}
