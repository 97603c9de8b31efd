package checks

import (
	"context"
	"fmt"
	"slices"
)

// inEarlierSteps returns the finding of a check that forbids something in composition steps. At the end of the
// conversation it is the finding of the last turn with steps, unless an earlier turn has something forbidden.
func (c *Compiled) inEarlierSteps(ctx context.Context, s *Subject, last Finding) (Finding, error) {
	if s.Composition == nil || len(s.Composition.Earlier) == 0 || !c.forbids() || !c.looksAtSteps() || !c.passes(last) {
		return last, nil
	}
	for i := range s.Composition.Earlier {
		then := *s
		then.Composition = &s.Composition.Earlier[i]
		f, err := c.Check.Eval(ctx, &then)
		if err != nil {
			return Finding{}, err
		}
		if err := scoreFits(f.Score); err != nil {
			return Finding{}, err
		}
		if !c.passes(f) {
			f.Explanation = fmt.Sprintf("turn %d: %s", then.Composition.Turn+1, f.Explanation)
			return f, nil
		}
	}
	return last, nil
}

// forbids reports whether a high score of the check, or of the one within it, is bad.
func (c *Compiled) forbids() bool {
	_, not := c.Check.(*negation)
	return not || c.MaxScore != nil && *c.MaxScore < 1
}

// looksAtSteps reports whether the check, or one within it, judges composition steps.
func (c *Compiled) looksAtSteps() bool {
	if parts := c.Nested(); parts != nil {
		return slices.ContainsFunc(parts, (*Compiled).looksAtSteps)
	}
	return c.Def.About == CompositionPart && c.Def.Reads != ReadsReply
}
