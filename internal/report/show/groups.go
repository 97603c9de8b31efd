package show

import (
	"hash/maphash"
	"iter"

	"github.com/arena-evals/arena/internal/result"
)

// Groups are the groups of the trials of a run, in the order of their first trials. Groups without an ended trial are
// left out. There may be as many groups as trials, so each is made when it is needed.
type Groups struct {
	run   *result.Run
	first []int32 // index in Run.Briefs of the first trial of each group
	next  []int32 // index of the next trial of the same group; -1: none
}

// groupKey is equal for trials of one group, and only for them.
type groupKey struct {
	file, scenario, provider, region, session string
	stats                                     int32
}

// GroupsOf groups the trials of a run.
func GroupsOf(run *result.Run) *Groups {
	gs := &Groups{run: run, next: make([]int32, run.Briefs.Len())}
	seed := maphash.MakeSeed()
	known := map[uint64]int32{} // hash of a key → number of the group
	var last []int32            // index of the last trial of each group so far
	key := groupKey{}
	at := int32(-1)
	for i, b := range run.Briefs.All() {
		gs.next[i] = -1
		k, found := gs.key(&b), false
		if !b.Gone { // which is alone
			if found = at >= 0 && k == key; !found {
				at, found = gs.find(known, seed, k)
			}
			key = k
		}
		if found {
			gs.next[last[at]], last[at] = int32(i), int32(i)
			continue
		}
		gs.first, last = append(gs.first, int32(i)), append(last, int32(i))
	}
	return gs
}

// find is the number of the group with a key, or the number that it gets.
func (gs *Groups) find(known map[uint64]int32, seed maphash.Seed, k groupKey) (at int32, found bool) {
	for hash := maphash.Comparable(seed, k); ; hash++ {
		at, there := known[hash]
		switch {
		case !there:
			at = int32(len(gs.first))
			known[hash] = at
			return at, false
		case gs.key(gs.firstOf(at)) == k:
			return at, true
		}
	}
}

// firstOf is the first trial of a group.
func (gs *Groups) firstOf(i int32) *result.Brief { return gs.run.Briefs.At(int(gs.first[i])) }

func (gs *Groups) key(b *result.Brief) groupKey {
	k := groupKey{b.File, b.Scenario, b.Provider, b.Region, b.Session, b.Group}
	if b.Group >= 0 && gs.run.Groups[b.Group].Row != b.Row { // all rows are one group
		k.session = ""
	}
	return k
}

// Len is the number of groups.
func (gs *Groups) Len() int { return len(gs.first) }

// At makes a group by its number.
func (gs *Groups) At(i int) *Group {
	b := gs.firstOf(int32(i))
	g := &Group{
		File: b.File, Line: b.Line, Scenario: b.Scenario, Provider: b.Provider, Region: b.Region, Session: b.Session,
		Row: b.Row, Status: b.Status,
	}
	for t := gs.first[i]; t >= 0; t = gs.next[t] {
		g.Trials = append(g.Trials, int(t))
		if !b.Gone && g.Excuse == "" {
			g.Excuse = gs.run.Briefs.At(int(t)).Excuse
		}
	}
	switch {
	case b.Gone && b.Tolerated: // it is in no group any more, because the plan does not have it
		g.Status = result.Passed
	case b.Gone:
	case b.Group >= 0:
		g.Stats = &gs.run.Groups[b.Group]
		if g.Status = g.Stats.Status; g.Stats.Row != b.Row {
			g.Session, g.Row = "", ""
		}
	}
	return g
}

// All are the groups, one after the other.
func (gs *Groups) All() iter.Seq[*Group] {
	return func(yield func(*Group) bool) {
		for i := range gs.Len() {
			if !yield(gs.At(i)) {
				return
			}
		}
	}
}

// Several are the groups of several trials.
func (gs *Groups) Several() iter.Seq[*Group] {
	return func(yield func(*Group) bool) {
		if len(gs.run.Groups) == 0 {
			return
		}
		for i := range gs.Len() {
			if b := gs.firstOf(int32(i)); b.Gone || b.Group < 0 {
				continue
			}
			if !yield(gs.At(i)) {
				return
			}
		}
	}
}
