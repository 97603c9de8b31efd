package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/sortby"
)

// Variant is one combination of perturbations, in the order of the file; nil: the scenario has none.
type Variant []substitution

// substitution replaces {name} by text.
type substitution struct {
	turn       int // the turn that declares it
	name, text string
}

// maxVariants is the largest number of variants of one scenario.
const maxVariants = 10_000

// countVariants is the number of variants, or any number above maxVariants when there are more.
func countVariants(s *scenario.Scenario) int {
	n := 1
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			if n *= max(len(p.Values), 1); n > maxVariants {
				return n
			}
		}
	}
	return n
}

// variants is the cartesian product of the perturbations of all turns; the last one varies fastest. A scenario without
// perturbations has one variant, which is nil.
func variants(s *scenario.Scenario) []Variant {
	out := []Variant{nil}
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			next := make([]Variant, 0, len(out)*len(p.Values))
			for _, v := range out {
				for _, text := range p.Values {
					next = append(next, append(slices.Clip(v), substitution{i, p.Name, text}))
				}
			}
			out = next
		}
	}
	return out
}

// values returns the substitutions in a turn, by name. When several turns declare a name, the turn's own counts.
func (v Variant) values(turn int) map[string]string {
	if len(v) == 0 {
		return nil
	}
	values := make(map[string]string, len(v))
	for _, s := range v {
		if _, taken := values[s.name]; !taken || s.turn == turn {
			values[s.name] = s.text
		}
	}
	return values
}

// sorted orders the substitutions by turn and name, whatever the order in the file.
func (v Variant) sorted() Variant {
	if len(v) < 2 {
		return v
	}
	sorted := slices.Clone(v)
	sortby.Func(sorted, func(a, b substitution) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.name, b.name))
	})
	return sorted
}

// label is the variant in results.
func (v Variant) label() map[string]string {
	if len(v) == 0 {
		return nil
	}
	out := make(map[string]string, len(v))
	for _, s := range v {
		name := s.name
		if _, taken := out[name]; taken {
			name = fmt.Sprintf("%s@turn%d", s.name, s.turn+1)
		}
		out[name] = s.text
	}
	return out
}

func (v Variant) String() string {
	if len(v) == 0 {
		return ""
	}
	parts := make([]string, len(v))
	for i, s := range v {
		parts[i] = s.name + "=" + s.text
	}
	return "[" + strings.Join(parts, ",") + "]"
}
