package term

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// summary writes the totals and the paths of the reports.
func (p *Printer) summary(run *result.Run, reports []string) {
	rows := append([]*row{{}}, p.stopped(run)...)
	rows = append(rows, flow(p.width(), verdicts(run), expenses(run))...)
	if len(reports) > 0 {
		rows = append(rows, p.reports(reports)...)
	}
	p.print(rows)
}

// verdicts counts the trials by status.
func verdicts(run *result.Run) []piece {
	if run.Summary.Groups != nil && show.AnyEarly(run) {
		return append(groupVerdicts(run), notes(run)...)
	}
	s := &run.Summary
	pieces := []piece{{show.Plural(show.Planned(run), "trial"), bold}}
	add := func(n int, text string, as style) {
		if n > 0 {
			pieces = append(pieces, piece{text, as})
		}
	}
	add(s.Passed, show.Count(s.Passed)+" passed", green)
	failed := show.Count(s.Failed) + " failed"
	as := red
	if note := show.Excused(s); note != "" {
		failed += note
		if s.Tolerated+s.Known+s.Quarantined == s.Failed {
			as = plain
		}
	}
	add(s.Failed, failed, as)
	add(s.Errors, show.Errors(s.Errors), yellow)
	skipped := piece{show.Count(s.Skipped) + " skipped", yellow}
	if run.FailsOn(result.FailOnSkipped) {
		skipped = piece{skipped.text + show.FailOn, red}
	}
	add(s.Skipped, skipped.text, skipped.as)
	add(show.Unfinished(run), show.Count(show.Unfinished(run))+" not finished", yellow)
	return append(pieces, notes(run)...)
}

// notes are the rest of the counts.
func notes(run *result.Run) (pieces []piece) {
	for _, text := range show.RunNotes(run) {
		as := yellow
		if strings.HasSuffix(text, show.FailOn) {
			as = red
		}
		pieces = append(pieces, piece{text, as})
	}
	return pieces
}

// expenses are the checks, the time, the tokens and the cost of the run.
func expenses(run *result.Run) []piece {
	s := &run.Summary
	total := s.Checks.Total
	if show.Unfinished(run) > 0 { // it was stopped: only what was judged is shown
		total -= s.Checks.NotRun
	}
	checked := show.Plural(total, "check")
	if s.Checks.Skipped > 0 { // they must not look like checks that passed
		checked += ", " + show.Count(s.Checks.Skipped) + " skipped"
	}
	pieces := []piece{
		{checked, plain},
		{show.Seconds(run.DurationMS), plain},
	}
	texts := slices.Concat(show.Guardrails(run), show.RefusedTransitions(run), show.Expenses(s))
	if s.EvalsDispatched > 0 {
		texts = append(texts, show.Plural(s.EvalsDispatched, "eval")+" dispatched")
	}
	for _, text := range texts {
		pieces = append(pieces, piece{text, plain})
	}
	return pieces
}

// flow lays out groups of pieces on as few lines as possible.
func flow(width int, groups ...[]piece) []*row {
	const between = 8 // columns between two groups
	rows := []*row{{}}
	last := func() *row { return rows[len(rows)-1] }
	for _, pieces := range groups {
		whole := between - gap
		for _, x := range pieces {
			whole += gap + show.Width(x.text)
		}
		for i, x := range pieces {
			space := gap
			if i == 0 {
				space = between
			}
			r := last()
			need := space + show.Width(x.text)
			if i == 0 {
				need = whole // a group that fits on one line is not split
			}
			switch {
			case r.width == 0:
			case r.width+need > width:
				rows = append(rows, &row{})
			default:
				r.gap(space)
			}
			last().add(x.as, x.text)
		}
	}
	return rows
}

// reports lists the report files. Paths are never cut, so that they can be copied and opened.
func (p *Printer) reports(paths []string) []*row {
	r := (&row{}).cell(dim, "reports", remarkWidth)
	rows := []*row{r}
	for _, path := range paths {
		path = show.Line(path)
		if r.width > remarkWidth && r.width+gap+show.Width(path) > p.width() {
			r = (&row{}).gap(remarkWidth)
			rows = append(rows, r)
		}
		if r.width > remarkWidth {
			r.gap(gap)
		}
		r.add(plain, path)
	}
	return rows
}
