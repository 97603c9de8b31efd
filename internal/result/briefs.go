package result

import (
	"cmp"
	"runtime/debug"
)

// briefs keeps the briefs of a run while it goes on, without a pointer for each: there may be a million, and the
// garbage collector would look at all of them again and again. What many have in common is kept once.
type briefs struct {
	pages  []*briefPage
	count  int
	shared pool[BriefShared]
	usages pool[Usage]
	checks pool[CheckCount]
	rare   []*BriefRare
	rows   []packedRow
	ids    texts
	names  texts // of rows, and of sessions that are not rows
}

const (
	pageBriefs = 1 << 10
	manyBriefs = 1 << 18
)

type briefPage [pageBriefs]packedBrief

// packedBrief is a Brief of which everything that is shared is a number.
type packedBrief struct {
	duration, cost        float64
	id                    textAt
	index, trial          uint32
	shared, usage, checks uint32
	rare, row             uint32 // from 1; 0: none
	turns                 int32
	status                Status
	flags                 briefFlags
}

// packedRow is a BriefRow.
type packedRow struct {
	row, session textAt // the latter is empty where it is the former
	score        float64
	scored       int32
}

type briefFlags uint8

const (
	hasCost briefFlags = 1 << iota
	isTolerated
	isRejected
	isBefore
	isGone
	isFlaky
	isOverBudget
)

// pool numbers values, and mostly gives equal ones the same number.
type pool[T comparable] struct {
	values []T
	known  map[T]uint32
}

// maxKnown bounds what a pool remembers of what it has seen: where all values differ, that is not worth it.
const maxKnown = 1 << 12

func (p *pool[T]) number(v T) uint32 {
	if n, ok := p.known[v]; ok {
		return n
	}
	if p.known == nil || len(p.known) >= maxKnown {
		p.known = map[T]uint32{}
	}
	n := uint32(len(p.values))
	p.values, p.known[v] = append(p.values, v), n
	return n
}

// add takes the brief of a trial that has not been judged with others.
func (c *briefs) add(b *Brief) {
	p := packedBrief{
		index: uint32(b.Index), trial: uint32(b.Trial), duration: b.DurationMS, turns: b.Turns, status: b.Status,
		id: c.ids.add(b.ID), row: c.addRow(b.BriefRow),
		shared: c.shared.number(*b.BriefShared), usage: c.usages.number(*b.Usage), checks: c.checks.number(*b.Checks),
	}
	if b.BriefRare != noRare {
		c.rare = append(c.rare, b.BriefRare)
		p.rare = uint32(len(c.rare))
	}
	if b.CostUSD != nil {
		p.cost, p.flags = *b.CostUSD, hasCost
	}
	p.flags |= b.flags()
	if c.count%pageBriefs == 0 {
		c.pages = append(c.pages, &briefPage{})
	}
	c.pages[c.count/pageBriefs][c.count%pageBriefs] = p
	c.count++
}

// addRow keeps what only trials of a row or a session have. It returns its number, from 1; 0: there is none.
func (c *briefs) addRow(r *BriefRow) uint32 {
	if r == noRow {
		return 0
	}
	p := packedRow{row: c.names.add(r.Row), score: r.Score, scored: r.Scored}
	if r.Session != r.Row {
		p.session = c.names.add(r.Session)
	}
	c.rows = append(c.rows, p)
	return uint32(len(c.rows))
}

// flags are what is known before the trials are judged together.
func (b *Brief) flags() (all briefFlags) {
	set := func(is bool, flag briefFlags) {
		if is {
			all |= flag
		}
	}
	set(b.Tolerated, isTolerated)
	set(b.Rejected, isRejected)
	set(b.Before, isBefore)
	set(b.Gone, isGone)
	set(b.Flaky, isFlaky)
	set(b.OverBudget, isOverBudget)
	return all
}

// take returns all briefs, behind others, and forgets them.
func (c *briefs) take(before []Brief) []Brief {
	c.ids.close()
	c.names.close()
	all := make([]Brief, len(before), len(before)+c.count)
	copy(all, before)
	rows := c.unpackRows()
	var costs []float64
	for i := range c.count {
		p := &c.pages[i/pageBriefs][i%pageBriefs]
		all = append(all, c.unpack(p, rows))
		if p.flags&hasCost != 0 {
			if len(costs) == cap(costs) {
				costs = make([]float64, 0, min(c.count-i, pageBriefs))
			}
			costs = append(costs, p.cost)
			all[len(all)-1].CostUSD = &costs[len(costs)-1]
		}
		if i%pageBriefs == pageBriefs-1 {
			c.pages[i/pageBriefs] = nil
		}
		if i%manyBriefs == manyBriefs-1 {
			debug.FreeOSMemory() // so many are not to be there twice
		}
	}
	*c = briefs{}
	return all
}

func (c *briefs) unpackRows() []BriefRow {
	rows := make([]BriefRow, len(c.rows))
	for i := range c.rows {
		p := &c.rows[i]
		rows[i] = BriefRow{Row: c.names.get(p.row), Session: c.names.get(p.session), Score: p.score, Scored: p.scored}
		rows[i].Session = cmp.Or(rows[i].Session, rows[i].Row)
	}
	return rows
}

func (c *briefs) unpack(p *packedBrief, rows []BriefRow) Brief {
	b := Brief{
		BriefShared: &c.shared.values[p.shared], BriefRare: noRare, BriefRow: noRow, Usage: &c.usages.values[p.usage],
		Checks: &c.checks.values[p.checks], Index: int(p.index), ID: c.ids.get(p.id), Trial: int(p.trial),
		DurationMS: p.duration, Turns: p.turns, Group: -1, Status: p.status,
	}
	if p.row > 0 {
		b.BriefRow = &rows[p.row-1]
	}
	if p.rare > 0 {
		b.BriefRare = c.rare[p.rare-1]
	}
	b.Tolerated, b.Rejected, b.Before = p.flags&isTolerated != 0, p.flags&isRejected != 0, p.flags&isBefore != 0
	b.Gone, b.Flaky, b.OverBudget = p.flags&isGone != 0, p.flags&isFlaky != 0, p.flags&isOverBudget != 0
	return b
}
