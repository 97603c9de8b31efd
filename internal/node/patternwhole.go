package node

import (
	"regexp/syntax"
	"slices"
)

// IsWholeText reports whether an expression matches nothing but a few whole texts: between the beginning and the end of
// a text it has words alone, or alternatives of them.
func IsWholeText(text string) bool {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) < 3 {
		return false
	}
	n := len(re.Sub)
	return re.Sub[0].Op == syntax.OpBeginText && re.Sub[n-1].Op == syntax.OpEndText &&
		!slices.ContainsFunc(re.Sub[1:n-1], isOpenEnded)
}

// isOpenEnded reports whether an expression has anything but words and alternatives of them.
func isOpenEnded(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return false
	case syntax.OpConcat, syntax.OpAlternate, syntax.OpCapture:
		return slices.ContainsFunc(re.Sub, isOpenEnded)
	case syntax.OpCharClass: // as of a|b
		return len(re.Rune) > 8
	default:
		return true
	}
}
