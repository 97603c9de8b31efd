// Package textmeasure measures how much two texts have in common: by characters, words, runs of words, and embeddings.
package textmeasure

import (
	"fmt"
	"math/bits"
)

// Comparing two texts item by item takes time that grows with the product of their lengths. The measures here take 64
// items of one text at once and need memory for one row of the other, and a limit keeps hostile replies from costing
// more than a moment.

// maxSteps bounds the work of one comparison, in steps of a few nanoseconds.
const maxSteps = 1 << 28

// Items are the characters or words of a text as numbers: equal ones have equal numbers. 0 is an item that the other
// text does not have.
type Items []int32

// numbered gives numbers to what texts are made of, from 1.
type numbered[K comparable] map[K]int32

func (n numbered[K]) add(list Items, k K) Items {
	id, ok := n[k]
	if !ok {
		id = int32(len(n) + 1)
		n[k] = id
	}
	return append(list, id)
}

// Characters makes items of two texts.
func Characters(text, other string) (a, b Items) {
	n := numbered[rune]{}
	for _, r := range other {
		b = n.add(b, r)
	}
	a = make(Items, 0, len(text))
	for _, r := range text {
		a = append(a, n[r])
	}
	return a, b
}

// Comparison is the work on two texts, the rows being those of the shorter one.
type Comparison struct {
	rows, columns Items
	masks         []uint64 // item → the rows of the block where it stands
}

// Compare prepares a comparison, and refuses one that would take too long.
func Compare(reply, reference Items) (*Comparison, error) {
	c := &Comparison{rows: reference, columns: reply}
	if len(reply) < len(reference) {
		c.rows, c.columns = reply, reference
	}
	if len(c.columns)*((len(c.rows)+63)/64) > maxSteps {
		return nil, fmt.Errorf("too long to be compared: the reply has %d Items, the reference %d",
			len(reply), len(reference))
	}
	most := int32(0)
	for _, id := range reference {
		most = max(most, id)
	}
	c.masks = make([]uint64, most+1)
	return c, nil
}

// block sets the masks for the 64 rows from a row on, and returns how many rows there are.
func (c *Comparison) block(from int) int {
	end := min(from+64, len(c.rows))
	for i, id := range c.rows[from:end] {
		c.masks[id] |= 1 << i
	}
	return end - from
}

func (c *Comparison) clear(from int) {
	for _, id := range c.rows[from:min(from+64, len(c.rows))] {
		c.masks[id] = 0
	}
}

// Distance is the least number of items to insert, delete or replace that makes one text out of the other. The table
// of distances is kept as the differences between neighbours, which are -1, 0 or 1, one bit for each row: Myers, "A
// fast bit-vector algorithm for approximate string matching based on dynamic programming" (1999), as refined by
// Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances" (2003).
func (c *Comparison) Distance() int {
	steps := make([]int8, len(c.columns)) // along the row above the block, from column to column
	for j := range steps {
		steps[j] = 1
	}
	for from := 0; from < len(c.rows); from += 64 {
		last := c.block(from) - 1
		up, down := ^uint64(0), uint64(0) // which row is one more, one less than the row above
		for j, id := range c.columns {
			above := steps[j]
			var more, less uint64
			switch above {
			case 1:
				more = 1
			case -1:
				less = 1
			}
			match := c.masks[id]
			vertical := match | down
			match |= less
			diagonal := (((match & up) + up) ^ up) | match
			grows, shrinks := down|^(diagonal|up), up&diagonal
			steps[j] = int8(grows>>last&1) - int8(shrinks>>last&1)
			grows, shrinks = grows<<1|more, shrinks<<1|less
			up, down = shrinks|^(vertical|grows), grows&vertical
		}
		c.clear(from)
	}
	total := len(c.rows)
	for _, step := range steps {
		total += int(step)
	}
	return total
}

// Common is the length of the longest sequence of items that both texts have in the same order, gaps allowed:
// Crochemore and others, "A fast and practical bit-vector algorithm for the longest common subsequence problem" (2001).
func (c *Comparison) Common() int {
	carries := make([]uint8, len(c.columns)) // out of the block above
	total := 0
	for from := 0; from < len(c.rows); from += 64 {
		n := c.block(from)
		open := ^uint64(0) // rows in which the sequence does not grow
		for j, id := range c.columns {
			match := c.masks[id]
			sum, carry := bits.Add64(open, open&match, uint64(carries[j]))
			open, carries[j] = sum|open&^match, uint8(carry)
		}
		c.clear(from)
		total += bits.OnesCount64(^open << (64 - n))
	}
	return total
}
