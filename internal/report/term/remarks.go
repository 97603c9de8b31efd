package term

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxNotices   = 20 // different notices that are shown
	maxTolerated = 10
	maxStopped   = 5
	maxStoppedV  = 1000 // with -v
)

// notices are the notices of trials, each once, sorted, since trials end in any order.
func notices(run *result.Run) []string {
	short := map[string]int{}
	for text, trials := range run.Notices {
		short[show.Clip(show.Line(text), 500)] += trials
	}
	var all []string
	for _, text := range slices.Sorted(maps.Keys(short)) {
		if len(all) == maxNotices {
			return append(all, "… and "+show.Plural(len(short)-maxNotices, "more note"))
		}
		if trials := short[text]; trials > 1 {
			text += fmt.Sprintf(" (%s)", show.Plural(trials, "trial"))
		}
		all = append(all, text)
	}
	return all
}

// remarks writes what has no effect on the status: flaky trials, tolerated failures, datasets, evals, notices and
// warnings.
func (p *Printer) remarks(run *result.Run) {
	var rows []*row
	rows = append(rows, p.flaky(run)...)
	rows = append(rows, p.tolerated(run)...)
	for _, line := range append(show.Quarantines(run), show.Against(run, p.opts.Verbosity > 0)...) {
		rows = append(rows, p.remark(line.Label, againstStyle(line.Status), line.Text)...)
	}
	rows = append(rows, p.datasets(run)...)
	rows = append(rows, p.evals(run)...)
	rows = append(rows, p.coverage(run)...)
	for _, text := range notices(run) {
		rows = append(rows, p.remark("note", dim, text)...)
	}
	for _, text := range show.Warnings(run, p.opts.WarningsShown) {
		rows = append(rows, p.remark("warning", yellow, text)...)
	}
	if len(rows) > 0 {
		p.print(append([]*row{{}}, rows...))
	}
}

const remarkWidth = 12 // columns of the labels at the left

func (p *Printer) remark(label string, as style, text string) []*row {
	var rows []*row
	for i, line := range show.Wrap(text, p.width()-remarkWidth, p.lines(6)) {
		r := &row{}
		if i == 0 {
			r.cell(as, label, remarkWidth)
		} else {
			r.gap(remarkWidth)
		}
		rows = append(rows, r.add(plain, line))
	}
	return rows
}

// againstStyle is the style of a line about the baseline.
func againstStyle(s result.Status) style {
	if s == result.Unset {
		return dim
	}
	return comparedStyle(s)
}

// tolerated lists the groups that passed although some of their trials failed.
func (p *Printer) tolerated(run *result.Run) []*row {
	if run.Summary.Tolerated == 0 {
		return nil
	}
	var rows []*row
	more := 0
	for g := range show.GroupsOf(run).Several() {
		if g.Status != result.Passed || g.Stats.Passed == g.Stats.Trials || show.Early(g.Stats) {
			continue
		}
		if len(rows) >= maxTolerated && p.opts.Verbosity == 0 {
			more++
			continue
		}
		rows = append(rows, p.remark("tolerated", dim, show.Line(g.Scenario)+" · "+g.ProviderLabel()+"   "+g.Rate())...)
		if g.Apart() {
			for _, line := range g.AssertionRates() {
				rows = append(rows, p.remark("", dim, "  "+line)...)
			}
		}
	}
	if more > 0 {
		rows = append(rows, p.remark("", dim, fmt.Sprintf("… and %s more", show.Plural(more, "group")))...)
	}
	return rows
}

// stopped names the trials of the plan that did not finish.
func (p *Printer) stopped(run *result.Run) []*row {
	missing := show.Unfinished(run)
	if missing == 0 {
		return nil
	}
	names, listed := []string{}, maxStopped
	if p.opts.Verbosity > 0 {
		listed = min(missing, maxStoppedV)
	}
	done := make(map[int]bool, run.Briefs.Len())
	for _, b := range run.Briefs.All() {
		done[b.Index] = true
		if b.Status == result.Cancelled && len(names) < listed {
			names = append(names, show.Line(b.ID))
		}
	}
	needless := overGroups(run)
	for i := 0; p.plan.Trial != nil && i < min(run.Planned, p.plan.Trials) && len(names) < listed; i++ {
		b := p.plan.Trial(i)
		if !done[max(i, b.Index)] && !needless(&b) { // trials that were kept from before are not in the plan
			names = append(names, show.Line(b.ID))
		}
	}
	text := fmt.Sprintf("%s of %s did not finish", show.Count(missing), show.Plural(run.Planned, "trial"))
	if flag := show.EndedBy(run); flag != "" {
		text += " (" + flag + ")"
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
		if more := missing - len(names); more > 0 {
			text += fmt.Sprintf(" and %s more", show.Count(more))
		}
	}
	rows := p.remark("stopped", yellow, text)
	if why := show.Line(run.OverBudget); why != "" && show.EndedBy(run) != "" {
		rows = append(rows, p.remark("", dim, why)...)
	}
	if p.opts.Resume == nil {
		return rows
	}
	if command := p.opts.Resume(run); command != "" {
		rows = append(rows, (&row{}).cell(dim, "resume", remarkWidth).add(plain, show.Line(command)))
	}
	return rows
}

// overGroups reports which trials no verdict needs any more.
func overGroups(run *result.Run) func(*result.Brief) bool {
	type key struct{ file, scenario, provider, region, row string }
	over := map[key]bool{}
	for i := range run.Groups {
		g := &run.Groups[i]
		if g.Gate != nil && g.Gate.Early() && g.Gate.DecidedAt > 0 {
			over[key{g.File, g.Scenario, g.Provider, g.Region, g.Row}] = true
		}
	}
	return func(b *result.Brief) bool {
		k := key{b.File, b.Scenario, b.Provider, b.Region, b.Row}
		whole := k
		whole.row = "" // of all rows together
		return over[k] || over[whole]
	}
}

// flaky lists the trials that failed in an earlier run and pass now, with their earlier failures.
func (p *Printer) flaky(run *result.Run) []*row {
	told, more, err := show.Flaky(run)
	if err != nil {
		return p.remark("flaky", yellow, err.Error())
	}
	var rows []*row
	for _, t := range told {
		rows = append(rows, p.remark("flaky", yellow, t.ID+" passes now, and nothing changed")...)
		for _, line := range t.Earlier {
			rows = append(rows, p.remark("", dim, line)...)
		}
	}
	if more > 0 {
		rows = append(rows, p.remark("flaky", yellow, show.Count(more)+" more")...)
	}
	return rows
}
