package term

import (
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// columns are the widths of the parts of a trial's line. A part of width 0 is left out.
type columns struct{ name, provider, turns, time, cost int }

const (
	gap       = 3
	signWidth = 2
	minNote   = 20 // columns kept for notes, "2 of 7 checks failed"; a longer one goes to a line of its own
)

// longest are the widths of the longest names of a plan.
type longest struct {
	name, provider int
	mixed          bool // mocks answer in some of the trials, models in others
}

func longestNames(plan Plan) longest {
	l := longest{name: 8, provider: 8}
	var mocks, models bool
	add := func(b result.Brief) {
		mocks, models = mocks || b.Simulated, models || !b.Simulated
		l.mixed = mocks && models
		l.name = max(l.name, show.Width(name(&b)))
		l.provider = max(l.provider, show.Width(show.ProviderLabel(&b)))
	}
	if plan.Longest != nil {
		for b := range plan.Longest {
			add(b)
		}
		return l
	}
	for i := 0; i < plan.Trials && plan.Trial != nil; i++ {
		add(plan.Trial(i))
	}
	return l
}

// fit lays out the columns. Where there is little room it leaves out numbers before it cuts names or notes.
func (l longest) fit(width int) columns {
	c := columns{time: 6, provider: min(l.provider, width/4)}
	left := width - signWidth - gap - c.provider - gap - c.time
	c.name = min(l.name, left, max(width*2/5, 24))
	left -= c.name
	if left >= gap+8+gap+minNote {
		c.turns = 8
		left -= gap + c.turns
	}
	wide := 8
	if l.mixed {
		wide += len(show.Simulated)
	}
	if left >= gap+wide+gap+minNote {
		c.cost = wide
	}
	return c
}

// trialLine is the line of a finished trial, with a second line for a note that does not fit on the first.
func (p *Printer) trialLine(b *result.Brief, t *result.Trial) []*row {
	c := p.longest.fit(p.width()) // for each line, because the size of the terminal may change
	line := &row{}
	mark, as := sign(b.Status)
	line.add(as, mark).gap(signWidth - 1)
	line.cell(plain, name(b), c.name).gap(gap)
	line.cell(plain, show.ProviderLabel(b), c.provider).gap(gap)
	if c.turns > 0 {
		line.cell(dim, show.Plural(int(b.Turns), "turn"), c.turns).gap(gap)
	}
	line.right(plain, show.Cut(show.Seconds(b.DurationMS), c.time), c.time)
	if c.cost > 0 {
		line.gap(gap).cell(dim, p.cost(b), c.cost)
	}
	text := trialNote(b, t)
	if b.Status == result.Passed {
		as = dim
	}
	left := p.width() - line.width - gap
	switch {
	case text == "":
		return []*row{line}
	case p.knownWidth() == 0:
		return []*row{line.gap(gap).add(as, show.Clip(text, 400))}
	case show.Width(text) <= left:
		return []*row{line.gap(gap).add(as, text)}
	}
	return []*row{line, (&row{}).gap(2*signWidth).add(as, show.Cut(text, p.width()-2*signWidth))}
}

// cost is the cost of a trial; "": none. It says "simulated" if only some of the trials are simulated.
func (p *Printer) cost(b *result.Brief) string {
	if b.CostUSD != nil && *b.CostUSD == 0 || b.Usage.Calls == 0 {
		return ""
	}
	if !p.longest.mixed {
		return show.Money(b.CostUSD)
	}
	return show.Spent(b.CostUSD, b.SimulatedUSD())
}

// trialNote says in a few words what went wrong in a trial.
func trialNote(b *result.Brief, t *result.Trial) string {
	switch b.Status {
	case result.Passed:
		return show.GuardNote(t)
	case result.Failed:
		if s := show.Checks(*b.Checks); s != "" {
			return s
		}
	case result.Skipped:
		return "skipped: " + show.Reason(t)
	default:
	}
	return show.Reason(t)
}
