package checks

import (
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// Several bans are usually meant to be joined by "and": none of the things may come. If one of several bans is enough,
// the others forbid nothing. By De Morgan, any_of over bans and a not over all_of do that; a weighted mean and a
// max_score may too.

// leaning says whether a check, with its parts, requires or forbids something.
type leaning uint8

const (
	leansBoth    leaning = iota // it requires some things and forbids others
	leansFor                    // it requires something
	leansAgainst                // it forbids something
)

// leans is the leaning of a check that must pass.
func (c *Compiled) leans() leaning {
	lean := leansFor
	if parts := c.Nested(); len(parts) > 0 {
		lean = parts[0].leans()
		for _, part := range parts[1:] {
			if part.leans() != lean {
				return leansBoth
			}
		}
		if _, not := c.Check.(*negation); not {
			lean = lean.opposite()
		}
	} else if cleanOf(c.Def, c.Check) != NotClean {
		lean = leansAgainst
	}
	if c.MaxScore != nil && c.MinScore == nil && *c.MaxScore < 1-slack {
		lean = lean.opposite()
	}
	return lean
}

func (l leaning) opposite() leaning {
	switch l {
	case leansFor:
		return leansAgainst
	case leansAgainst:
		return leansFor
	default:
		return leansBoth
	}
}

// warnEither warns of several bans of which one is enough for the check to pass.
func (k *compilation) warnEither(e *Spelling, check Check, w written, b *binder) {
	text, hint := "", ""
	if k.asksForBanned(e, check) {
		text, hint = "each check in it is a ban or a limit, and what turns it round asks for what they keep out",
			"take out the not or the max_score that turns it round"
	}
	switch c := check.(type) {
	case *disjunction:
		if !b.turned && len(c.parts) > 1 && !slices.ContainsFunc(c.parts, notAgainst) {
			text, hint = "this holds as soon as one of the "+strconv.Itoa(len(c.parts))+" bans in it holds",
				"write all_of, which holds only where all of them do"
			if k.spec.Surface == scenario.Guardrail {
				text = "as a guardrail this fires only where all " + strconv.Itoa(len(c.parts)) + " would"
				hint = "list each as a guardrail of its own, or write all_of"
			}
		}
	case *conjunction:
		if b.turned && allWanted(c.parts) {
			text, hint = "turned round, this holds as soon as one of the "+plural.Count(len(c.parts), "check")+
				" in it does not", "write any_of in place of all_of: then none of them may hold"
		}
	case *weighted:
		switch soft := c.outvoted(); {
		case b.turned && allWanted(c.parts) && soft == nil && c.missing():
			text, hint = "turned round, this holds as soon as one of the "+plural.Count(len(c.parts), "check")+
				" in it does not", "write any_of in place of weighted: then none of them may hold"
		case !b.turned && soft != nil:
			text, hint = "the ban "+soft.Type+" in it may be broken: the others reach the threshold "+
				say.Decimal(c.threshold)+" without it", "write min_score: 1 beside that check, or take it out of weighted"
		}
	}
	if text != "" {
		k.r.Diags.Warnf(w.pos, w.width, "turned-round", "%s: %s", e.Type, text).Hint = hint
	}
	if s := b.several; len(s) > 0 && e.Def.Shares && k.limits.passesLowOnly() && b.turned && !k.scored {
		n := len(s[0].at.Content)
		if may := int(*k.limits.max*float64(n) + slack); n > 1 && may > 0 {
			k.r.Diags.Warnf(k.lowAt(w), len(say.Decimal(*k.limits.max)), "turned-round",
				"%s: with max_score %s this holds although %d of the %d %s are there", w.name, say.Decimal(*k.limits.max), may, n,
				s[0].param).Hint = "write max_score: 0 where none may be there"
		}
	}
}

// asksForBanned reports whether a reversed combination has only bans and limits.
func (k *compilation) asksForBanned(e *Spelling, check Check) bool {
	whole, combined := check.(interface{ nested() []*Compiled })
	if !combined || e.Def == notDef || k.around == k.limits.passesLowOnly() {
		return false
	}
	parts := whole.nested()
	return len(parts) > 0 && !slices.ContainsFunc(parts, notAgainst)
}

func notAgainst(part *Compiled) bool { return part.leans() != leansAgainst }

// allWanted reports whether the parts are several checks of one type that each require something: probably texts or
// tools of which none is wanted. With different types, "not both" may be intended.
func allWanted(all parts) bool {
	return len(all) > 1 && !slices.ContainsFunc(all, func(part *Compiled) bool {
		return part.Def != all[0].Def || part.leans() != leansFor
	})
}

// missing reports whether the mean is below the threshold if any one part has the score 0.
func (c *weighted) missing() bool {
	return !slices.ContainsFunc(c.weights, c.reachedWithout)
}

// reachedWithout reports whether the other parts can reach the threshold without a part of that weight.
func (c *weighted) reachedWithout(weight float64) bool {
	sum := 0.0
	for _, w := range c.weights {
		sum += w
	}
	return sum > 0 && (sum-weight)/sum >= c.threshold-slack
}

// outvoted is a ban without a limit of its own that the other parts can outvote; nil: none.
func (c *weighted) outvoted() *Compiled {
	for i, part := range c.parts {
		bans := len(part.Nested()) == 0 && cleanOf(part.Def, part.Check) == Bans
		if bans && !part.limited() && len(c.parts) > 1 && c.reachedWithout(c.weights[i]) {
			return part
		}
	}
	return nil
}
