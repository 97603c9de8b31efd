package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/analysis"
	"github.com/arena-evals/arena/internal/report/show"
)

// How much of an analysis is shown without -v.
const (
	maxGroups   = 20
	maxStanding = 10 // outliers of one kind
)

// Analyze writes how trials are spread, and the outliers.
func (p *Printer) Analyze(r *analysis.Report) error {
	for i := range r.Runs {
		run := &r.Runs[i]
		text := show.Line(run.Name) + "   " + show.Plural(run.Trials, "trial") + "   " + run.Status.String()
		if run.LeftOut > 0 {
			text += "   " + show.Plural(run.LeftOut, "trial") + " without a verdict on the agent left out"
		}
		p.print(p.remark(map[bool]string{true: "run"}[i == 0], bold, text))
	}
	groups := r.Groups
	if len(r.Providers) > 1 {
		groups = append(slices.Clip(groups), r.Providers...)
	}
	p.spreads(groups)
	name := func(w *analysis.Place) string { return show.RunName(r, w.Run) + show.Line(w.Trial) + "   " }
	var lines []string
	for i := range r.Outliers.List {
		o := &r.Outliers.List[i]
		lines = append(lines, name(&o.Place)+show.OutlierText(o))
	}
	p.standing("outliers", r.Outliers.Total, lines)
	lines = nil
	for i := range r.Repeated.List {
		lines = append(lines, name(&r.Repeated.List[i].Place)+show.RepeatText(&r.Repeated.List[i]))
	}
	p.standing("repeated", r.Repeated.Total, lines)
	lines = nil
	for i := range r.Longest.List {
		lines = append(lines, name(&r.Longest.List[i].Place)+show.LongText(&r.Longest.List[i]))
	}
	p.standing("longest", r.Longest.Total, lines)
	lines = nil
	for i := range r.Flaky.List {
		lines = append(lines, show.Line(r.Flaky.List[i].Name)+"   "+show.FlakyText(&r.Flaky.List[i]))
	}
	p.standing("flaky", r.Flaky.Total, lines)
	p.print([]*row{{}, (&row{}).add(plain, analysisCounts(r))})
	return p.err
}

// spreads writes how cost and time are spread in each group.
func (p *Printer) spreads(groups []analysis.Group) {
	rows := []*row{{}}
	for i := range groups {
		g := &groups[i]
		if i == maxGroups && p.opts.Verbosity == 0 {
			more := show.Plural(len(groups)-i, "more group")
			rows = append(rows, (&row{}).gap(remarkWidth).add(dim, "… and "+more+"; -v lists all"))
			break
		}
		head := map[bool]string{true: "spread"}[i == 0]
		rows = append(rows, (&row{}).cell(dim, head, remarkWidth).add(bold, show.GroupName(g)).gap(gap).
			add(plain, fmt.Sprintf("%s of %s passed", show.Count(g.Passed), show.Plural(g.Trials, "trial"))).cut(p.width()))
		rows = append(rows, p.spread("cost", "cost_usd", g.CostUSD, g.Simulated)...)
		rows = append(rows, p.spread("time", "duration_ms", g.DurationMS, false)...)
	}
	if len(groups) > 0 {
		p.print(rows)
	}
}

func (p *Printer) spread(label, what string, s *analysis.Spread, simulated bool) (rows []*row) {
	if s == nil {
		return nil
	}
	for i, r := range flow(p.width()-2*remarkWidth, pieces(show.SpreadText(what, s, simulated))) {
		indented := (&row{}).gap(remarkWidth+2).cell(dim, map[bool]string{true: label}[i == 0], remarkWidth-2)
		for _, x := range r.pieces {
			indented.add(x.as, x.text)
		}
		rows = append(rows, indented)
	}
	return rows
}

func pieces(texts []string) (all []piece) {
	for _, text := range texts {
		all = append(all, piece{text, plain})
	}
	return all
}

// standing writes the outliers of one kind.
func (p *Printer) standing(label string, total int, lines []string) {
	if total == 0 {
		return
	}
	rows := []*row{{}}
	for i, line := range lines {
		if i == maxStanding && p.opts.Verbosity == 0 {
			lines = lines[:i]
			break
		}
		rows = append(rows, p.remark(map[bool]string{true: label}[i == 0], yellow, line)...)
	}
	if more := total - len(lines); more > 0 {
		rows = append(rows, p.remark("", dim, "… and "+show.Plural(more, "more trial"))...)
	}
	p.print(rows)
}

// analysisCounts is the last line.
func analysisCounts(r *analysis.Report) string {
	var parts []string
	add := func(n int, one, many string) {
		if n == 1 {
			many = one
		}
		parts = append(parts, show.Count(n)+" "+many)
	}
	add(r.Outliers.Total, "outlier", "outliers")
	add(r.Repeated.Total, "repeated call", "repeated calls")
	add(r.Flaky.Total, "flaky group", "flaky groups")
	return strings.Join(parts, "   ")
}
