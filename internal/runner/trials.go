package runner

import (
	"iter"
	"slices"
	"sort"
)

// span is trials of a plan that follow each other and differ in their number and their variant alone. However many they
// are, they take the room of one.
type span struct {
	Trial              // the first of them
	variants []Variant // the n-th trial of the group has the n-th, over and over; nil: all have that of the first
	count    int
}

// trial is the i-th of the span.
func (s *span) trial(i int) Trial {
	t := s.Trial
	t.Index, t.N = s.Index+i, s.N+i
	if len(s.variants) > 0 {
		t.Variant = s.variants[(t.N-1)%len(s.variants)]
	}
	return t
}

// Len is how many trials the plan has.
func (p *Plan) Len() int {
	if len(p.spans) == 0 {
		return 0
	}
	last := &p.spans[len(p.spans)-1]
	return last.Index + last.count
}

// Trial is the i-th trial of the plan, made for whoever asks.
func (p *Plan) Trial(i int) Trial {
	at := sort.Search(len(p.spans), func(k int) bool { return p.spans[k].Index > i }) - 1
	s := &p.spans[at]
	return s.trial(i - s.Index)
}

// All are the trials of the plan, in order.
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

// Groups has a trial of each scenario, provider and region, that with the highest number: for what is the same for all
// of them, however many they are. A group of which Keep left out some may come several times.
func (p *Plan) Groups() iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			if t := p.spans[k].trial(p.spans[k].count - 1); !yield(&t) {
				return
			}
		}
	}
}

// Sizes has the same trials as Groups, each with how many trials it stands for.
func (p *Plan) Sizes() iter.Seq2[*Trial, int] {
	return func(yield func(*Trial, int) bool) {
		for k := range p.spans {
			if t := p.spans[k].trial(p.spans[k].count - 1); !yield(&t, p.spans[k].count) {
				return
			}
		}
	}
}

// Numbered are the trials, in order, that have one of these numbers in their group. The numbers are in order, each
// once. It takes no longer for many trials than for those with the numbers.
func (p *Plan) Numbered(numbers []int) iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			s := &p.spans[k]
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

// Asked are the trials of Numbered, and of groups with variants all of the first rounds: a variant has another number
// where there are others besides it.
func (p *Plan) Asked(numbers []int, rounds int) iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		for k := range p.spans {
			s, its := &p.spans[k], numbers
			if n := len(s.variants); n > 1 {
				its = numbersTo(min(s.N+s.count-1, rounds*n))
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

// Keep is the plan with only the trials that are wanted.
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
				kept.add(span{Trial: t, variants: s.variants, count: 1})
			}
		}
	}
	return &kept
}

// add puts trials behind those that are there.
func (p *Plan) add(spans ...span) {
	for _, s := range spans {
		s.Index = p.Len()
		p.spans = append(p.spans, s)
	}
}

// single are spans of one trial each.
func single(trials []Trial) []span {
	out := make([]span, len(trials))
	for i, t := range trials {
		out[i] = span{Trial: t, count: 1}
	}
	return out
}
