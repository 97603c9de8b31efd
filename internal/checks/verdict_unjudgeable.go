package checks

import (
	"context"
	"errors"
)

// Unjudgeable returns a copy of the check whose verdicts are always an error with this reason. c may be nil for an
// unknown check.
func (c *Compiled) Unjudgeable(reason string) *Compiled {
	out := &Compiled{Spelling: &Spelling{Type: "check", Def: &Def{}}, Terms: noTerms}
	if c != nil {
		*out = *c
	}
	out.Check = unjudgeable{errors.New(reason)}
	return out
}

type unjudgeable struct{ why error }

func (u unjudgeable) Eval(context.Context, *Subject) (Finding, error) { return Finding{}, u.why }
