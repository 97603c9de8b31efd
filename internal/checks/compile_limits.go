package checks

import (
	"math"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// limits are the keys of a check that its surface reads: the thresholds and the label. They may be next to params, in
// params, and in the params of the long spelling.
type limits struct {
	min, max     *float64
	minAt, maxAt diag.Pos // positions of the thresholds
	message      string
}

// beside reads the keys next to params.
func (l *limits) beside(k *compilation) {
	spec := k.spec
	l.min, l.max, l.message = spec.MinScore, spec.MaxScore, spec.Message
	l.minAt, l.maxAt = spec.MinAt, spec.MaxAt
	for _, given := range []struct {
		name string
		v    *float64
	}{{"min_score", spec.MinScore}, {"max_score", spec.MaxScore}, {"pass_threshold", spec.PassThreshold}} {
		if v := given.v; v != nil && (math.IsNaN(*v) || *v < 0 || *v > 1) {
			k.r.Diags.Errorf(spec.Pos, 1, "out-of-range", "%s: %s must be between 0 and 1, found %s", spec.Type, given.name,
				say.Decimal(*v))
		}
	}
}

// set reads one key of params. If a threshold is given twice, the values must be equal.
func (l *limits) set(k *compilation, name, key string, v *node.Node) {
	switch key {
	case "min_score":
		l.min, l.minAt = l.threshold(k, name+": "+key, v, l.min), k.r.Pos(v)
	case "max_score":
		l.max, l.maxAt = l.threshold(k, name+": "+key, v, l.max), k.r.Pos(v)
	case "message":
		text, ok := k.r.String(v, name+": "+key)
		if ok && l.message != "" && l.message != text {
			k.r.Warnf(v, "ignored-parameter", "%s: message is ignored because it is given outside params too", name)
		} else if ok {
			l.message = text
		}
	case "direction": // the guardrail reads it
		keys.Find(key, scenario.Terms(scenario.Guardrail)).Shape.Check(k.r, v, name+": "+key)
	}
}

func (l *limits) threshold(k *compilation, what string, n *node.Node, before *float64) *float64 {
	v, ok := scenario.Share.Float(k.r, n, what)
	if !ok {
		return before
	}
	if before != nil && *before != v {
		k.r.Errorf(n, "conflicting-threshold", "%s is %s here and %s in another place of the same check", what,
			say.Decimal(v), say.Decimal(*before)).Hint = "keep one of the two"
	}
	return &v
}

// passesLowOnly reports whether the check passes only with a low score.
func (l *limits) passesLowOnly() bool { return l.min == nil && l.max != nil && *l.max < 1-slack }

// verify checks the thresholds together.
func (l *limits) verify(k *compilation, w written) {
	if l.min != nil && l.max != nil && *l.min > *l.max {
		k.r.Diags.Errorf(w.at, 1, "out-of-range", "%s: min_score %s is above max_score %s, so no score passes", w.name,
			say.Decimal(*l.min), say.Decimal(*l.max))
	}
}
