package checks

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
)

// errCut is returned when a verdict depends on the part of a result that was cut off.
var errCut = errors.New("not known: only the first 1 MiB of the result is kept, and what decides here may stand " +
	"behind it")

// behindCut is the doubt about a score that may be higher, because the cut-off part of a result may contain a match.
func behindCut(s *Subject, score float64) *doubt {
	if s.Stored { // something may be redacted too
		score = 0
	}
	return &doubt{low: score, high: 1, why: errCut}
}

// doubt is the doubt about a pattern that was not found in a cut result; nil: none.
func (t *toolText) doubt() *doubt {
	if !t.cut {
		return nil
	}
	return &doubt{high: 1, why: errCut}
}

// reason is why the score is uncertain.
func (d *doubt) reason() error {
	if d.why != nil {
		return d.why
	}
	return errTakenOut
}

// looksAtEnd reports whether an expression refers to the end of the text.
func looksAtEnd(re *regexp.Regexp) bool {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	return err != nil || hasEnd(tree)
}

func hasEnd(re *syntax.Regexp) bool {
	return re.Op == syntax.OpEndText || slices.ContainsFunc(re.Sub, hasEnd)
}
