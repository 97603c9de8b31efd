package runner

import (
	"cmp"
	"encoding/hex"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
	"github.com/arena-evals/arena/internal/sortby"
)

// Cut returns one part of the plan; the parts together have each trial once. All trials of a group are in one part, so
// that each part can decide its groups. The rows of a dataset are groups; statistics of a whole dataset are made when
// the parts are merged.
//
// The parts take about equal time. takes is the time of a trial of a group, in any unit; nil: the number of turns
// counts. The cut depends on nothing else, and is the same on every machine.
func (p *Plan) Cut(shard result.Shard, takes func(*Trial) int64) *Plan {
	var places [][2]int
	for _, b := range p.blocks(shard.Of, takes).Chosen(shard.Number, shard.Of) {
		places = append(places, b.Places...)
	}
	sortby.Func(places, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return p.Part(shard, selection.Joined(places))
}

// Part returns the trials of the plan at places, from the first of each range to before its end. The ranges are sorted
// and have no place in common.
func (p *Plan) Part(shard result.Shard, places [][2]int) *Plan {
	out := *p
	if shard.Planned = p.Planned(); shard.Planned != p.Len() {
		shard.Slots = p.Len()
	}
	out.complete, out.shard, out.spans, out.places = p, &shard, nil, places
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

// Shard is the part of a plan that this plan is, with its ranges of plan indexes, as [first, end); nil: the whole plan.
func (p *Plan) Shard() (*result.Shard, [][2]int) { return p.shard, p.places }

// entire is the whole plan.
func (p *Plan) entire() *Plan {
	if p.complete != nil {
		return p.complete
	}
	return p
}

// blocks lists the units that are distributed over the parts, in the order of the plan.
func (p *Plan) blocks(parts int, takes func(*Trial) int64) (all selection.Blocks) {
	if takes == nil {
		takes = func(t *Trial) int64 { return int64(max(len(t.Scenario.Turns), 1)) }
	}
	type groupKey struct {
		project, scenario, endpoint any
		region                      string
	}
	known := map[groupKey]*selection.Block{} // of groups in several spans
	for k := range p.spans {
		s := &p.spans[k]
		ofRows := s.rows != nil && !s.wholeDataset
		rows := 1
		if ofRows {
			rows = max(len(s.rows)/(selection.RowBlocks*parts), 1)
		}
		var b *selection.Block
		groups := 0
		for part := range s.byGroup() {
			key := groupKey{part.Project, part.Scenario, part.Endpoint, part.Region}
			grouped := !ofRows && part.Of > 1
			if b = cmp.Or(known[key], b); groups%rows == 0 && (!grouped || known[key] == nil) {
				b = &selection.Block{}
				all = append(all, b)
			}
			if groups++; grouped {
				known[key] = b
			}
			n := part.count
			if s.gate != nil {
				n = min(n, s.gate.Max)
			}
			b.Takes += takes(&part.Trial) * int64(n)
			b.Places = selection.Joined(append(b.Places, [2]int{part.Index, part.Index + part.count}))
		}
	}
	return all
}

// Plan is a hash of a plan: what its trials ask, their order, and the sizes of groups.
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
