package evals

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/scenario"
)

// Definition is an eval as its author wrote it.
type Definition = scenario.Eval

// Eval is an eval with its compiled check.
type Eval struct {
	*Definition
	Check *checks.Compiled
}

// Gates reports whether the eval has a threshold.
func (e *Eval) Gates() bool { return e.Check.Gates() }

// Set is the evals of one prompt, in order. It is immutable.
type Set []*Eval

// New returns the definitions that are enabled. It leaves out those whose check did not compile, which was reported.
func New(defs []*Definition) Set {
	var set Set
	for _, def := range defs {
		if check := compiled(def); check != nil && def.Enabled {
			set = append(set, &Eval{Definition: def, Check: check})
		}
	}
	return set
}

// Off returns the definitions that their author disabled.
func Off(defs []*Definition) Set {
	var set Set
	for _, def := range defs {
		if check := compiled(def); check != nil && !def.Enabled && !def.LeftOut {
			set = append(set, &Eval{Definition: def, Check: check})
		}
	}
	return set
}

func compiled(def *Definition) *checks.Compiled {
	c := def.Compiled
	if o, open := c.(*scenario.OpenCheck); open { // any sample will do: the type of the check is the same for all values
		c = o.Sample()
	}
	check, _ := c.(*checks.Compiled)
	return check
}

// Due returns the evals that fire in a phase of a session.
func (s Set) Due(phase Phase, session string, turn int) Set {
	var due Set
	for _, e := range s {
		if Due(e.Definition, phase, session, turn) {
			due = append(due, e)
		}
	}
	return due
}
