// Package claims records what has to happen in at least one trial of a run: names in checks that no file declares,
// evals with thresholds, rules of turns and so on. There is a warning of claims that no trial met.
package claims

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// List collects the claims of a plan, kind by kind. Its zero value is empty.
type List struct {
	all   []*Claim
	kinds int
}

// Claim is a claim in the making.
type Claim struct{ result.Claim }

// Maker adds a claim about something that a file declares at a place, under a name.
type Maker func(what string, pos diag.Pos, name string) *Claim

// mostOfKind is larger than the number of claims of one kind.
const mostOfKind = 1 << 24

// Kind begins a kind of claims, which are listed after those of the kinds before it.
func (l *List) Kind() Maker {
	order := l.kinds * mostOfKind
	l.kinds++
	return func(what string, pos diag.Pos, name string) *Claim {
		one := &Claim{result.Claim{Key: what + " " + pos.String() + " " + name, Order: order}}
		order++
		l.all = append(l.all, one)
		return one
	}
}

// All returns the claims.
func (l *List) All() []result.Claim {
	out := make([]result.Claim, len(l.all))
	for i, one := range l.all {
		out[i] = one.Claim
	}
	return out
}

// Settle says whether the claim was met. Where it was not although it was tried, unmet is the warning about it.
func (c *Claim) Settle(met, tried bool, unmet diag.Diagnostic) *Claim {
	if c.Met = met; tried && !met {
		c.Warning, c.Unmet = unmet, unmet.Advice()
	}
	return c
}

// At puts the claim at a place; see result.Claim.
func (c *Claim) At(place string) *Claim {
	c.Place = place
	return c
}
