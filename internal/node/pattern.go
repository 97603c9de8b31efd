package node

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// DoubtPattern finds probable mistakes in a valid regular expression: two backslashes instead of one, and parts that
// match no text. The zero value: none.
func DoubtPattern(text string) Oddity {
	if at := strings.LastIndex(text, "(?"); at > 0 && lateFlags().MatchString(text[at:]) {
		return Oddity{"ends with flags, which apply to what comes after them",
			"write them first: " + text[at:] + text[:at]}
	}
	if strings.HasPrefix(text, "[") && isWordInBrackets(text) {
		return Oddity{"matches any one of the characters in the brackets",
			"write " + text[1:len(text)-1] + " without the brackets"}
	}
	if strings.HasPrefix(text, "[^") && isWordInBrackets("["+text[2:]) {
		word := text[2 : len(text)-1]
		return Oddity{"matches any text that has a character besides those in the brackets",
			"for a text that must not come, ban the pattern " + word + " (expect_match: false of regex)"}
	}
	if flags := bareFlags().FindString(text); flags != "" {
		return Oddity{"has the letters " + flags + " where flags seem to be meant",
			"write (?" + flags[1:] + text[len(flags):]}
	}
	if class := bareClass().FindString(text); class != "" {
		class = class[strings.Index(class, "["):]
		return Oddity{"matches any one of the characters in " + class,
			"a class of characters has brackets of its own: [" + class + "]"}
	}
	if words := wordsInBrackets(text); words != "" {
		return Oddity{"matches any one of the characters in the brackets",
			"write " + strings.Replace(text, words, "("+words[1:len(words)-1]+")", 1)}
	}
	if !strings.ContainsAny(text, `\^$`) { // as in nearly all
		return Oddity{}
	}
	if doubled().MatchString(text) && !latexDoubled().MatchString(text) {
		return Oddity{`asks for a backslash (\\) before a letter or a sign`,
			`write one backslash, as in ` + strings.ReplaceAll(text, `\\`, `\`) + `; for a backslash that is meant write [\\]`}
	}
	if halfAnchored().MatchString(text) {
		return Oddity{"holds ^ for its first alternative alone, and $ for its last one",
			"write ^(?:" + text[1:len(text)-1] + ")$"}
	}
	if !matchable(text) {
		return Oddity{"can match nothing: what it asks for contradicts itself",
			"$ is the end of the text and ^ its beginning; for those of lines write (?m) before it"}
	}
	return Oddity{}
}

// DoubtBan finds reasons why a regular expression of a ban matches other texts than it seems to. (Where a pattern must
// match, such a mistake shows by itself.)
func DoubtBan(text string) Oddity {
	bare := strings.TrimSpace(text)
	switch {
	case bare != text && bare != "":
		return Oddity{"matches only with the blanks around it", `write "` + bare + `"; for a blank that is meant write [ ]`}
	case slashedWord().MatchString(text):
		return Oddity{"also matches its slashes, which do not delimit a pattern here",
			"write " + strings.Trim(text, "/") + "; for slashes that are meant write [/]"}
	case strings.HasPrefix(text, "(") && commaList().MatchString(text):
		return Oddity{"matches only with its commas", "write | between alternatives, without blanks"}
	case plainList().MatchString(text):
		return Oddity{"matches only with its commas",
			"write " + plainComma().ReplaceAllString(text, "|") + "; for a comma that is meant write [,]"}
	case OperatorIn(text) != "":
		return Oddity{"matches only with its " + OperatorIn(text) + " between the words",
			"write | between alternatives; for texts that must all be there use a check for each"}
	case strings.Contains(text, "{") && openRepeat().MatchString(text):
		return Oddity{"matches only with its brace: the repetition is not closed", `write }, or \{ for a brace that is meant`}
	case Foreign(text) != (Oddity{}):
		o := Foreign(text)
		return Oddity{"matches only with " + o.Text, o.Hint}
	case delimited().MatchString(text):
		return Oddity{"also matches the signs around it, which do not delimit a pattern here",
			"write " + text[1:len(text)-1] + "; for signs that are meant write them in [brackets]"}
	case edges().MatchString(text):
		return Oddity{`matches only with < and >, for which \< and \> stand here`,
			`write \b` + text[2:len(text)-2] + `\b for a whole word, and <` + text[2:len(text)-2] + "> for the signs"}
	case wildcardIn().MatchString(text):
		at := strings.Index(text, "*")
		return Oddity{"matches " + text[at-1:at] + " any number of times before the *, and nothing else there",
			"write " + text[:at] + ".*" + text[at+1:] + " for anything between; for what it says write [" + text[at-1:at] + "]*"}
	case inQuotes().MatchString(text):
		_, size := utf8.DecodeRuneInString(text)
		_, last := utf8.DecodeLastRuneInString(text)
		return Oddity{"matches only with its quotes",
			`write ` + text[size:len(text)-last] + ` in one pair of straight quotes; for quotes that are meant write ["]`}
	}
	return Oddity{}
}

var (
	wordClass    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[[\pL\d ]{3,}\]$`) })
	wordsInClass = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\[\pL[\pL ]+(?:\|\pL[\pL ]+)+\]`)
	})
	lateFlags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\(\?[imsU]+\)$`) })
	bareFlags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\(i[ms]{0,2}\)\b`) })
	bareClass = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^\[\\]*\[:\^?(?:alnum|alpha|digit|lower|punct|space|upper|word|xdigit):\]`)
	})
	halfAnchored = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\^[\pL\d ,.!?'-]+(?:\|[\pL\d ,.!?'-]+)+\$$`)
	})
	commaList = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\(\pL+(?:, ?\pL+)+\)$`) })
	plainList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\p{Ll}[\pL-]*(?:, ?\p{Ll}[\pL-]*)+$`)
	})
	plainComma = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`, ?`) })
	openRepeat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w\])]\{\d+(?:,\d*)?(?:$|[^\d,}])`) })
	delimited  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:~[^~\s]+~|#[^#\s]+#|%[^%\s]+%)$`)
	})
	edges       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\\<[\w -]+\\>$`) })
	wildcardIn  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z]{3,}\*[a-zA-Z]{3,}$`) })
	slashedWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[^/\s]+/$`) })
	inQuotes    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:'[^']+'|"[^"]+"|[“„‘«][^”’»]+[”“’»])$`)
	})
	// The escapes of patterns behind two backslashes, but not C:\\data.
	doubled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[(|])\\\\[bB]|\\\\[bB](?:$|[)|])|\\\\[dDwWsS](?:[^\w:\\]|$)|[\w)\]]\\\\[.$?*+()]\w?`)
	})
	latexDoubled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\\\\(?:begin|beta|bar|big|binom|boldsymbol|bullet|bmod|bf)(?:[^a-z]|$)`)
	})
)

// isWordInBrackets reports whether a pattern is words in brackets: a set of characters is rather written in their
// order, as in [aeiou].
func isWordInBrackets(text string) bool {
	if !wordClass().MatchString(text) {
		return false
	}
	signs := []rune(strings.ToLower(text[1 : len(text)-1]))
	return !slices.IsSorted(signs)
}

// wordsInBrackets returns the part of a pattern with words in brackets separated by |, which is a set of characters
// there; "": none.
func wordsInBrackets(text string) string {
	if at := strings.IndexByte(text, '['); at < 0 || !strings.Contains(text[at:], "|") {
		return ""
	}
	return wordsInClass().FindString(text)
}

// OperatorIn returns a search operator between words of a text, some of them in lower case; "": none.
func OperatorIn(text string) string {
	for _, op := range []string{"OR", "AND", "NOT", "&&", "||", "/"} {
		before, after, found := strings.Cut(text, " "+op+" ")
		if found && areWords(before) && areWords(after) {
			return op
		}
	}
	return ""
}

// areWords reports whether a text is letters and blanks, with one in lower case.
func areWords(text string) bool {
	return strings.ContainsFunc(text, unicode.IsLower) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) })
}

// maxProgram is the number of instructions up to which it is found out whether a pattern can match.
const maxProgram = 5000

// matchable reports whether there is a text that a pattern matches somewhere. One that does not compile counts as such.
func matchable(text string) bool {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return true
	}
	if !mayContradict(tree) {
		return true
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return true
	}
	s := patternSearch{prog: prog, seen: make([]bool, len(prog.Inst)*len(samples)*len(samples))}
	for _, before := range samples {
		for _, next := range samples {
			if before != lineEnd || next != lineEnd { // the search may begin within a text
				s.push(patternState{uint32(prog.Start), before, next})
			}
		}
	}
	return s.run()
}

// mayContradict reports whether a pattern has an assertion in a place where it may never hold, or a part that matches
// nothing. Any other pattern matches some text.
func mayContradict(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpNoMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpCharClass:
		return len(tree.Rune) == 0
	default:
		return slices.ContainsFunc(tree.Sub, mayContradict)
	}
}

// The kinds of characters that assertions distinguish, each with a sample; edge is the start and the end of a text.
const (
	edge      rune = -1
	lineEnd   rune = '\n'
	wordSign  rune = 'a'
	otherSign rune = ' '
)

var samples = []rune{edge, lineEnd, wordSign, otherSign}

// patternState is a place in a pattern between two kinds of characters.
type patternState struct {
	pc           uint32
	before, next rune
}

// patternSearch looks for a way through a pattern.
type patternSearch struct {
	prog *syntax.Prog
	seen []bool // a row for each instruction: before × next
	todo []patternState
}

func (s *patternSearch) push(at patternState) {
	row := int(at.pc) * len(samples) * len(samples)
	if i := row + slices.Index(samples, at.before)*len(samples) + slices.Index(samples, at.next); !s.seen[i] {
		s.seen[i] = true
		s.todo = append(s.todo, at)
	}
}

func (s *patternSearch) run() bool {
	for len(s.todo) > 0 {
		at := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		switch i := &s.prog.Inst[at.pc]; i.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			s.push(patternState{i.Out, at.before, at.next})
			s.push(patternState{i.Arg, at.before, at.next})
		case syntax.InstCapture, syntax.InstNop:
			s.push(patternState{i.Out, at.before, at.next})
		case syntax.InstEmptyWidth:
			if holds := syntax.EmptyOpContext(at.before, at.next); syntax.EmptyOp(i.Arg)&^holds == 0 {
				s.push(patternState{i.Out, at.before, at.next})
			}
		case syntax.InstFail:
		default: // a character
			if at.next != edge && takes(i, at.next) {
				for _, next := range samples {
					s.push(patternState{i.Out, at.next, next})
				}
			}
		}
	}
	return false
}

// takes reports whether an instruction for a character takes one of a kind.
func takes(i *syntax.Inst, kind rune) bool {
	ranges := i.Rune
	switch {
	case i.Op == syntax.InstRuneAny:
		return true
	case i.Op == syntax.InstRuneAnyNotNL:
		return kind != lineEnd
	case len(ranges) == 1: // a letter in either case, where the pattern ignores it
		return slices.ContainsFunc(folded(ranges[0], syntax.Flags(i.Arg)&syntax.FoldCase != 0),
			func(r rune) bool { return kindOf(r) == kind })
	}
	for j := 0; j+1 < len(ranges); j += 2 {
		if rangeHas(ranges[j], ranges[j+1], kind) {
			return true
		}
	}
	return false
}

func folded(r rune, fold bool) []rune {
	all := []rune{r}
	for f := unicode.SimpleFold(r); fold && f != r; f = unicode.SimpleFold(f) {
		all = append(all, f)
	}
	return all
}

func kindOf(r rune) rune {
	switch {
	case r == '\n':
		return lineEnd
	case syntax.IsWordChar(r):
		return wordSign
	}
	return otherSign
}

// rangeHas reports whether there is a character of a kind from low to high.
func rangeHas(low, high, kind rune) bool {
	if high > unicode.MaxASCII && kind == otherSign {
		return true
	}
	for r := low; r <= min(high, unicode.MaxASCII); r++ {
		if kindOf(r) == kind {
			return true
		}
	}
	return false
}
