package checks

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/textmeasure"
)

// wordAround is a text that a check looked for, and the word in which it found it.
type wordAround struct{ text, word string }

func (c *contains) withinWords(s *Subject) (found []wordAround) {
	for i := range c.patterns {
		if word := c.patterns[i].withinWord(s.last(), c.caseSensitive); word != "" {
			found = append(found, wordAround{c.patterns[i].text, word})
		}
	}
	return found
}

func (c *outputContains) withinWords(s *Subject) []wordAround {
	if word := c.pattern.withinWord(s.last(), c.caseSensitive); word != "" {
		return []wordAround{{c.pattern.text, word}}
	}
	return nil
}

// withinWords of a check that one text satisfies is where all that it found is within words.
func (c *containsAny) withinWords(s *Subject) (found []wordAround) {
	replies := s.Texts()
	for r := range replies {
		for i := range c.patterns {
			p := &c.patterns[i]
			word := p.withinWord(&replies[r], c.caseSensitive)
			switch {
			case word != "":
				found = append(found, wordAround{p.text, word})
			case p.in(&replies[r], c.caseSensitive):
				return nil
			}
		}
	}
	return found[:min(len(found), 1)]
}

// alone is a pattern that finds a text as a word of its own.
func alone(text string) string {
	pattern := regexp.QuoteMeta(text)
	if first, _ := utf8.DecodeRuneInString(text); textmeasure.InWord(first) {
		pattern = `\b` + pattern
	}
	return `(?i)` + pattern + `\b`
}

// withinWord is the word within which a reply has the pattern, if it has it nowhere else: "know" for "no", "$50" for
// "$5". Longer words are looked for as parts of others on purpose: "refund" is in "refunds" and "refunded".
func (p *textPattern) withinWord(r *Reply, caseSensitive bool) (word string) {
	around := p.around()
	if r == nil || around == nil {
		return ""
	}
	text, pattern := r.Text, p.text
	if !caseSensitive {
		text, pattern = r.Lower(), p.folded
	}
	asWritten := text
	if len(r.Text) == len(text) {
		asWritten = r.Text
	}
	for at := 0; ; {
		i := strings.Index(text[at:], pattern)
		if i < 0 {
			return word
		}
		start, end := at+i, at+i+len(pattern)
		from, to := around(asWritten, start, end)
		if from == start && to == end {
			return ""
		}
		if word == "" {
			word = asWritten[from:to]
		}
		at = end
	}
}

// around finds for a pattern the word in which it is; nil: it may be in any.
func (p *textPattern) around() func(text string, start, end int) (from, to int) {
	switch n := utf8.RuneCountInString(p.text); {
	case n > 0 && n <= shortWord && strings.IndexFunc(p.text, isNotAlphabetic) < 0, isSmallWord(p.folded):
		return letters
	case isShortNumber(p.text):
		return digits
	}
	return nil
}

// shortWord is the number of letters up to which a text is hardly meant as a part of another word.
const shortWord = 2

// isSmallWord reports whether a longer word stands in others that have nothing to do with it: "not" in "notice".
func isSmallWord(word string) bool {
	return slices.Contains([]string{"can", "fee", "low", "not", "now", "one", "red", "ten", "two", "yes"}, word)
}

// isNotAlphabetic reports whether a character is no letter of an alphabet whose words have blanks between them and take
// no prefixes.
func isNotAlphabetic(r rune) bool {
	return !unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}

// letters is the word around a match of letters. An end of s is a plural, and a capital within a word begins one, as in
// orderId.
func letters(text string, start, end int) (from, to int) {
	from, to = start, end
	for {
		before, size := utf8.DecodeLastRuneInString(text[:from])
		if !unicode.IsLetter(before) {
			break
		}
		from -= size
	}
	for {
		after, size := utf8.DecodeRuneInString(text[to:])
		if !unicode.IsLetter(after) {
			break
		}
		to += size
	}
	first, _ := utf8.DecodeRuneInString(text[start:])
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	beginsWord := from == start || unicode.IsUpper(first) && unicode.IsLower(before)
	if beginsWord && slices.Contains([]string{"", "s", "es", "S", "ay"}, text[end:to]) {
		return start, end
	}
	return from, to
}

// isShortNumber reports whether a text is a number of few digits, alone or behind a sign of money or a word.
func isShortNumber(text string) bool {
	bare := strings.TrimRightFunc(text, isDigit)
	n := len(text) - len(bare)
	before, _ := utf8.DecodeLastRuneInString(bare)
	return n > 0 && n <= 3 && text[len(bare)] != '0' &&
		(bare == "" || unicode.IsSpace(before) || unicode.Is(unicode.Sc, before))
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// digits is the number around a match that ends with digits, and begins with them where it is nothing else. Long
// numbers, and those that belong to a name, are ids.
func digits(text string, start, end int) (from, to int) {
	const longest = 4
	from = start
	if isDigit(rune(text[start])) {
		from = len(strings.TrimRightFunc(text[:start], isDigit))
	}
	to = len(text) - len(strings.TrimLeftFunc(text[end:], isDigit))
	number := len(text[from:to]) - len(strings.TrimRightFunc(text[from:to], isDigit))
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	if number > longest || unicode.IsLetter(before) || strings.ContainsRune("-+#/:._", before) {
		return start, end
	}
	if rest := text[to:]; len(rest) > 3 && rest[0] == ',' &&
		strings.IndexFunc(rest[1:4], func(r rune) bool { return !isDigit(r) }) < 0 {
		to += 4
	}
	return from, to
}
