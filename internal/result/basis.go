package result

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/diag"
)

// Basis is the baseline that a run is compared with.
type Basis struct {
	Path          string         `json:"path"`
	File          *baseline.File `json:"file"`
	KnownFailures bool           `json:"known_failures,omitempty"`
}

// Asking is a group, with a hash of what it asks and checks.
type Asking struct{ Group, Asked string }

// Fit describes a run for Mismatch.
type Fit struct {
	Suite  string
	Groups []Asking
	Gates  bool // the baseline decides whether the run is red
}

// Mismatch reports why the run cannot be compared with the baseline.
func (b *Basis) Mismatch(of Fit, d *diag.List) {
	if b.File.Suite != of.Suite {
		d.Errorf(diag.Pos{File: b.Path, Line: 3, Col: 1}, 0, "baseline",
			"the baseline is of the suite %q, and this one is %q", b.File.Suite, of.Suite).Hint =
			"name that of this suite, or bless a run of it"
		return
	}
	met, same, example, differs := map[string]bool{}, 0, "", ""
	for _, g := range of.Groups {
		example = g.Group
		was := b.File.Find(g.Group)
		if was == nil || met[g.Group] {
			continue
		}
		met[g.Group] = true
		if AskedEqual(was.Asked, g.Asked) {
			same++
		} else if g.Asked != "" && differs == "" {
			differs = ": of " + g.Group + ", " + diag.Safe(strings.Join(AskedDifferences(was.Asked, g.Asked), "; "))
		}
	}
	at := diag.Pos{File: b.Path, Line: 1, Col: 1}
	switch {
	case len(met) == 0:
		d.Errorf(at, 0, "baseline", "the baseline has no group of this plan: it has %s, and the plan has %s",
			b.example(), example).Hint = "name that of this suite, or bless a run of it"
		return
	case same == 0 && of.Gates:
		d.Errorf(at, 0, "baseline", "no group asks and checks what it did in the baseline, so nothing could be compared%s",
			differs).Hint = "bless a run of today's files"
		return
	case same == 0:
		d.Warnf(at, 0, "baseline", "no group asks and checks what it did in the baseline, so nothing is compared%s", differs).
			Hint = "bless a run of today's files"
	}
}

// example names groups of the baseline.
func (b *Basis) example() string {
	if len(b.File.Groups) == 0 {
		return "none"
	}
	name := b.File.Groups[0].Name
	if n := len(b.File.Groups) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name
}
