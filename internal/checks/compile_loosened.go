package checks

import (
	"math"
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

// Beyond some limits the score falls gradually: a reply twice as long as max_length allows has 0.5. A min_score below
// 1, which is meant for judges and shares, then raises the limit.

// bound is a gradual limit: the score is max / measure above a maximum, and measure / min below a minimum.
type bound struct {
	param string
	value float64
	least bool // a minimum, not a maximum
	whole bool // the measure is a whole number
}

// byDegrees is a check whose score falls gradually beyond limits. bounds leaves out limits that are not given.
type byDegrees interface{ bounds() []bound }

// littleMore is the lowest min_score that may be meant as a tolerance.
const littleMore = 0.9

// at is the effective bound when this score is enough.
func (b bound) at(score float64) float64 {
	to, round := b.value/score, math.Floor
	if b.least {
		to, round = b.value*score, math.Ceil
	}
	if !b.whole {
		const digits = 100
		return math.Round(to*digits) / digits
	}
	if b.least {
		return round(to - slack)
	}
	return round(to + slack)
}

// warnLoosened warns of a min_score, of the check or of the combination around it, that widens limits of the check.
func (k *compilation) warnLoosened(check Check, w written) {
	limited, ok := check.(byDegrees)
	if !ok || k.limits.max != nil && *k.limits.max < 1-slack {
		return
	}
	low, whose, pos := k.limits.min, "min_score", k.limits.minAt
	if low == nil {
		low, whose, pos = k.least, "the min_score around it of", w.pos
	}
	if low == nil || *low <= slack || *low >= littleMore-slack {
		return // a check that cannot fail already has a warning
	}
	width := w.width
	if pos.Line == 0 {
		pos = w.pos
	} else if pos != w.pos {
		width = len(say.Decimal(*low))
	}
	var limits, wide []string
	for _, b := range limited.bounds() {
		if to := b.at(*low); to != b.value {
			limits = append(limits, b.param+": "+say.Decimal(b.value))
			wide = append(wide, b.param+": "+say.Decimal(to))
		}
	}
	if len(wide) == 0 {
		return
	}
	k.r.Diags.Warnf(pos, width, "loosened-limit", "%s: %s %s widens its limit: what passes is %s instead of %s", w.name,
		whose, say.Decimal(*low), strings.Join(wide, ", "), strings.Join(limits, ", ")).Hint =
		"take min_score out, or write " + strings.Join(wide, ", ")
}

func (c *maxLength) bounds() (all []bound) {
	if c.chars > 0 {
		all = append(all, bound{param: "max", value: float64(c.chars), whole: true})
	}
	if c.tokens > 0 {
		all = append(all, bound{param: "max_tokens", value: float64(c.tokens), whole: true})
	}
	return all
}

func (c *minLength) bounds() []bound {
	return []bound{{param: "min", value: float64(c.Min), least: true, whole: true}}
}

func (c *sentenceCount) bounds() []bound {
	return []bound{{param: "max", value: float64(c.Max), whole: true}}
}

func (c *wordCount) bounds() (all []bound) {
	if c.params.Min != nil {
		all = append(all, bound{param: "min", value: float64(c.min), least: true, whole: true})
	}
	if c.params.Max != nil {
		all = append(all, bound{param: "max", value: float64(c.max), whole: true})
	}
	return all
}

func (c *latencyBudget) bounds() []bound { return []bound{{param: "max_ms", value: c.MaxMS}} }
