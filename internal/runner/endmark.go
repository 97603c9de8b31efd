package runner

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// endMark is what a persona writes when the conversation is over.
const endMark = "[CONVERSATION_COMPLETE]"

// endMarks finds the mark of the end, with the Markdown around it.
var endMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[*_`~]*" + regexp.QuoteMeta(endMark) + "[*_`~]*")
})

// withoutMark takes the marks of the end out of a message. Wherever it stands, a mark ends the conversation, unless a
// sentence speaks of it: there it is a word as others are, and stays.
func withoutMark(text string) (words string, marked bool) {
	at := 0
	var b strings.Builder
	for _, found := range endMarks().FindAllStringIndex(text, -1) {
		from, to, quoted := dressed(text, found[0], found[1])
		if from < at || spokenOf(text[:from], text[to:], quoted) {
			continue
		}
		marked = true
		b.WriteString(text[at:from])
		at = to
	}
	b.WriteString(text[at:])
	return strings.TrimSpace(b.String()), marked
}

// dressed is where a mark begins and ends with the quotes or brackets around it.
func dressed(text string, from, to int) (begin, end int, quoted bool) {
	for _, q := range [][2]string{{"\"", "\""}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"(", ")"}} {
		if strings.HasSuffix(text[:from], q[0]) && strings.HasPrefix(text[to:], q[1]) {
			return from - len(q[0]), to + len(q[1]), q[0] != "("
		}
	}
	return from, to, false
}

// saysOf finds what goes on about a mark with which a sentence begins.
var saysOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:is|was|means|ends|marks|would|will|should|must|can|may|has|does|goes)\b`)
})

// spokenOf reports whether a sentence speaks of the mark between two texts: its words go on behind it in the same line,
// or it is quoted or asked about within it.
func spokenOf(before, after string, quoted bool) bool {
	line, _, _ := strings.Cut(strings.ReplaceAll(endMarks().ReplaceAllString(after, ""), "\r", "\n"), "\n")
	if line = strings.TrimSpace(line); endsSentence(before) {
		return saysOf().MatchString(line)
	}
	return quoted || strings.HasPrefix(line, "?") || strings.ContainsFunc(line, isWord)
}

// endsSentence reports whether a sentence or a line ends where a text does. A picture of a face ends one, too.
func endsSentence(text string) bool {
	text = strings.TrimRight(endMarks().ReplaceAllString(text, ""), " \t*_`~")
	text = strings.TrimRightFunc(text, func(r rune) bool { // they may stand around the sentence
		return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Variation_Selector)
	})
	last, size := utf8.DecodeLastRuneInString(text)
	return size == 0 || strings.ContainsRune("\n\r…", last) ||
		unicode.In(last, unicode.Sentence_Terminal, unicode.So, unicode.Sk)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
