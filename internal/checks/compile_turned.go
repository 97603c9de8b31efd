package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// A not, or a max_score, reverses a check. Two kinds of checks are rarely meant to be reversed. A reversed ban, limit
// or grade of cleanliness passes the very replies that it should catch. And a check that requires several things, or a
// score of 1, rarely passes, so that its reverse rarely fails.

// Clean says whether, and why, a check passes because something bad is missing.
type Clean uint8

// The reasons.
const (
	NotClean    Clean = iota // it passes because something good is there
	Bans                     // what it names is missing
	Limits                   // something does not exceed a limit
	GradesClean              // its score is higher the less there is of something bad
)

// mayBan is a check that some of its parameters make a ban. bannedBy names what does; "": it is not a ban.
type mayBan interface{ bannedBy() string }

// mayLimit is a check that some of its parameters make a limit. alone: it requires nothing else.
type mayLimit interface{ limits() (some, alone bool) }

// cleanOf says why a check passes.
func cleanOf(d *Def, check Check) Clean {
	if bannedBy(check) != "" {
		return Bans
	}
	if own, ok := check.(mayLimit); ok {
		if _, alone := own.limits(); alone {
			return Limits
		}
	}
	return d.Clean
}

// limitsSomething reports whether a check has a limit, whatever else it requires.
func limitsSomething(check Check) bool {
	own, ok := check.(mayLimit)
	if !ok {
		return false
	}
	some, _ := own.limits()
	return some
}

// asksEach is a check that requires the same of each of several things that the agent does, such as of each tool call.
// of names one of them, and is "" if it requires nothing; instead says how to ban one.
type asksEach interface{ asksEach() (of, instead string) }

func bannedBy(check Check) string {
	if own, ok := check.(mayBan); ok {
		return own.bannedBy()
	}
	return ""
}

// bannedIf is the parameter that makes a check a ban when it is false.
func bannedIf(param string, expects bool) string {
	if expects {
		return ""
	}
	return param + ": false"
}

// several are the texts of a parameter that must all be there.
type several struct {
	at             *node.Node
	param, instead string
}

// warnTurned warns of a reversed check that was probably not intended.
func (k *compilation) warnTurned(e *Spelling, check Check, w written, b *binder) {
	if check == nil {
		return
	}
	if k.around != k.limits.passesLowOnly() && len(b.vacuous) == 0 { // otherwise the outcome is reported already
		k.warnTurnedBan(e, check, w)
	}
	k.warnEither(e, check, w, b)
	if len(b.several) == 0 || !e.Def.Shares { // for several texts the warning says how many may be there
		k.warnHighMost(e, check, w)
	}
	open := k.limits.min == nil && k.limits.max == nil
	_, judged := check.(asksJudge)
	what := "this"
	if k.negated && open {
		what = "the not"
	}
	within, low := k.negated && open && (!k.scored || k.lets != nil), b.turned && k.limits.passesLowOnly()
	each, _ := check.(asksEach)
	switch {
	case len(b.several) > 0 && within && e.Def.Shares && k.lets != nil:
		k.warnShares(b.several[0], w)
	case len(b.several) > 0 && (within || low && !e.Def.Shares):
		s := b.several[0]
		k.r.Warnf(s.at, "turned-round", "%s: %s holds as soon as one of the %d %s is missing", w.name, what,
			len(s.at.Content), s.param).Hint = s.instead
	case each != nil && (within || low):
		if of, instead := each.asksEach(); of != "" {
			k.r.Diags.Warnf(w.pos, w.width, "turned-round", "%s: %s holds as soon as one %s is another one", w.name, what,
				of).Hint = instead
		}
	case k.negated && !k.scored && open && cleanOf(e.Def, check) == NotClean && (judged || e.Def.Family == FamilyExternal):
		k.r.Diags.Warnf(w.pos, w.width, "turned-round",
			"%s: the not around it fails at a score of 1 alone: without min_score anything less does not pass here",
			w.name).Hint = "write min_score beside it, such as min_score: 0.5: from there on the not fails"
	}
}

// warnHighMost warns of a max_score that only perfect scores exceed, for a check with good high scores: min_score was
// probably meant. Measures of similarity and of bad things are often limited like this.
func (k *compilation) warnHighMost(e *Spelling, check Check, w written) {
	const half = 0.5
	if !k.limits.passesLowOnly() || *k.limits.max <= half || cleanOf(e.Def, check) != NotClean {
		return
	}
	_, byPattern := check.(decidedByPattern)
	_, judged := check.(asksJudge)
	good := []Family{FamilyJSON, FamilyTools, FamilyAgents, FamilyWorkflow, FamilyTrace, FamilyBehaviour}
	if byPattern || e.Def.Shares || e.Def == equalsDef || judged && e.Def.Family == FamilyJudge ||
		slices.Contains(good, e.Def.Family) {
		most := say.Decimal(*k.limits.max)
		k.r.Diags.Warnf(k.lowAt(w), len(most), "turned-round",
			"%s: max_score %s alone lets pass whatever scores less, be it 0", w.name, most).Hint =
			"write min_score: " + most + "; for what must not be write max_score: 0, or not around the check"
	}
}

// warnShares warns of forbidden texts of which some may occur, because the min_score next to the not allows a share.
func (k *compilation) warnShares(s several, w written) {
	n := len(s.at.Content)
	may := min(int(*k.lets*float64(n)+slack), n-1)
	if may == 0 {
		return
	}
	k.r.Warnf(s.at, "turned-round", "%s: with min_score %s beside it the not holds although %d of the %d %s are there",
		w.name, say.Decimal(1-*k.lets), may, n, s.param).Hint = "write min_score: 1 there, so that none may be there"
}

func (k *compilation) warnTurnedBan(e *Spelling, check Check, w written) {
	clean := cleanOf(e.Def, check)
	if clean == NotClean {
		return
	}
	at, width, by, hint := w.pos, w.width, "the not around it", "take the not out"
	if k.limits.passesLowOnly() {
		low := say.Decimal(*k.limits.max)
		by, hint = "max_score "+low, "take max_score out"
		if at = k.lowAt(w); at != w.pos {
			width = len(low)
		}
		if clean == GradesClean && *k.limits.max > slack {
			hint = "write min_score: " + say.Decimal(1-*k.limits.max)
		}
	}
	text := ""
	switch clean {
	case Bans:
		text = "is a ban already, and %s asks for what it bans"
	case Limits:
		text = "is a limit already, and %s asks for what is beyond"
	case GradesClean:
		text = "gives 1 to what is clean, and %s asks for what is not"
	case NotClean:
	}
	if e.Def == notDef {
		text = "is turned round by %s, so the check within it must hold"
		if !k.limits.passesLowOnly() {
			hint = "take both out, or one of them"
		}
	}
	if by := bannedBy(check); by != "" {
		hint += ", or " + by
	}
	if e.Def.Opposite != "" {
		hint += "; " + e.Def.Opposite
	}
	k.r.Diags.Warnf(at, width, "turned-round", "%s "+text, w.name, by).Hint = hint
}

// lowAt is the position of the max_score, or else that of the check.
func (k *compilation) lowAt(w written) diag.Pos {
	if k.limits.maxAt.Line > 0 {
		return k.limits.maxAt
	}
	return w.pos
}
