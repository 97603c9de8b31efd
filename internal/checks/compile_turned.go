package checks

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// A not and a max_score turn a check round. Two kinds of checks are hardly meant so. What is a ban, a limit or a grade
// of how clean something is passes, turned round, the very replies that it is to catch. And what needs several things,
// or a score of 1, hardly ever holds, so that not over it hardly ever fails.

// Clean says why a check holds, if it holds because something bad is not there.
type Clean uint8

// The reasons.
const (
	NotClean    Clean = iota // it holds because something good is there
	Bans                     // what it names is not there
	Limits                   // something is not more than a limit
	GradesClean              // the higher the score, the less of something bad is there
)

// mayBan is a check that bans something with some of its parameters. bannedBy is what makes it do so; "": it bans
// nothing.
type mayBan interface{ bannedBy() string }

// cleanOf is why a check holds.
func cleanOf(d *Def, check Check) Clean {
	if bannedBy(check) != "" {
		return Bans
	}
	return d.Clean
}

func bannedBy(check Check) string {
	if own, ok := check.(mayBan); ok {
		return own.bannedBy()
	}
	return ""
}

// bannedIf is the parameter that makes a ban of a check when it is false.
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

// warnTurned warns of a check that is turned round and hardly meant so.
func (k *compilation) warnTurned(e *Spelling, check Check, w written, b *binder) {
	if check == nil {
		return
	}
	if k.around != k.limits.wantLow() && len(b.vacuous) == 0 { // else the outcome is told already
		k.warnTurnedBan(e, check, w)
	}
	k.warnEither(e, check, w, b)
	open := k.limits.min == nil && k.limits.max == nil
	_, judged := check.(asksJudge)
	switch {
	case k.negated && !k.scored && open && len(b.several) > 0:
		s := b.several[0]
		k.r.Warnf(s.at, "turned-round", "%s: the not holds as soon as one of the %d %s is missing", w.name, len(s.at.Content),
			s.param).Hint = s.instead
	case len(b.several) > 0 && b.turned && k.limits.wantLow() && !e.Def.Shares:
		s := b.several[0]
		k.r.Warnf(s.at, "turned-round", "%s: this holds as soon as one of the %d %s is missing", w.name, len(s.at.Content),
			s.param).Hint = s.instead
	case k.negated && !k.scored && open && cleanOf(e.Def, check) == NotClean && (judged || e.Def.Family == FamilyExternal):
		k.r.Diags.Warnf(w.pos, w.width, "turned-round",
			"%s: the not around it fails at a score of 1 alone: without min_score anything less does not pass here",
			w.name).Hint = "write min_score beside it, such as min_score: 0.5: from there on the not fails"
	}
}

func (k *compilation) warnTurnedBan(e *Spelling, check Check, w written) {
	clean := cleanOf(e.Def, check)
	if clean == NotClean {
		return
	}
	at, width, by, hint := w.pos, w.width, "the not around it", "take the not out"
	if k.limits.wantLow() {
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
		text = "is turned round by %s, so that the check within it must hold"
		if !k.limits.wantLow() {
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

// lowAt is the place of a max_score; without one, that of the check.
func (k *compilation) lowAt(w written) diag.Pos {
	if k.limits.maxAt.Line > 0 {
		return k.limits.maxAt
	}
	return w.pos
}
