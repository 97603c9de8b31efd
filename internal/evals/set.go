package evals

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/scenario"
)

// Definition is an eval as its author wrote it.
type Definition = scenario.Eval

// Eval is an eval that may fire, with its check.
type Eval struct {
	*Definition
	Check *checks.Compiled
}

// Gates reports whether the eval has a threshold.
func (e *Eval) Gates() bool { return gates(e.Check) }

func gates(c *checks.Compiled) bool { return c.MinScore != nil || c.MaxScore != nil }

// Set is the evals of conversations under one prompt, in order. It is immutable.
type Set []*Eval

// New takes those of some definitions that are enabled. A definition whose check did not compile has been reported and
// is left out.
func New(defs []*Definition) Set {
	var set Set
	for _, def := range defs {
		if check := compiled(def); check != nil && def.Enabled {
			set = append(set, &Eval{Definition: def, Check: check})
		}
	}
	return set
}

// Off takes those that their author switched off.
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
	if o, open := c.(*scenario.Open); open { // what is asked here is the same for all values
		c = o.Sample()
	}
	check, _ := c.(*checks.Compiled)
	return check
}

// Due are the evals that fire in a phase of a session.
func (s Set) Due(phase Phase, session string, turn int) Set {
	var due Set
	for _, e := range s {
		if Due(e.Definition, phase, session, turn) {
			due = append(due, e)
		}
	}
	return due
}
