package runner

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// claims collects those of a plan, kind by kind.
type claims struct {
	all   []*claim
	kinds int
}

// claim is one that is made.
type claim struct{ result.Claim }

// claimer makes a claim about something that a file declares at a place, under a name.
type claimer func(what string, pos diag.Pos, name string) *claim

// claimsOfKind is more than there are claims of one kind.
const claimsOfKind = 1 << 24

// kind returns the maker of the claims that are told next.
func (c *claims) kind() claimer {
	order := c.kinds * claimsOfKind
	c.kinds++
	return func(what string, pos diag.Pos, name string) *claim {
		one := &claim{result.Claim{Key: what + " " + pos.String() + " " + name, Order: order}}
		order++
		c.all = append(c.all, one)
		return one
	}
}

// list returns the claims.
func (c *claims) list() []result.Claim {
	out := make([]result.Claim, len(c.all))
	for i, one := range c.all {
		out[i] = one.Claim
	}
	return out
}

// settle says whether the claim was met, or could have been, and else what is told of it.
func (c *claim) settle(met, tried bool, unmet diag.Diagnostic) *claim {
	if c.Met = met; tried && !met {
		c.Warning, c.Unmet = unmet, unmet.Advice()
	}
	return c
}
