package result

import (
	"cmp"
	"iter"
	"sort"
)

// Briefs are the briefs of the finished trials of a run, in plan order. There may be a million, and so they are kept
// without a pointer for each, which the garbage collector would look at again and again, and what many have in common
// once. A Brief is made when it is asked for. nil has none.
type Briefs struct {
	pages     []*briefPage
	count     int
	unordered bool

	shared  pool[BriefShared]
	spent   pool[briefSpent]
	checked pool[briefChecked]
	fates   pool[briefFate]
	rare    []*BriefRare
	rows    []packedRow
	ids     texts
	names   texts // of rows, and of sessions that are not rows
	asked   texts // differs from row to row, and is mostly the same within a scenario
}

const pageBriefs = 1 << 10

type briefPage [pageBriefs]packedBrief

// packedBrief is a Brief in which shared values are numbers.
type packedBrief struct {
	duration                     float64
	id, asked                    textAt
	index, trial                 int64
	shared, spent, checked, fate uint32
	rare, row                    uint32 // from 1; 0: none
	flags                        briefFlags
	status                       Status
}

// briefSpent is what the conversation of a trial took.
type briefSpent struct {
	usage  Usage
	cost   float64
	priced bool
}

// briefChecked is how much of a trial there is, and what was seen in it.
type briefChecked struct {
	checks CheckCount
	turns  int32
}

// briefFate is what others make of a trial: its group, a quarantine, a baseline.
type briefFate struct {
	group      int32
	quarantine *Quarantine
	excuse     string
}

// packedRow is a BriefRow.
type packedRow struct {
	row, session textAt // the latter is empty where it is the former
	score        float64
	scored       int32
}

// briefFlags are the fields of a Brief that are true or false.
type briefFlags uint16

// BriefsOf packs briefs.
func BriefsOf(all ...Brief) *Briefs {
	c := &Briefs{}
	for i := range all {
		c.add(&all[i])
	}
	return c
}

// Len is their number.
func (c *Briefs) Len() int {
	if c == nil {
		return 0
	}
	return c.count
}

// At makes one of them. It is small enough to be made on the stack of whoever does not keep it.
func (c *Briefs) At(i int) *Brief {
	b := &Brief{}
	c.unpack(i, b)
	return b
}

func (c *Briefs) unpack(i int, b *Brief) {
	p := c.packed(i)
	spent, checked, fate := &c.spent.values[p.spent], &c.checked.values[p.checked], &c.fates.values[p.fate]
	*b = Brief{
		BriefShared: &c.shared.values[p.shared], BriefRare: noRare, BriefRow: noRow, Usage: &spent.usage,
		Checks: &checked.checks, Turns: checked.turns, Index: int(p.index), ID: c.ids.get(p.id), Trial: int(p.trial),
		Asked: c.asked.get(p.asked), DurationMS: p.duration, Status: p.status, Group: fate.group,
		Quarantine: fate.quarantine, Excuse: fate.excuse,
	}
	if spent.priced {
		b.CostUSD = &spent.cost
	}
	if p.row > 0 {
		b.BriefRow = c.row(p.row)
	}
	if p.rare > 0 {
		b.BriefRare = c.rare[p.rare-1]
	}
	if p.flags != 0 {
		b.setFlags(p.flags)
	}
}

// All are all of them, with their numbers.
func (c *Briefs) All() iter.Seq2[int, Brief] {
	return func(yield func(int, Brief) bool) {
		for i := range c.Len() {
			if !yield(i, *c.At(i)) {
				return
			}
		}
	}
}

// Any reports whether something is true of any of them.
func (c *Briefs) Any(is func(*Brief) bool) bool {
	for i := range c.Len() {
		if is(c.At(i)) {
			return true
		}
	}
	return false
}

// index is the place in the plan of one of them.
func (c *Briefs) index(i int) int { return int(c.packed(i).index) }

func (c *Briefs) packed(i int) *packedBrief { return &c.pages[i/pageBriefs][i%pageBriefs] }

// add puts one behind the others.
func (c *Briefs) add(b *Brief) {
	p := packedBrief{
		index: int64(b.Index), trial: int64(b.Trial), duration: b.DurationMS, status: b.Status, flags: b.flags(),
		id: c.ids.add(b.ID), asked: c.asked.add(b.Asked), row: c.addRow(b.BriefRow), shared: c.shared.number(*b.BriefShared),
		checked: c.checked.number(briefChecked{*b.Checks, b.Turns}), fate: c.fates.number(b.fate()),
	}
	spent := briefSpent{usage: *b.Usage}
	if b.CostUSD != nil {
		spent.cost, spent.priced = *b.CostUSD, true
	}
	p.spent = c.spent.number(spent)
	if !b.isEmpty() {
		c.rare = append(c.rare, b.BriefRare)
		p.rare = uint32(len(c.rare))
	}
	if c.count%pageBriefs == 0 {
		c.pages = append(c.pages, &briefPage{})
	}
	c.unordered = c.unordered || c.count > 0 && c.index(c.count-1) > b.Index
	c.count++
	*c.packed(c.count - 1) = p
}

// judge takes over what others made of a trial.
func (c *Briefs) judge(i int, b *Brief) {
	p := c.packed(i)
	p.flags, p.fate = b.flags(), c.fates.number(b.fate())
}

func (b *Brief) fate() briefFate { return briefFate{b.Group, b.Quarantine, b.Excuse} }

// sort puts them into plan order.
func (c *Briefs) sort() {
	if c == nil || !c.unordered {
		return
	}
	sort.Stable(byIndex{c})
	c.unordered = false
}

type byIndex struct{ *Briefs }

func (c byIndex) Less(i, j int) bool { return c.index(i) < c.index(j) }
func (c byIndex) Swap(i, j int) {
	a, b := c.packed(i), c.packed(j)
	*a, *b = *b, *a
}

// addRow keeps what only trials of a row or a session have. It returns its number, from 1; 0: none.
func (c *Briefs) addRow(r *BriefRow) uint32 {
	if *r == *noRow {
		return 0
	}
	p := packedRow{row: c.names.add(r.Row), score: r.Score, scored: r.Scored}
	if r.Session != r.Row {
		p.session = c.names.add(r.Session)
	}
	c.rows = append(c.rows, p)
	return uint32(len(c.rows))
}

func (c *Briefs) row(number uint32) *BriefRow {
	p := &c.rows[number-1]
	row := c.names.get(p.row)
	return &BriefRow{Row: row, Session: cmp.Or(c.names.get(p.session), row), Score: p.score, Scored: p.scored}
}

// flags are the fields of a brief that are flags, in their order.
func (b *Brief) flags() (all briefFlags) {
	for i, is := range [...]bool{
		b.Tolerated, b.Outvoted, b.Rejected, b.Uncounted, b.Known, b.Before, b.Gone, b.Flaky, b.OverBudget,
	} {
		if is {
			all |= 1 << i
		}
	}
	return all
}

func (b *Brief) setFlags(all briefFlags) {
	for i, is := range [...]*bool{
		&b.Tolerated, &b.Outvoted, &b.Rejected, &b.Uncounted, &b.Known, &b.Before, &b.Gone, &b.Flaky, &b.OverBudget,
	} {
		*is = all>>i&1 != 0
	}
}
