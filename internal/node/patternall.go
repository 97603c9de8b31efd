package node

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// MatchesAll reports whether an expression certainly matches somewhere in every text.
func MatchesAll(re *syntax.Regexp) bool {
	return matchesEmpty(re, syntax.OpBeginText, syntax.OpBeginLine) ||
		matchesEmpty(re, syntax.OpEndText, syntax.OpEndLine) ||
		IsWildcard(re)
}

// matchesEmpty reports whether an expression matches the empty text if these two assertions hold.
func matchesEmpty(re *syntax.Regexp, text, line syntax.Op) bool {
	all := func(want bool) bool {
		for _, sub := range re.Sub {
			if matchesEmpty(sub, text, line) != want {
				return false
			}
		}
		return true
	}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest, text, line:
		return true
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		return all(true)
	case syntax.OpAlternate:
		return !all(false)
	case syntax.OpRepeat:
		return re.Min == 0 || all(true)
	case syntax.OpLiteral:
		return len(re.Rune) == 0
	default: // needs a character or another assertion
		return false
	}
}

// IsWildcard reports whether an expression is .*, with or without line ends, perhaps between anchors. People write it
// for "anything". Between anchors it matches every text only if it also matches line ends.
func IsWildcard(re *syntax.Regexp) bool {
	parts, anchored := []*syntax.Regexp{re}, false
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if n := len(parts); n > 1 && (parts[0].Op == syntax.OpBeginText || parts[0].Op == syntax.OpBeginLine) {
		parts, anchored = parts[1:], true
	}
	if n := len(parts); n > 1 && (parts[n-1].Op == syntax.OpEndText || parts[n-1].Op == syntax.OpEndLine) {
		parts = parts[:n-1]
	} else {
		anchored = false
	}
	for len(parts) == 1 && parts[0].Op == syntax.OpCapture {
		parts = parts[0].Sub
	}
	if len(parts) != 1 || parts[0].Op != syntax.OpStar {
		return false
	}
	switch char := parts[0].Sub[0]; char.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpAnyCharNotNL:
		return !anchored
	case syntax.OpCharClass: // as in [\s\S]
		return slices.Equal(char.Rune, []rune{0, utf8.MaxRune})
	default:
		return false
	}
}
