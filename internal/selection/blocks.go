package selection

import (
	"cmp"
	"container/heap"
	"slices"
)

// Joined makes one range of those that follow each other.
func Joined(places [][2]int) (all [][2]int) {
	for _, r := range places {
		if n := len(all); n > 0 && all[n-1][1] == r[0] {
			all[n-1][1] = r[1]
			continue
		}
		all = append(all, r)
	}
	return all
}

// Block is trials that stay together: a group, or several rows of a dataset that follow each other.
type Block struct {
	Places [][2]int // in the plan
	Takes  int64
}

// Blocks are all trials of a plan, in its order.
type Blocks []*Block

// RowBlocks is into how many blocks for each part a dataset is cut: as many as balance the parts well, and few enough
// that a journal can say where its rows are.
const RowBlocks = 64

// Chosen are the blocks of a part: the longest go first, each to the part with the least to do.
func (all Blocks) Chosen(number, of int) (mine []*Block) {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *Block) int { return cmp.Compare(b.Takes, a.Takes) })
	parts := make(loads, of)
	for i := range parts {
		parts[i] = load{part: i}
	}
	taken := map[*Block]bool{}
	for i, b := range order {
		if i%of == 0 { // where all have the same to do, another one begins: that groups alternate must not tell them apart
			parts.turn(i / of)
		}
		if parts[0].part == number-1 {
			taken[b] = true
		}
		parts[0].takes += b.Takes
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

func (h *loads) Push(any) {}

func (h *loads) Pop() any { return nil }
