package term

import (
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// What is shown of datasets without -v.
const (
	maxDatasets  = 12
	maxRowChecks = 8
	maxWorstRows = 5

	rowCheckWidth = 36 // of the names
	rateWidth     = 5
	intervalWidth = len("88.8% to 88.8%")
)

// datasets describes the rows of each dataset: how many passed, each check over all of them, and the worst ones.
func (p *Printer) datasets(run *result.Run) (rows []*row) {
	for i := range run.Datasets {
		if i == maxDatasets && p.opts.Verbosity == 0 {
			more := show.Plural(len(run.Datasets)-i, "more dataset")
			return append(rows, (&row{}).gap(remarkWidth).add(dim, "… and "+more+"; the reports and -v list all"))
		}
		label := ""
		if i == 0 {
			label = "datasets"
		}
		rows = append(rows, p.dataset(label, &run.Datasets[i])...)
	}
	return rows
}

func (p *Printer) dataset(label string, d *result.DatasetStats) []*row {
	as := green
	switch {
	case d.Failed > 0:
		as = red
	case d.Passed == 0 || d.Errors+d.Undecided > 0:
		as = yellow
	}
	rates := show.Rate(d.PassRate)
	if text := show.DatasetInterval(d); text != "" {
		rates += " (" + text + ")"
	}
	pieces := []piece{{show.DatasetPassed(d), plain}, {rates, as}}
	for _, text := range []string{show.DatasetRest(d), show.DatasetExpenses(d), show.DatasetJudges(d)} {
		if text != "" {
			pieces = append(pieces, piece{text, plain})
		}
	}
	name := show.Wrap(show.DatasetLabel(d), p.width()-remarkWidth, 1)
	rows := []*row{(&row{}).cell(dim, label, remarkWidth).add(bold, strings.Join(name, " "))}
	for _, r := range flow(p.width()-remarkWidth-2, pieces) {
		indented := (&row{}).gap(remarkWidth + 2)
		for _, x := range r.pieces {
			indented.add(x.as, x.text)
		}
		rows = append(rows, indented)
	}
	rows = append(rows, p.rowChecks(d)...)
	return append(rows, p.worstRows(d)...)
}

// rowChecks lists the checks of a dataset. If not all are shown, those that did not always pass come first.
func (p *Printer) rowChecks(d *result.DatasetStats) []*row {
	shown := d.Checks
	if len(shown) > maxRowChecks && p.opts.Verbosity == 0 {
		shown = flawedFirst(shown)[:maxRowChecks]
	}
	width := 0
	for i := range shown {
		width = max(width, min(show.Width(show.RowsCheckName(&shown[i])), rowCheckWidth, (p.width()-remarkWidth)/2))
	}
	var rows []*row
	for i := range shown {
		c := &shown[i]
		as := plain
		switch {
		case c.Failed > 0:
			as = red
		case c.Errors > 0:
			as = yellow
		}
		r := (&row{}).gap(remarkWidth+2).cell(plain, show.RowsCheckName(c), width).gap(gap).
			right(as, show.Rate(c.PassRate), rateWidth).gap(gap)
		if p.width() >= unknownWidth {
			r.cell(dim, show.RowsCheckInterval(c), intervalWidth).gap(gap)
		}
		var notes []string
		if text := show.RowsCheckCounts(c); text != "" {
			notes = append(notes, text)
		}
		if text := show.ScoreSpread(c.Scores); text != "" {
			notes = append(notes, "score "+text)
		}
		rows = append(rows, r.add(dim, strings.Join(notes, ", ")).cut(p.width()))
	}
	if more := len(d.Checks) - len(shown); more > 0 {
		rows = append(rows, (&row{}).gap(remarkWidth+2).add(dim, "… and "+show.Plural(more, "more check")))
	}
	return rows
}

// flawedFirst orders checks by whether they always passed.
func flawedFirst(all []result.RowsCheck) []result.RowsCheck {
	var flawed, rest []result.RowsCheck
	for i := range all {
		if show.Flawed(&all[i]) {
			flawed = append(flawed, all[i])
		} else {
			rest = append(rest, all[i])
		}
	}
	return append(flawed, rest...)
}

func (p *Printer) worstRows(d *result.DatasetStats) []*row {
	if len(d.Worst) == 0 {
		return nil
	}
	shown := len(d.Worst)
	if p.opts.Verbosity == 0 {
		shown = min(shown, maxWorstRows)
	}
	names := make([]string, shown)
	for i := range names {
		names[i] = show.WorstRow(&d.Worst[i])
	}
	text := "worst: " + strings.Join(names, ", ")
	var rows []*row
	for i, line := range show.Wrap(text, p.width()-remarkWidth-2, p.lines(4)) {
		indent := remarkWidth + 2
		if i > 0 {
			indent += 2
		}
		rows = append(rows, (&row{}).gap(indent).add(plain, line).cut(p.width()))
	}
	return rows
}
