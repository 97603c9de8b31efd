package checks

import (
	"context"
	"errors"
)

// Unjudgeable returns the same check with an error and this reason as every verdict. The check may be nil when nothing
// is known of it.
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
