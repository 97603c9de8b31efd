package runner

import (
	"cmp"
	"container/heap"
	"encoding/hex"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Cut returns a part of the plan, one of several that have each trial once between them. All trials of a group are in
// one part, so that each part can tell whether its groups passed. Rows of a dataset are groups: what is said of a
// dataset as a whole decides nothing, and is said when the parts are together again.
//
// The parts take about as long as each other by what a trial of a group takes, in any unit; nil: by the turns of the
// scenarios. They depend on nothing else, and are the same on every machine.
func (p *Plan) Cut(shard result.Shard, takes func(*Trial) int64) *Plan {
	var places [][2]int
	for _, b := range p.blocks(shard.Of, takes).chosen(shard.Number, shard.Of) {
		places = append(places, b.places...)
	}
	slices.SortFunc(places, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return p.Part(shard, joined(places))
}

// Part returns the trials of the plan at places, from the first of each range to before its end. The ranges are sorted
// and have no place in common.
func (p *Plan) Part(shard result.Shard, places [][2]int) *Plan {
	out := *p
	if shard.Planned = p.Planned(); shard.Planned != p.Len() {
		shard.Slots = p.Len()
	}
	out.whole, out.shard, out.spans, out.places = p, &shard, nil, places
	k := 0
	for _, r := range places {
		for from := r[0]; from < r[1]; {
			for p.spans[k].Index+p.spans[k].count <= from {
				k++
			}
			s := &p.spans[k]
			at := from - s.Index
			n := min(s.count-at, r[1]-from)
			out.add(span{
				Trial: s.trial(at), variants: s.variants, rows: s.rows, at: s.at + at, count: n,
				wholeDataset: s.wholeDataset,
			})
			from += n
		}
	}
	return &out
}

// joined makes one range of those that follow each other.
func joined(places [][2]int) (all [][2]int) {
	for _, r := range places {
		if n := len(all); n > 0 && all[n-1][1] == r[0] {
			all[n-1][1] = r[1]
			continue
		}
		all = append(all, r)
	}
	return all
}

// Shard is which part of a plan this is, and at which places its trials stand there, from the first of each range to
// before its end; nil: it is the whole.
func (p *Plan) Shard() (*result.Shard, [][2]int) { return p.shard, p.places }

// entire is the plan that this one is a part of, or itself.
func (p *Plan) entire() *Plan {
	if p.whole != nil {
		return p.whole
	}
	return p
}

// block is trials that stay together: a group, or several rows of a dataset that follow each other.
type block struct {
	places [][2]int // in the plan
	takes  int64
}

type blocks []*block

// rowBlocks is into how many blocks for each part a dataset is cut: as many as balance the parts well, and few enough
// that a journal can say where its rows are.
const rowBlocks = 64

// blocks lists what the parts consist of, in the order of the plan.
func (p *Plan) blocks(parts int, takes func(*Trial) int64) (all blocks) {
	if takes == nil {
		takes = func(t *Trial) int64 { return int64(max(len(t.Scenario.Turns), 1)) }
	}
	type groupKey struct {
		project, scenario, endpoint any
		region                      string
	}
	known := map[groupKey]*block{} // of groups that are not in one span
	for k := range p.spans {
		s := &p.spans[k]
		ofRows := s.rows != nil && !s.wholeDataset
		rows := 1
		if ofRows {
			rows = max(len(s.rows)/(rowBlocks*parts), 1)
		}
		var b *block
		groups := 0
		for part := range s.byGroup() {
			key := groupKey{part.Project, part.Scenario, part.Endpoint, part.Region}
			grouped := !ofRows && part.Of > 1
			if b = cmp.Or(known[key], b); groups%rows == 0 && (!grouped || known[key] == nil) {
				b = &block{}
				all = append(all, b)
			}
			if groups++; grouped {
				known[key] = b
			}
			n := part.count
			if s.gate != nil {
				n = min(n, s.gate.Max)
			}
			b.takes += takes(&part.Trial) * int64(n)
			b.places = joined(append(b.places, [2]int{part.Index, part.Index + part.count}))
		}
	}
	return all
}

// chosen are the blocks of a part: the longest go first, each to the part with the least to do.
func (all blocks) chosen(number, of int) (mine []*block) {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *block) int { return cmp.Compare(b.takes, a.takes) })
	parts := make(loads, of)
	for i := range parts {
		parts[i] = load{part: i}
	}
	taken := map[*block]bool{}
	for i, b := range order {
		if i%of == 0 { // where all have the same to do, another one begins: that groups alternate must not tell them apart
			parts.turn(i / of)
		}
		if parts[0].part == number-1 {
			taken[b] = true
		}
		parts[0].takes += b.takes
		heap.Fix(&parts, 0)
	}
	for _, b := range all {
		if taken[b] {
			mine = append(mine, b)
		}
	}
	return mine
}

// load is what a part has to do so far.
type load struct {
	takes      int64
	part, rank int
}

// loads is a heap, the least of them first.
type loads []load

// turn lets another part come first among those that have the same to do.
func (h loads) turn(by int) {
	for i := range h {
		h[i].rank = (h[i].part + len(h) - by%len(h)) % len(h)
	}
	heap.Init(&h)
}

func (h loads) Len() int { return len(h) }
func (h loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].takes, h[j].takes), cmp.Compare(h[i].rank, h[j].rank)) < 0
}
func (h loads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *loads) Push(any)     {}
func (h *loads) Pop() any     { return nil }

// Plan returns a sum of a plan: what each of its trials asks for, and their order. The size of groups counts.
func (f *Fingerprints) Plan(p *Plan) string {
	var sums []byte
	for k := range p.spans {
		for s := range p.spans[k].byGroup() {
			different := max(len(s.variants), 1)
			if s.wholeDataset {
				different *= max(len(s.rows), 1)
			}
			for i := range min(different, s.count) {
				t := s.trial(i)
				sum := scenario.Digest(t.ID(), t.N, t.Of, s.count, len(s.variants), s.gate, f.Of(&t))
				sums = append(sums, sum[:]...)
			}
		}
	}
	sum := scenario.Digest(sums)
	return hex.EncodeToString(sum[:])
}
