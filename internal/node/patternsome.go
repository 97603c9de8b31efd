package node

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// MatchesWords reports whether an expression matches every text with an ASCII letter, or every nonempty line: it only
// requires some text. Expressions that match every text do not count.
func MatchesWords(text string) bool {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return false
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	begins, ends := false, false
	if n := len(parts); n > 1 && (parts[0].Op == syntax.OpBeginText || parts[0].Op == syntax.OpBeginLine) {
		parts, begins = parts[1:], true
	}
	if n := len(parts); n > 1 && (parts[n-1].Op == syntax.OpEndText || parts[n-1].Op == syntax.OpEndLine) {
		parts, ends = parts[:n-1], true
	}
	for len(parts) == 1 && parts[0].Op == syntax.OpCapture {
		parts = parts[0].Sub
	}
	if len(parts) != 1 {
		return false
	}
	if parts[0].Op == syntax.OpWordBoundary {
		return !begins && !ends
	}
	char, least, most := repeated(parts[0])
	switch {
	case least > 1:
		return false
	case char.Op == syntax.OpAnyChar:
		return !begins || !ends || most < 0
	case char.Op == syntax.OpAnyCharNotNL && !strings.Contains(text, "["): // [^\n] says that one line is meant
		return !begins || !ends || most < 0
	}
	return !begins && !ends && char.Op == syntax.OpCharClass && hasLetters(char.Rune)
}

// repeated is the repeated part of an expression, with the least and the most times; most -1: no limit.
func repeated(re *syntax.Regexp) (of *syntax.Regexp, least, most int) {
	of, least, most = re, 1, 1
	switch re.Op {
	case syntax.OpPlus:
		of, most = re.Sub[0], -1
	case syntax.OpRepeat:
		of, least, most = re.Sub[0], re.Min, re.Max
	default:
	}
	for of.Op == syntax.OpCapture {
		of = of.Sub[0]
	}
	if of.Op == syntax.OpCharClass && len(of.Rune) == 2 && of.Rune[0] == 0 && of.Rune[1] == utf8.MaxRune { // as in [\s\S]
		of = &syntax.Regexp{Op: syntax.OpAnyChar}
	}
	return of, least, most
}

// hasLetters reports whether a class has all letters and digits of ASCII.
func hasLetters(ranges []rune) bool {
	for _, want := range []string{"09", "AZ", "az"} {
		found := false
		for i := 0; i+1 < len(ranges); i += 2 {
			found = found || ranges[i] <= rune(want[0]) && ranges[i+1] >= rune(want[1])
		}
		if !found {
			return false
		}
	}
	return true
}
