package checks

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
)

var sentenceCountDef = plain[sentenceCount](Def{
	Name:     "sentence_count",
	Aliases:  []string{"max_sentences"},
	Summary:  "The reply has at most so many sentences; the score falls with every one too many.",
	Scoring:  "1 up to max, then max / sentences.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Clean:    Limits,
})

type sentenceCount struct {
	Max int `param:"max,required" alias:"max_sentences" min:"0" doc:"Sentences; line breaks do not end one."`
}

func (c *sentenceCount) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := sentences(s.Output())
	return Finding{
		Score:       shareOf(c.Max, n),
		Explanation: fmt.Sprintf("%s, at most %d allowed", plural.Count(n, "sentence"), c.Max),
		Details:     Details{"count": n, "max": c.Max},
	}, nil
}

// ends are the marks that end a sentence: those of Latin script and of Chinese, Japanese, Hindi, Arabic, Urdu, Armenian
// and Amharic.
const ends = ".!?…‽。！？｡।॥؟۔։።፧"

// sentences counts the parts of a text between such marks. A dot between digits does not end a sentence. A text of only
// such marks is one sentence.
func sentences(text string) int {
	if strings.TrimSpace(text) == "" {
		return 0
	}
	n, words := 0, false
	var before rune
	for i, r := range text {
		switch {
		case strings.ContainsRune(ends, r):
			if words && !(r == '.' && unicode.IsDigit(before) && digitAt(text, i+1)) {
				n, words = n+1, false
			}
		default:
			words = words || !unicode.IsSpace(r)
		}
		before = r
	}
	if words {
		n++
	}
	return max(n, 1)
}

func digitAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsDigit(r)
}
