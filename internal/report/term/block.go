package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxTurns   = 3  // failed turns that are shown
	maxChecks  = 8  // failed checks of one turn
	maxCalls   = 6  // entries of an exchange
	maxMembers = 6  // trials that are named
	maxError   = 12 // lines of the error of a trial
)

// block is one failure on the screen, with all trials that failed in the same way.
type block struct {
	p       *Printer
	run     *result.Run
	members []int // trials that failed alike
	groups  map[int]*show.Group
	trial   *result.Trial // the first of the members
	width   int
	rows    []*row
}

func (b *block) brief(i int) *result.Brief { return b.run.Briefs.At(b.members[i]) }

func (b *block) render() []*row {
	b.add(&row{})
	b.title()
	b.otherTrials()
	b.rates()
	b.evidence()
	if b.p.opts.Rerun != nil {
		// never cut: people copy it
		b.add((&row{}).gap(2).add(dim, "again: ").add(plain, show.Line(b.p.opts.Rerun(b.ofFirstScenario()...))))
	}
	return b.rows
}

// ofFirstScenario are the members with the scenario of the first one.
func (b *block) ofFirstScenario() []*result.Brief {
	var all []*result.Brief
	for i := range b.members {
		if m := b.brief(i); scenarioOf(m) == scenarioOf(b.brief(0)) {
			all = append(all, m)
		}
	}
	return all
}

func (b *block) add(r *row) { b.rows = append(b.rows, r) }

// placeColumn is the last column of positions on a wide screen, so that they stay near their text.
const placeColumn = 120

// addWithPosition adds a row with a position at its right, or with the position on an indented line below it.
func (b *block) addWithPosition(r *row, place string, indent int) {
	least := r.width + 2 + show.Width(place)
	switch {
	case place == "":
		b.add(r.cut(b.width))
	case least <= b.width:
		b.add(r.right(dim, place, max(min(b.width, placeColumn), least)-r.width))
	default:
		b.add(r.cut(b.width))
		b.add((&row{}).gap(indent).add(dim, show.Cut(place, max(2*b.width, 200))))
	}
}

// title adds the line with the scenario and the provider, or with their number.
func (b *block) title() {
	first := b.brief(0)
	scenarios, places := distinct(b, scenarioOf), distinct(b, placeOf)
	mark, as := sign(first.Status)
	r := (&row{}).add(as, mark).gap(1)
	switch {
	case len(b.members) == 1:
		r.add(bold, name(first)).add(plain, " · "+show.ProviderLabel(first))
		if v := show.Variant(b.trial.Variant); v != "" {
			r.add(dim, " ("+v+")")
		}
	case scenarios == 1 && places == 1:
		r.add(bold, show.Line(first.Scenario)).add(plain, " · "+show.ProviderLabel(first))
	case scenarios == 1:
		r.add(bold, show.Line(first.Scenario)).add(plain, b.counted())
	default:
		r.add(bold, show.Plural(len(b.members), "trial")).add(plain, " · "+show.Plural(scenarios, "scenario")+b.counted())
	}
	place := ""
	if scenarios == 1 {
		place = show.Position(b.trial.Position)
	}
	b.addWithPosition(r, place, 2)
}

func scenarioOf(x *result.Brief) string { return x.File + "\x00" + x.Scenario }
func placeOf(x *result.Brief) string    { return show.ProviderLabel(x) }

// counted is the number of providers, and of rows or recorded conversations, of the trials.
func (b *block) counted() string {
	providers := distinct(b, func(x *result.Brief) string { return x.Provider + "\x00" + x.Region })
	text := " · " + show.Plural(providers, "provider")
	if sessions := distinct(b, func(x *result.Brief) string { return x.Session }); sessions > 1 {
		noun := "conversation"
		if b.brief(0).Row != "" {
			noun = "row"
		}
		text += " · " + show.Plural(sessions, noun)
	}
	return text
}

func distinct(b *block, key func(*result.Brief) string) int {
	seen := map[string]bool{}
	for i := range b.members {
		seen[key(b.brief(i))] = true
	}
	return len(seen)
}

// otherTrials adds the names of the trials that failed like the one that is shown.
func (b *block) otherTrials() {
	if len(b.members) == 1 {
		return
	}
	oneScenario, onePlace := distinct(b, scenarioOf) == 1, distinct(b, placeOf) == 1
	var names []string
	for i := range b.members {
		if len(names) == maxMembers && b.p.opts.Verbosity == 0 {
			names[i-1] += fmt.Sprintf(" and %s more", show.Count(len(b.members)-i))
			break
		}
		m := b.brief(i)
		var parts []string
		if !oneScenario {
			parts = append(parts, show.Line(m.Scenario))
		}
		if !onePlace {
			parts = append(parts, placeOf(m))
		}
		text := strings.Join(parts, " · ")
		names = append(names, strings.TrimSpace(text+" "+show.TrialNumber(m)))
	}
	b.labelled("trials", dim, strings.Join(names, ", "), 3)
}

// rates adds the pass rates of the groups of the trials.
func (b *block) rates() {
	var seen []*show.Group
	for _, i := range b.members {
		g := b.groups[i]
		if g == nil || slices.Contains(seen, g) {
			continue
		}
		if seen = append(seen, g); len(seen) > maxMembers {
			return
		}
		text := g.Rate()
		if len(b.members) > 1 && distinct(b, placeOf)+distinct(b, scenarioOf) > 2 {
			text = show.Line(g.Scenario) + " · " + g.ProviderLabel() + " " + text
		}
		b.add((&row{}).gap(2).add(plain, text).cut(b.width))
	}
}

// labelled adds a label with wrapped text beside it.
func (b *block) labelled(label string, as style, text string, limit int) {
	indent := 2 + show.Width(label) + gap
	if indent > b.width/2 {
		b.add((&row{}).gap(2).add(as, label).cut(b.width))
		label, indent = "", 4
	}
	for i, line := range show.Wrap(text, b.width-indent, b.p.lines(limit)) {
		r := &row{}
		if i == 0 && label != "" {
			r.gap(2).add(as, label).gap(gap)
		} else {
			r.gap(indent)
		}
		b.add(r.add(plain, line))
	}
}
