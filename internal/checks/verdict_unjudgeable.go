package checks

import (
	"context"
	"errors"
)

// Unjudgeable is the same check, but each of its verdicts is an error with this reason. The check may be nil: then
// nothing is known of it.
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
