package result

import (
	"cmp"
	"iter"
	"sort"
)

// Briefs are the briefs of finished trials, in plan order. There may be a million, so they are packed: without a
// pointer for each, to spare the garbage collector, and with shared values stored once. A Brief is unpacked on demand.
// nil has none.
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

// packedBrief is a Brief in which shared values are indexes.
type packedBrief struct {
	duration                     float64
	id, asked                    textAt
	index, trial                 int64
	shared, spent, checked, fate uint32
	rare, row                    uint32 // from 1; 0: none
	flags                        briefFlags
	status                       Status
}

// briefSpent is the usage and cost of a conversation.
type briefSpent struct {
	usage  Usage
	cost   float64
	priced bool
}

// briefChecked counts the checks and turns of a trial.
type briefChecked struct {
	checks CheckCount
	turns  int32
}

// briefFate is what the run decides about a trial: group, quarantine, excuse.
type briefFate struct {
	group      int32
	quarantine *Quarantine
	excuse     string
}

// packedRow is a BriefRow.
type packedRow struct {
	row, session textAt // session is empty if it equals the row
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

// Len is the number of briefs.
func (c *Briefs) Len() int {
	if c == nil {
		return 0
	}
	return c.count
}

// At unpacks a brief. It is small enough to be inlined, so that the brief stays on the caller's stack.
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

// All yields all briefs, with their indexes.
func (c *Briefs) All() iter.Seq2[int, Brief] {
	return func(yield func(int, Brief) bool) {
		for i := range c.Len() {
			if !yield(i, *c.At(i)) {
				return
			}
		}
	}
}

// Any reports whether a condition holds for any brief.
func (c *Briefs) Any(is func(*Brief) bool) bool {
	for i := range c.Len() {
		if is(c.At(i)) {
			return true
		}
	}
	return false
}

// index is the plan index of a brief.
func (c *Briefs) index(i int) int { return int(c.packed(i).index) }

func (c *Briefs) packed(i int) *packedBrief { return &c.pages[i/pageBriefs][i%pageBriefs] }

// add appends a brief.
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

// judge stores what the run decided about a trial.
func (c *Briefs) judge(i int, b *Brief) {
	p := c.packed(i)
	p.flags, p.fate = b.flags(), c.fates.number(b.fate())
}

func (b *Brief) fate() briefFate { return briefFate{b.Group, b.Quarantine, b.Excuse} }

// sort sorts the briefs in plan order.
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

// addRow stores the values of a row or a session. It returns their number, from 1; 0: none.
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
