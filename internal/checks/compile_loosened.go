package checks

import (
	"math"
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

// The score of some limits falls by degrees beyond them: a reply twice as long as max_length allows has 0.5. There a
// min_score below 1, which belongs to judges and shares, makes the limit another one than is written.

// bound is a limit by degrees: max / measure beyond a greatest value, measure / min below a least one.
type bound struct {
	param string
	value float64
	least bool // a least value, not a greatest one
	whole bool // what is measured are whole numbers
}

// byDegrees is a check whose score is by how much it exceeds limits. Those that are not given are left out.
type byDegrees interface{ bounds() []bound }

// littleMore is a min_score from which on so little passes beyond a limit that it may be meant as a tolerance.
const littleMore = 0.9

// at is the bound that holds in truth when that score is enough.
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
		return // the first is told of as a check that cannot fail
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
