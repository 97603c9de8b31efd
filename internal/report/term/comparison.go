package term

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxUnmatched bounds the names of groups that only one run has; -v shows all.
const maxUnmatched = 10

// Compare writes how a run differs from the one before. before and after name the runs.
func (p *Printer) Compare(r *comparison.Report, before, after string) error {
	rows := append(p.side("before", before, r.Before), p.side("after", after, r.After)...)
	p.print(rows)
	for _, section := range show.ComparedSections(r) {
		for _, pair := range section.Pairs {
			if err := p.pair(r, pair, section.Label, comparedStyle(section.Status)); err != nil {
				return err
			}
		}
	}
	p.measures(r)
	p.unmatched("only before", r.Gone)
	p.unmatched("only after", r.New)
	if suite := show.Suite(r); suite != "" {
		p.print(append([]*row{{}}, p.remark("together", comparedStyle(suiteStatus(r)), suite)...))
	}
	p.print([]*row{{}, p.counts(r)})
	return p.err
}

// comparedStyle is the style of a section.
func comparedStyle(s result.Status) style {
	switch s {
	case result.Failed:
		return red
	case result.Passed:
		return green
	case result.Skipped:
		return plain
	default:
		return yellow
	}
}

// suiteStatus is the status whose colour the verdict on all groups has.
func suiteStatus(r *comparison.Report) result.Status {
	switch {
	case r.Judgement.Regressed:
		return result.Failed
	case r.Judgement.Clouded:
		return result.Errored
	case r.Judgement.Improved:
		return result.Passed
	}
	return result.Skipped
}

// side writes the totals of a run.
func (p *Printer) side(label, name string, run *result.Run) []*row {
	text := strings.Join(append([]string{show.Line(name), show.Headline(run)}, show.Expenses(&run.Summary)...), "   ")
	return p.remark(label, bold, text)
}

// pair writes a pair whose verdict changed, with the reason.
func (p *Printer) pair(r *comparison.Report, pair *comparison.Pair, label string, as style) error {
	text := fmt.Sprintf("%s   %d of %d → %d of %d passed", show.Line(pairName(r, pair)),
		pair.Was.Passed, len(pair.Was.Trials), pair.Now.Passed, len(pair.Now.Trials))
	rows := append([]*row{{}}, p.remark(label, as, text)...)
	if why := show.Why(r, pair); why != "" {
		rows = append(rows, p.remark("", dim, why)...)
	}
	d, err := show.Differ(r, pair)
	if err != nil {
		return err
	}
	if len(pair.Now.Trials) > 1 && (len(d.Changes) > 0 || d.Reply != nil) {
		rows = append(rows, p.remark("", dim, "of "+d.Trial+":")...)
	}
	for _, line := range d.Changes {
		rows = append(rows, p.remark("", plain, line)...)
	}
	if d.Reply != nil {
		rows = append(rows, p.remark(fmt.Sprintf("  turn %d", d.Turn+1), dim, show.WordDiff(d.Reply))...)
	}
	p.print(rows)
	return nil
}

// pairName names a pair; for runs of different models it names both.
func pairName(r *comparison.Report, pair *comparison.Pair) string {
	if r.Across {
		return fmt.Sprintf("%s   %s → %s", pair.Now.Scenario, pair.Was.Provider, pair.Now.Provider)
	}
	return pair.Now.Name
}

// measures writes the pairs that became slower or dearer, or the contrary.
func (p *Printer) measures(r *comparison.Report) {
	var rows []*row
	add := func(label string, as style, pair *comparison.Pair, was, now string) {
		rows = append(rows, p.remark(label, as, show.Line(pairName(r, pair))+"   "+was+" → "+now+" a trial")...)
	}
	for i := range r.Pairs {
		pair := &r.Pairs[i]
		was, now := show.Duration(pair.Was.DurationMS), show.Duration(pair.Now.DurationMS)
		if pair.Slower {
			add("slower", yellow, pair, was, now)
		}
		if pair.Faster {
			add("faster", green, pair, was, now)
		}
		was, now = show.Spent(pair.Was.CostUSD, pair.Was.SimulatedUSD), show.Spent(pair.Now.CostUSD, pair.Now.SimulatedUSD)
		if pair.Dearer {
			add("dearer", yellow, pair, was, now)
		}
		if pair.Cheaper {
			add("cheaper", green, pair, was, now)
		}
	}
	if len(rows) > 0 {
		p.print(append([]*row{{}}, rows...))
	}
}

// unmatched names the groups that one run alone has.
func (p *Printer) unmatched(label string, groups []*comparison.Group) {
	if len(groups) == 0 {
		return
	}
	rows := []*row{{}}
	for i, g := range groups {
		if i == maxUnmatched && p.opts.Verbosity == 0 {
			rows = append(rows, p.remark("", dim, fmt.Sprintf("and %s more", show.Count(len(groups)-i)))...)
			break
		}
		text := show.Line(g.Name) + "   " + g.Status.String()
		if i > 0 {
			label = ""
		}
		rows = append(rows, p.remark(label, yellow, text)...)
	}
	p.print(rows)
}

// counts is the last line: how many groups changed, and how.
func (p *Printer) counts(r *comparison.Report) *row {
	line := (&row{}).add(bold, show.Plural(len(r.Pairs), "group")+" compared")
	for _, c := range []struct {
		text string
		as   style
		n    int
	}{
		{"regressed", red, len(r.Judged(comparison.Regressed))},
		{"not compared", yellow, len(r.Judged(comparison.NotCompared))},
		{"in quarantine", dim, len(r.Judged(comparison.Quarantined))},
		{"no evidence", yellow, len(show.ComparedSections(r)[2].Pairs)},
		{"unchecked", yellow, r.Count(func(x *comparison.Pair) bool { return x.Unchecked })},
		{"with fewer trials", dim, r.Count(func(x *comparison.Pair) bool { return x.Fewer })},
		{"improved", green, len(r.Judged(comparison.Improved))},
		{"slower", yellow, r.Count(func(x *comparison.Pair) bool { return x.Slower })},
		{"faster", green, r.Count(func(x *comparison.Pair) bool { return x.Faster })},
		{"dearer", yellow, r.Count(func(x *comparison.Pair) bool { return x.Dearer })},
		{"cheaper", green, r.Count(func(x *comparison.Pair) bool { return x.Cheaper })},
		{"only before", yellow, len(r.Gone)}, {"only after", yellow, len(r.New)},
	} {
		if c.n > 0 {
			line.gap(3).add(c.as, show.Count(c.n)+" "+c.text)
		}
	}
	same := r.Count(func(x *comparison.Pair) bool { return show.AsBefore(x) && !x.Unchecked })
	if same > 0 {
		line.gap(3).add(plain, show.Count(same)+" as before")
	}
	return line
}
