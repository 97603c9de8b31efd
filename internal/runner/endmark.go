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

// withoutMark removes the marks of the end from a message. A mark anywhere ends the conversation, unless a sentence
// mentions it: then it stays.
func withoutMark(text string) (words string, marked bool) {
	at := 0
	var b strings.Builder
	for _, found := range endMarks().FindAllStringIndex(text, -1) {
		from, to, quoted := markBounds(text, found[0], found[1])
		if from < at || isMention(text[:from], text[to:], quoted) {
			continue
		}
		marked = true
		b.WriteString(text[at:from])
		at = to
	}
	b.WriteString(text[at:])
	return strings.TrimSpace(b.String()), marked
}

// markBounds returns the start and end of a mark, with quotes or brackets around it.
func markBounds(text string, from, to int) (begin, end int, quoted bool) {
	for _, q := range [][2]string{{"\"", "\""}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"(", ")"}} {
		if strings.HasSuffix(text[:from], q[0]) && strings.HasPrefix(text[to:], q[1]) {
			return from - len(q[0]), to + len(q[1]), q[0] != "("
		}
	}
	return from, to, false
}

// mentionContinues matches text that continues a sentence about the mark.
var mentionContinues = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:is|was|means|ends|marks|would|will|should|must|can|may|has|does|goes)\b`)
})

// isMention reports whether a sentence mentions the mark: the sentence goes on behind it in the same line, or the mark
// is quoted or asked about within it.
func isMention(before, after string, quoted bool) bool {
	line, _, _ := strings.Cut(strings.ReplaceAll(endMarks().ReplaceAllString(after, ""), "\r", "\n"), "\n")
	if line = strings.TrimSpace(line); endsSentence(before) {
		return mentionContinues().MatchString(line)
	}
	return quoted || strings.HasPrefix(line, "?") || strings.ContainsFunc(line, isWord)
}

// endsSentence reports whether a text ends with the end of a sentence or line, or with an emoji.
func endsSentence(text string) bool {
	text = strings.TrimRight(endMarks().ReplaceAllString(text, ""), " \t*_`~")
	text = strings.TrimRightFunc(text, func(r rune) bool { // these may enclose the sentence
		return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Variation_Selector)
	})
	last, size := utf8.DecodeLastRuneInString(text)
	return size == 0 || strings.ContainsRune("\n\r…", last) ||
		unicode.In(last, unicode.Sentence_Terminal, unicode.So, unicode.Sk)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
