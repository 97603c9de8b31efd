package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Plain returns a text as a reader takes it, whatever characters spell it. Compatible forms are one (decomposed
// accents, full width, ligatures: NFKC), characters that nobody sees and the colours of terminals are left out of
// words, every hyphen is "-", and in a word of letters of two alphabets those that look like letters of the other one
// are these. Words of one alphabet stay as they are, so that nothing in Russian or Greek reads as English. Every white
// space is a blank.
func Plain(text string) string {
	if !hasUnusual(text) {
		return text
	}
	var s speller
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		b.WriteString(s.read(r))
	}
	b.WriteString(s.end())
	return b.String()
}

// PlainLine is Plain with one blank for each run of white space, so that a text is found across the ends of lines, and
// with ß as ss.
func PlainLine(text string) string {
	plain := fold(Plain(text))
	if !hasRuns(plain) {
		return plain
	}
	var s lines
	return s.join(plain)
}

// Composed returns a text with accents and their letters as one character where there is one (NFC).
func Composed(text string) string { return norm.NFC.String(text) }

func hasUnusual(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] == escapeSign {
			return true
		}
	}
	return false
}

func hasRuns(text string) bool {
	before := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case c != ' ' && c <= '\r' && c >= '\t', c == ' ' && before == ' ':
			return true
		default:
			before = c
		}
	}
	return false
}

// lines joins lines, and makes one blank of several.
type lines struct{ blank bool }

func (l *lines) join(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		blank := text[i] == ' ' || '\t' <= text[i] && text[i] <= '\r'
		switch {
		case !blank:
			b.WriteByte(text[i])
		case !l.blank:
			b.WriteByte(' ')
		}
		l.blank = blank
	}
	return b.String()
}

// longestWord is the number of bytes after which a word is spelt plainly before its end has come.
const longestWord = 1024

// speller spells a text plainly, word by word.
type speller struct {
	word strings.Builder
	odd  bool // the word has characters that are not ASCII
	kept rune // the last character of the word

	escape escape
}

// read takes a character, and returns the words that are complete.
func (s *speller) read(r rune) string {
	switch {
	case s.escape.takes(r):
		return ""
	case r < utf8.RuneSelf && r != ' ' && (r < '\t' || r > '\r'):
		s.word.WriteByte(byte(r))
	case unicode.IsSpace(r):
		if r >= utf8.RuneSelf {
			r = ' '
		}
		return s.end() + string(r)
	case isHyphen(r):
		r = '-'
		s.word.WriteByte('-')
	case isInvisible(r) && !unicode.IsSymbol(s.kept) && !isInvisible(s.kept):
		return ""
	default:
		s.word.WriteRune(r)
		s.odd = true
	}
	s.kept = r
	if s.word.Len() >= longestWord {
		return s.end()
	}
	return ""
}

// end returns the word that was read.
func (s *speller) end() string {
	word := s.word.String()
	s.word.Reset()
	if s.odd {
		word = oneAlphabet(norm.NFKC.String(word))
	}
	s.odd, s.kept = false, 0
	return word
}

// isHyphen reports whether a character is written where others write "-": hyphens, the short dashes and the minus.
func isHyphen(r rune) bool {
	return '\u2010' <= r && r <= '\u2013' || r == '\u2212' || r == '\uFE58' || r == '\uFE63' || r == '\uFF0D'
}

// isInvisible reports whether a character shows nothing by itself: joiners, soft hyphens, marks of direction,
// selectors.
func isInvisible(r rune) bool {
	switch {
	case r < '\u00AD', r == utf8.RuneError, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034F'
}

// oneAlphabet replaces letters in words of two alphabets by those of the other one that look the same.
func oneAlphabet(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end := at
		for i, r := range text[at:] {
			if !unicode.IsLetter(r) && !unicode.IsMark(r) {
				break
			}
			end = at + i + utf8.RuneLen(r)
		}
		if end == at {
			_, size := utf8.DecodeRuneInString(text[at:])
			b.WriteString(text[at : at+size])
			at += size
			continue
		}
		b.WriteString(inOneAlphabet(text[at:end]))
		at = end
	}
	return b.String()
}

// inOneAlphabet is oneAlphabet for letters alone. Those that look like Latin ones become these; where the word has
// others, the Latin ones become theirs.
func inOneAlphabet(letters string) string {
	latin := strings.ContainsFunc(letters, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	if !latin || !strings.ContainsFunc(letters, isOtherAlphabet) {
		return letters
	}
	own := strings.ContainsFunc(letters, func(r rune) bool { return isOtherAlphabet(r) && likeLatin(r) == r })
	if !own {
		return strings.Map(likeLatin, letters)
	}
	inGreek := strings.ContainsFunc(letters, func(r rune) bool { return unicode.Is(unicode.Greek, r) })
	return strings.Map(func(r rune) rune { return likeOther(r, inGreek) }, letters)
}

func isOtherAlphabet(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }

// Letters that look the same, in the same order.
const (
	likeCyrillic = "ABCEHIJKMOPSTXYaceijhkopqsxywd"
	cyrillic     = "АВСЕНІЈКМОРЅТХУасеіјһкорԛѕхуԝԁ"
	likeGreek    = "ABEHIKMNOPTXYZaikovpxuy"
	greek        = "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαικονρχυγ"
)

// likeLatin returns the Latin letter that looks like another one, or that one.
func likeLatin(r rune) rune {
	if i := strings.IndexRune(cyrillic, r); i >= 0 {
		return rune(likeCyrillic[i/2])
	}
	if i := strings.IndexRune(greek, r); i >= 0 {
		return rune(likeGreek[i/2])
	}
	return r
}

// likeOther returns the Greek or Cyrillic letter that looks like a Latin one, or that one.
func likeOther(r rune, inGreek bool) rune {
	latin, other := likeCyrillic, cyrillic
	if inGreek {
		latin, other = likeGreek, greek
	}
	if i := strings.IndexRune(latin, r); i >= 0 {
		letter, _ := utf8.DecodeRuneInString(other[2*i:])
		return letter
	}
	return r
}

// PlainSearch looks for texts that are spelt plainly in a text that is still being written, as PlainLine spells it. Its
// last word waits for its end.
type PlainSearch struct {
	whole  Runes
	tags   untagger
	marks  *unmarker // nil: marks of Markdown and tags stay
	spell  speller
	lines  lines
	search *Search
}

// FollowPlain starts on a new text. The texts of the set are in the form of PlainLine.
func (s *Set) FollowPlain() *PlainSearch { return &PlainSearch{search: s.Follow()} }

// FollowUnmarked is FollowPlain for a text without the marks of Markdown: see Unmarked.
func (s *Set) FollowUnmarked() *PlainSearch {
	return &PlainSearch{search: s.Follow(), marks: &unmarker{}}
}

// Write takes the next piece, and returns whether any of the texts was found.
func (p *PlainSearch) Write(piece string) bool {
	text := p.whole.Take(piece)
	if p.marks != nil {
		var b strings.Builder
		for _, r := range text {
			for _, shown := range p.tags.read(r) {
				b.WriteString(p.marks.read(shown))
			}
		}
		text = b.String()
	}
	found := p.search.found
	for _, r := range text {
		if found {
			break
		}
		if word := p.spell.read(r); word != "" {
			found = p.search.Write(p.lines.join(fold(word)))
		}
	}
	return found
}

// Lookalike finds a character in a text that looks like another one and does not match it: a letter of another alphabet
// than the rest of its word, or a full-width one. like is the other character; char is 0 if there is none.
func Lookalike(text string) (char rune, like string) {
	if !hasUnusual(text) {
		return 0, ""
	}
	var word strings.Builder
	for _, r := range text + " " {
		switch {
		case '\uFF01' <= r && r <= '\uFF5E':
			return r, string(r - '\uFF01' + '!')
		case unicode.IsLetter(r) || unicode.IsMark(r):
			word.WriteRune(r)
		default:
			letters := []rune(word.String())
			for i, other := range []rune(inOneAlphabet(word.String())) {
				if other != letters[i] {
					return letters[i], string(other)
				}
			}
			word.Reset()
		}
	}
	return 0, ""
}
