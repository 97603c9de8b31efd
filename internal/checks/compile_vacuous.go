package checks

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// A check that cannot fail is useless, so arena warns of every limit that lets everything pass. Parameters are noted
// while they are read; thresholds are checked afterwards.

// vacuous is a parameter whose value lets everything pass.
type vacuous struct {
	at     *node.Node
	what   string
	why    string
	hint   string
	effect vacuousEffect
}

// vacuousEffect says what such a parameter does to the check.
type vacuousEffect struct {
	kind  effectKind
	score float64 // with scoreIsFixed: the score that the check always has
}

type effectKind int

const (
	asksNothing  effectKind = iota // the rest of the check can still fail
	limitHolds                     // the check's own limit always holds; thresholds may replace it
	scoreIsFixed                   // the check always has the same score
)

// The effects of a pattern that matches every text: the values of the tag any.
const (
	anyDecides = "decides" // it decides the score: see decidedByPattern
	anyIdle    = "idle"    // it requires nothing
	anyGiven   = "given"   // it requires a value: people write .* on purpose
)

// decidedByPattern is a check whose score depends on one pattern alone. scoreOfMatch is its score when that matches.
type decidedByPattern interface{ scoreOfMatch() float64 }

// noteVacuous notes a lower limit that every value reaches. The hint is to write more; noteVacuousWithHint takes
// another hint.
func (b *binder) noteVacuous(param string, kind effectKind, why string) {
	b.noteVacuousWithHint(param, kind, why, "write more, or take it out")
}

func (b *binder) noteVacuousWithHint(param string, kind effectKind, why, hint string) {
	if n := b.read[param]; n != nil { // otherwise the default applies
		what := strings.TrimSpace(b.name + ": " + param + " " + n.Value) // a list has no value
		b.vacuous = append(b.vacuous, vacuous{n, what, why, hint, vacuousEffect{kind: kind, score: 1}})
	}
}

// checkPatterns warns of patterns that match every text, and of patterns that match other texts than they seem to.
func (b *binder) checkPatterns(f *field, n *node.Node, what string) {
	switch {
	case f.Any == "":
	case n.Kind == node.Scalar:
		b.checkPattern(f, n, what)
	default:
		step := 1
		if n.Kind == node.Map {
			step = 2
		}
		for i := step - 1; i < len(n.Content); i += step {
			at := fmt.Sprintf("%s[%d]", what, i)
			if n.Kind == node.Map {
				at = what + "." + n.Content[i-1].Value
			}
			b.checkPattern(f, n.Content[i], at)
		}
	}
}

func (b *binder) checkPattern(f *field, n *node.Node, what string) {
	if n.Kind != node.Scalar {
		return
	}
	if n.Value != "" && strings.TrimSpace(n.Value) == "" {
		b.warnBlank(n, what)
	}
	b.warnLookalikes(n, what)
	if f.Any == anyGiven && !b.turned && isPlainValue(n.Value) {
		b.r.Warnf(n, "looks-like-slip", "%s: the pattern %q is found within longer values too, such as %q", what, n.Value,
			n.Value+"0").Hint = "expected_args asks for that very value; as a pattern it is ^" +
			regexp.QuoteMeta(n.Value) + "$"
	}
	b.patterns = append(b.patterns, givenPattern{n, what, f.Any})
	if o := node.DoubtPattern(n.Value); !b.warnFilledPattern(n, what) && o != (node.Oddity{}) {
		b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, o.Text).Hint = o.Hint
	}
	re, err := b.c.regexp(n.Value)
	if err != nil {
		return
	}
	if !re.MatchString("") { // true for nearly every pattern
		b.checkSaysSomething(f, n, what)
		return
	}
	tree, err := syntax.Parse(n.Value, syntax.Perl)
	if err != nil || !node.MatchesAll(tree) || f.Any == anyGiven && node.IsWildcard(tree) {
		return
	}
	kind := asksNothing
	if f.Any == anyDecides {
		kind = scoreIsFixed
	}
	b.vacuous = append(b.vacuous, vacuous{n, what, "the pattern matches every text, for it can match nothing at all",
		"write what must be there: x+ in place of x*, and no | at an end", vacuousEffect{kind: kind, score: math.NaN()}})
}

// checkSaysSomething warns of a pattern that every reply with a word matches: an empty reply is an error anyway.
func (b *binder) checkSaysSomething(f *field, n *node.Node, what string) {
	if f.Any != anyDecides || b.def == nil || b.def.Needs&NeedsReply == 0 || !node.MatchesWords(n.Value) {
		return
	}
	hint := "write what must be there"
	if strings.HasPrefix(n.Value, "^") {
		hint += "; where one line is meant, write ^[^\\n]+$"
	}
	b.vacuous = append(b.vacuous, vacuous{n, what, "every reply that says something matches the pattern", hint,
		vacuousEffect{kind: scoreIsFixed, score: math.NaN()}})
}

// warnVacuous warns of parameters and thresholds that decide a check in advance.
func (k *compilation) warnVacuous(check Check, w written) {
	if check == nil || k.limits.warnVacuous(k, w) {
		return
	}
	for _, i := range k.idle {
		if math.IsNaN(i.effect.score) {
			i.effect.score = 1
			if c, ok := check.(decidedByPattern); ok {
				i.effect.score = c.scoreOfMatch()
			}
		}
		passes, certain := k.limits.certain(i.effect)
		if !certain {
			k.r.Warnf(i.at, "asks-nothing", "%s asks for nothing: %s", i.what, i.why).Hint = i.hint
			continue
		}
		outcome, code := k.outcome(passes)
		k.r.Warnf(i.at, code, "%s: the check %s: %s", i.what, outcome, i.why).Hint = i.hint
	}
}

// outcome says what it means for its surface that a check always passes, or always fails.
func (k *compilation) outcome(passes bool) (text, code string) {
	switch {
	case k.spec.Surface == scenario.Guardrail && passes:
		return "can never fire", "cannot-fail"
	case k.spec.Surface == scenario.Guardrail:
		return "always fires", "cannot-hold"
	case passes && k.negated:
		return "cannot fail, so that the not around it cannot hold", "cannot-hold"
	case k.negated:
		return "cannot hold, so that the not around it cannot fail", "cannot-fail"
	case passes:
		return "cannot fail", "cannot-fail"
	default:
		return "cannot hold", "cannot-hold"
	}
}

// certain reports whether such a parameter decides the check with these thresholds, and how.
func (l *limits) certain(e vacuousEffect) (passes, certain bool) {
	open := l.min == nil && l.max == nil
	switch {
	case e.kind == scoreIsFixed && open:
		return e.score >= 1-slack, true
	case e.kind == scoreIsFixed:
		return (l.min == nil || e.score >= *l.min-slack) && (l.max == nil || e.score <= *l.max+slack), true
	case e.kind == limitHolds && open:
		return true, true
	}
	return false, false
}

// warnVacuous warns of thresholds that every score meets. It reports whether there are any.
func (l *limits) warnVacuous(k *compilation, w written) bool {
	if p := k.spec.PassThreshold; p != nil && 0 <= *p && *p <= slack {
		l.warn(k, w, k.spec.PassAt, "pass_threshold", *k.spec.PassThreshold, "no trial needs to hold",
			"write the share of the trials that must hold, or take it out: then all must")
	} else if p != nil && *p > 0 && *p < lowShare {
		at, text := k.spec.PassAt, say.Decimal(*p)
		if at.Line == 0 {
			at = w.pos
		}
		k.r.Diags.Warnf(at, len(text), "looks-like-slip", "%s: pass_threshold %s: it may fail in %s of the trials", w.name,
			text, say.Percent(1-*p)).Hint = "write the share of the trials in which it must hold, such as 0.8"
	}
	low := l.min == nil || 0 <= *l.min && *l.min <= slack
	high := l.max == nil || 1-slack <= *l.max && *l.max <= 1
	switch {
	case !low || !high || l.min == nil && (l.max == nil || k.spec.MustPass):
		return false
	case l.min != nil:
		l.warn(k, w, l.minAt, "min_score", *l.min, "every score is at least that",
			"write more, or take it out; to only measure, write an eval without a threshold")
	default:
		l.warn(k, w, l.maxAt, "max_score", *l.max, "no score is above that",
			"write less, or take it out; to only measure, write an eval without a threshold")
	}
	return true
}

func (l *limits) warn(k *compilation, w written, at diag.Pos, key string, v float64, why, hint string) {
	if at.Line == 0 {
		at = w.pos
	}
	outcome, code := k.outcome(true)
	text := say.Decimal(v)
	k.r.Diags.Warnf(at, len(text), code, "%s: %s %s: the check %s: %s", w.name, key, text, outcome, why).Hint = hint
}

// lowShare is the share of trials below which a threshold is probably a mistake.
const lowShare = 0.3

// limited reports whether a check has thresholds of its own.
func (c *Compiled) limited() bool { return c == nil || c.MinScore != nil || c.MaxScore != nil }

// allOrNothing is the score of a check that only passes or fails: 1 or 0.
func allOrNothing(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// isPlainValue reports whether a pattern is a number or an id, without any operator: one that is meant as a whole.
func isPlainValue(text string) bool {
	return strings.ContainsAny(text, "0123456789") && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.'
	})
}
