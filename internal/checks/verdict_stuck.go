package checks

import (
	"context"
	"errors"
)

// Stuck is a check like this one in all but that it judges nothing: every verdict of it is an error with that reason.
// It may be nil itself, for a check of which nothing is known.
func (c *Compiled) Stuck(reason string) *Compiled {
	out := &Compiled{Spelling: &Spelling{Type: "check", Def: &Def{}}, Terms: noTerms}
	if c != nil {
		*out = *c
	}
	out.Check = stuck{errors.New(reason)}
	return out
}

type stuck struct{ why error }

func (u stuck) Eval(context.Context, *Subject) (Finding, error) { return Finding{}, u.why }
