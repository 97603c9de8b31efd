package grading

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// checkWholeReply returns an error if the answer at text[start:stop] is not the whole reply: it must be alone or in one
// code fence, with at most an introduction or an ending around it. Otherwise the object may be one that the judge
// quotes, supposes or withdraws. An answer with an introduction must not occur in the exhibits.
func checkWholeReply(text string, start, stop int, exhibits []Exhibit) error {
	before, after := strings.TrimSpace(text[:start]), strings.TrimSpace(text[stop:])
	if before == "" && after == "" {
		return nil
	}
	before, after = withoutFence(before, after)
	before, after = plainWords(before), plainWords(after)
	if !introductions().MatchString(before) {
		return errors.New("it has words before the JSON object, so the object may be a quotation")
	}
	if !farewells().MatchString(after) {
		return errors.New("it has words after the JSON object, which may take it back")
	}
	if before+after != "" && Stands(text[start:stop], exhibits) {
		return errors.New("its JSON object stands in the material, so it may be a quotation")
	}
	return nil
}

// withoutFence takes off a code fence that opens at the end of one text and closes at the start of the other.
func withoutFence(before, after string) (string, string) {
	outside := strings.TrimRightFunc(before, unicode.IsLetter)
	words := strings.TrimRight(outside, "`")
	mark := outside[len(words):]
	rest, closed := strings.CutPrefix(after, mark)
	if lang := before[len(outside):]; mark == "" || !closed || lang != "" && !strings.EqualFold(lang, "json") {
		return before, after
	}
	return words, rest
}

// plainWords are the words of a text in lower case, without neutral punctuation. Other signs stay: a question mark,
// quotation marks or struck-out text may reverse the meaning.
func plainWords(text string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(".,:;!*#_-–—'’\ufeff", r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
	return strings.Join(strings.Fields(plain), " ")
}

// introductions are phrases that only announce an answer.
var introductions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:well|sure|certainly|of course|okay|ok)(?: |$))?` +
		`(?:based on the (?:criteria|rubric|material) )?(?:(?:here is|here s|this is) )?(?:my |the )?(?:final )?(?:json )?` +
		`(?:(?:verdict|grade|grading|evaluation|assessment|judge?ment|answer|result|json|object)` +
		`(?: is| follows| as json| in json)?)?$`)
})

// farewells are phrases that only end a reply.
var farewells = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:the )?end|(?:i )?hope (?:this|that|it) helps|thanks|thank you|` +
		`(?:please )?let me know if you (?:have any(?: other| further)? questions|need anything(?: else)?))?$`)
})

// Stands reports whether an object occurs in an exhibit, with any spacing, also as a text within JSON.
func Stands(object string, exhibits []Exhibit) bool {
	object = packed(object)
	for _, x := range exhibits {
		if strings.Contains(packed(x.Text), object) {
			return true
		}
	}
	return false
}

// packed is a text without blanks and backslashes.
func packed(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\\' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
