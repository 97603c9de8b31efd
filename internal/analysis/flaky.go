package analysis

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// sameInputs gathers the trials that ask for the same, where some of them passed and some did not. There may be a
// million trials that are alone, such as those of the rows of a dataset: of these nothing is kept.
type sameInputs struct {
	seed  maphash.Seed
	mixed []uint64 // hashes of the names of what may be flaky, sorted
	known map[string]*Flaky
	order []string
}

func newSames(inputs []Input) *sameInputs {
	s := &sameInputs{seed: maphash.MakeSeed(), known: map[string]*Flaky{}}
	var passed, fallen []uint64
	for _, in := range inputs {
		for _, b := range in.Run.Briefs.All() {
			if !ran(b.Status) {
				continue
			}
			if b.Status == result.Passed {
				passed = append(passed, s.hash(&b))
			}
			if b.Status != result.Passed || b.Flaky {
				fallen = append(fallen, s.hash(&b))
			}
		}
	}
	slices.Sort(passed)
	for _, h := range fallen {
		if _, both := slices.BinarySearch(passed, h); both {
			s.mixed = append(s.mixed, h)
		}
	}
	slices.Sort(s.mixed)
	s.mixed = slices.Clip(slices.Compact(s.mixed))
	return s
}

// ran reports whether a trial says how its agent does.
func ran(s result.Status) bool {
	switch s {
	case result.Skipped, result.Cancelled, result.Undecided:
		return false
	case result.Passed, result.Failed, result.Errored, result.Unset:
	}
	return true
}

func (s *sameInputs) hash(b *result.Brief) uint64 { return maphash.String(s.seed, asked(b)) }

// add counts a trial with those that ask for the same.
func (s *sameInputs) add(run string, b *result.Brief) {
	if len(s.mixed) == 0 || !ran(b.Status) {
		return
	}
	id := asked(b)
	if _, may := slices.BinarySearch(s.mixed, maphash.String(s.seed, id)); !may {
		return
	}
	f := s.known[id]
	if f == nil {
		f = &Flaky{Name: id, Scenario: b.Scenario, Provider: b.Provider, Row: b.Row}
		s.known[id], s.order = f, append(s.order, id)
	}
	switch b.Status {
	case result.Passed:
		f.Passed++
	case result.Failed:
		f.Failed++
	default:
		f.Errors++
	}
	if f.Trials++; len(f.Runs) == 0 || f.Runs[len(f.Runs)-1] != run {
		f.Runs = append(f.Runs, run)
	}
	if b.Flaky {
		f.Again++
	}
}

// asked is the id of a trial without its number: the same for trials that ask for the same.
func asked(b *result.Brief) string {
	if !strings.Contains(b.ID, "#") {
		return b.ID
	}
	number := fmt.Sprintf("/%s#%d", b.Region, b.Trial)
	return strings.Replace(b.ID, number, "/"+b.Region, 1)
}

// flaky lists those of which some passed and some did not.
func (s *sameInputs) flaky() List[Flaky] {
	var all top[Flaky]
	for _, id := range s.order {
		if f := s.known[id]; f.Passed > 0 && f.Failed+f.Errors > 0 || f.Again > 0 { // or two names have one hash
			all.add(*f, oftener)
		}
	}
	return all.done(oftener)
}

// oftener has those first that are nearest to passing every other time.
func oftener(x, y *Flaky) int {
	return cmp.Or(cmp.Compare(y.flakiness(), x.flakiness()), cmp.Compare(y.Trials, x.Trials))
}

func (f *Flaky) flakiness() float64 {
	rate := float64(f.Passed) / float64(max(f.Trials, 1))
	return min(rate, 1-rate)
}
