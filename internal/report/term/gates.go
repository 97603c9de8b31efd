package term

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// gates writes a line for each group whose trials may end early: what they show, and how many it took; with -v for all
// groups of several trials.
func (p *Printer) gates(run *result.Run) {
	var groups []*show.Group
	for g := range show.GroupsOf(run).Several() {
		if show.Early(g.Stats) || p.opts.Verbosity > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return
	}
	l := longest{name: 8, provider: 8}
	for _, g := range groups {
		l.name = max(l.name, show.Width(show.Line(g.Scenario)))
		l.provider = max(l.provider, show.Width(g.ProviderLabel()))
	}
	c := l.fit(p.width())
	rows := []*row{{}}
	for _, g := range groups {
		gate := g.Stats.Gate
		mark, as := sign(g.Status)
		line := (&row{}).add(as, mark).gap(signWidth-1).cell(plain, show.Line(g.Scenario), c.name).gap(gap)
		line.cell(plain, g.ProviderLabel(), c.provider)
		text := g.Rate()
		if gate.Rule == result.RuleGate && gate.Verdict != result.Undecided {
			text += "   " + show.Trials(gate)
		} else if gate.Saved > 0 {
			text += fmt.Sprintf("   %s not needed", show.Count(gate.Saved))
		}
		if cost := groupCost(run, g); cost != "" {
			text += "   " + cost
		}
		rows = append(rows, line.gap(gap).add(plain, text))
		rows = append(rows, p.aboutGate(gate)...)
	}
	if r := run.Summary.SuiteRate; r != nil && len(groups) > 1 && show.AnyEarly(run) {
		rows = append(rows, (&row{}).gap(2*signWidth).add(dim, show.BarsNote(r)))
	}
	p.print(rows)
}

// groupCost is the cost of the trials of a group; "": not known, or none.
func groupCost(run *result.Run, g *show.Group) string {
	usd, simulated := 0.0, 0.0
	for _, i := range g.Trials {
		b := run.Briefs.At(i)
		if b.CostUSD == nil {
			return ""
		}
		usd += *b.CostUSD
		simulated += b.SimulatedUSD()
	}
	if usd == 0 {
		return ""
	}
	return show.Spent(&usd, simulated)
}

// aboutGate are further remarks on a group.
func (p *Printer) aboutGate(g *result.Gate) (rows []*row) {
	add := func(text string) { rows = append(rows, (&row{}).gap(2*signWidth).add(dim, text)) }
	if text := show.Weakened(g); text != "" {
		add(text)
	}
	if g.Alike {
		add(show.Alike)
	}
	if p.opts.Verbosity == 0 {
		return rows
	}
	if text := show.Wavering(g); text != "" {
		add(text)
	}
	if powers := show.Powers(g); len(powers) > 0 {
		add(strings.Join(powers, "; "))
	}
	return rows
}

// groupVerdicts counts the groups by status, if some may end early: single trials say little then.
func groupVerdicts(run *result.Run) []piece {
	s, c := &run.Summary, run.Summary.Groups
	pieces := []piece{{show.Plural(c.Groups, "scenario"), bold}}
	add := func(n int, text string, as style) {
		if n > 0 {
			pieces = append(pieces, piece{show.Count(n) + text, as})
		}
	}
	add(c.Passed, " passed", green)
	add(c.Failed, " failed", red)
	undecided := " undecided"
	if s.Allowed > 0 {
		undecided += fmt.Sprintf(" (%s allowed)", show.Count(s.Allowed))
	}
	add(c.Undecided, undecided, yellow)
	if c.Errors > 0 {
		pieces = append(pieces, piece{show.Errors(c.Errors), yellow})
	}
	add(c.Skipped, " skipped"+show.FailOnMark(run, result.FailOnSkipped), yellow)
	add(c.Cancelled, " not run", yellow)
	trials := show.Plural(s.Ended(), "trial")
	if s.NotNeeded > 0 {
		trials += fmt.Sprintf(" (%s of %s not needed)", show.Count(s.NotNeeded), show.Count(show.Planned(run)))
	}
	pieces = append(pieces, piece{trials, plain})
	add(s.Replaced, " replaced", yellow)
	add(show.Unfinished(run), " not finished", yellow)
	if r := s.SuiteRate; r != nil && c.Groups > 1 {
		pieces = append(pieces, piece{"suite " + show.SuiteRate(r), plain})
	}
	return pieces
}
