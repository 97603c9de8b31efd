package checks

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
)

// errCut is returned when a verdict depends on what was cut off a result.
var errCut = errors.New("not known: only the first 1 MiB of the result is kept, and what decides here may stand " +
	"behind it")

// behindCut is the doubt about a score that may be higher: the part that was cut off a result may contain a hit.
func behindCut(s *Subject, score float64) *doubt {
	if s.Stored { // something may be redacted besides
		score = 0
	}
	return &doubt{low: score, high: 1, why: errCut}
}

// doubt is that of a score that a pattern decides which was not found in the result; nil: none.
func (t *toolText) doubt() *doubt {
	if !t.cut {
		return nil
	}
	return &doubt{high: 1, why: errCut}
}

// reason is why the score is not certain.
func (d *doubt) reason() error {
	if d.why != nil {
		return d.why
	}
	return errTakenOut
}

// looksAtEnd reports whether an expression asks for the end of the text.
func looksAtEnd(re *regexp.Regexp) bool {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	return err != nil || hasEnd(tree)
}

func hasEnd(re *syntax.Regexp) bool {
	return re.Op == syntax.OpEndText || slices.ContainsFunc(re.Sub, hasEnd)
}
