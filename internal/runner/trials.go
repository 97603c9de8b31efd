package runner

import (
	"iter"
	"slices"
	"sort"
)

// span is consecutive trials of a plan that differ only in number and variant. Its size does not depend on their count.
type span struct {
	Trial              // the first one
	variants []Variant // trial n has variant n-1, modulo their number; nil: all have the first one's
	rows     []int32   // of the dataset, by index from 0: each has all numbers, one row after the other; nil: none
	at       int       // of the first trial, among those of all rows
	count    int
	// wholeDataset says that the rows are one group: its trials have them one after the other, in their order here.
	wholeDataset bool
}

// trial returns the i-th trial of the span.
func (s *span) trial(i int) Trial {
	t := s.Trial
	t.Index, t.N = s.Index+i, s.N+i
	switch {
	case s.wholeDataset:
		t.row = int(s.rows[(t.N-1)/max(len(s.variants), 1)%len(s.rows)]) + 1
	case s.rows != nil:
		of := s.numbers()
		t.row, t.N = int(s.rows[(s.at+i)/of])+1, (s.at+i)%of+1
	}
	if len(s.variants) > 0 {
		t.Variant = s.variants[(t.N-1)%len(s.variants)]
	}
	return t
}

// numbers is how many numbers the trials of a group may have.
func (s *span) numbers() int {
	if s.gate != nil {
		return s.gate.Slots()
	}
	return s.Of
}

// byGroup yields the trials of each group as a span of their own: those of a row, or the span itself.
func (s *span) byGroup() iter.Seq[*span] {
	return func(yield func(*span) bool) {
		if s.rows == nil || s.wholeDataset {
			yield(s)
			return
		}
		of := s.numbers()
		for i := 0; i < s.count; {
			part := *s
			part.Trial = s.trial(i)
			part.at, part.count = s.at+i, min(of-(s.at+i)%of, s.count-i)
			if i += part.count; !yield(&part) {
				return
			}
		}
	}
}

// Len is the number of trials.
func (p *Plan) Len() int {
	if len(p.spans) == 0 {
		return 0
	}
	last := &p.spans[len(p.spans)-1]
	return last.Index + last.count
}

// Trial returns the i-th trial. Each call makes a new one.
func (p *Plan) Trial(i int) Trial {
	at := sort.Search(len(p.spans), func(k int) bool { return p.spans[k].Index > i }) - 1
	s := &p.spans[at]
	return s.trial(i - s.Index)
}

// All yields the trials of the plan, in order.
func (p *Plan) All() iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			s := &p.spans[k]
			for i := range s.count {
				if t := s.trial(i); !yield(&t) {
					return
				}
			}
		}
	}
}

// Groups yields one trial of each scenario, provider and region, the one with the highest number. It is for what all
// trials of a group share. After Keep a group may be yielded several times.
func (p *Plan) Groups() iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			if t := p.spans[k].trial(p.spans[k].count - 1); !yield(&t) {
				return
			}
		}
	}
}

// Sizes yields the trials of Groups, one for each row, each with its number of trials.
func (p *Plan) Sizes() iter.Seq2[*Trial, int] {
	return func(yield func(*Trial, int) bool) {
		for k := range p.spans {
			for part := range p.spans[k].byGroup() {
				if t := part.trial(part.count - 1); !yield(&t, part.count) {
					return
				}
			}
		}
	}
}

// Numbered yields the trials that have one of these numbers in their group, in order. The numbers are sorted and
// unique. Its time depends on the trials it yields, not on all.
func (p *Plan) Numbered(numbers []int) iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			for s := range p.spans[k].byGroup() {
				from, _ := slices.BinarySearch(numbers, s.N)
				for _, n := range numbers[from:] {
					if n >= s.N+s.count {
						break
					}
					if t := s.trial(n - s.N); !yield(&t) {
						return
					}
				}
			}
		}
	}
}

// Asked yields the trials of Numbered, and of groups with variants all of the first rounds: the number of a variant
// depends on which others there are.
func (p *Plan) Asked(numbers []int, rounds int) iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			s, its := &p.spans[k], numbers
			if n := len(s.variants); n > 1 {
				its = numbersTo(min(max(s.N+s.count-1, s.Of), rounds*n))
			}
			one := Plan{spans: p.spans[k : k+1]}
			for t := range one.Numbered(its) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func numbersTo(n int) []int {
	all := make([]int, max(n, 0))
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// Keep returns the plan with only the wanted trials.
func (p *Plan) Keep(wanted func(*Trial) bool) *Plan {
	kept := *p
	kept.spans = nil
	for k := range p.spans {
		s := &p.spans[k]
		open := false
		for i := range s.count {
			t := s.trial(i)
			switch {
			case !wanted(&t):
				open = false
			case open:
				kept.spans[len(kept.spans)-1].count++
			default:
				open = true
				kept.add(span{
					Trial: t, variants: s.variants, rows: s.rows, at: s.at + i, count: 1,
					wholeDataset: s.wholeDataset,
				})
			}
		}
	}
	return &kept
}

// add appends spans and sets their indexes.
func (p *Plan) add(spans ...span) {
	p.spans = slices.Grow(p.spans, len(spans))
	for _, s := range spans {
		s.Index = p.Len()
		p.spans = append(p.spans, s)
	}
}

// single makes a span of each trial.
func single(trials []Trial) []span {
	out := make([]span, len(trials))
	for i, t := range trials {
		out[i] = span{Trial: t, count: 1}
	}
	return out
}
