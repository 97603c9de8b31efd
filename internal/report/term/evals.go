package term

import (
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxEvals   = 20 // shown without -v
	evalWidth  = 24 // of the names
	scoreWidth = 5
)

// evals lists the evals with their scores over all trials.
func (p *Printer) evals(run *result.Run) []*row {
	width := 0
	for i := range run.Evals {
		width = max(width, min(show.Width(show.Line(run.Evals[i].ID)), evalWidth, (p.width()-remarkWidth)/2))
	}
	var rows []*row
	for i := range run.Evals {
		e := &run.Evals[i]
		if i == maxEvals && p.opts.Verbosity == 0 {
			rows = append(rows, (&row{}).gap(remarkWidth).
				add(dim, "… and "+show.Plural(len(run.Evals)-i, "more eval")+"; the reports and -v list all"))
			break
		}
		label, as := "", plain
		if i == 0 {
			label = "evals"
		}
		switch {
		case e.Failed > 0:
			as = red
		case e.Errors > 0:
			as = yellow
		}
		r := (&row{}).cell(dim, label, remarkWidth).cell(plain, show.Line(e.ID), width).gap(gap).
			right(as, show.EvalScore(e), scoreWidth).gap(gap).add(dim, show.EvalNote(e))
		rows = append(rows, r.cut(p.width()))
	}
	return rows
}
