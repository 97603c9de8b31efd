package textmeasure

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// Comparable returns an error for embeddings that no model gives these texts: a server without its model answers so,
// and everything would be alike.
func Comparable(texts []string, vectors [][]float64) error {
	if len(vectors) < 2 {
		return nil
	}
	same, differ := true, false // the vectors, and their texts
	for i, v := range vectors {
		switch {
		case len(v) == 1:
			return errors.New("a vector of one number has no direction to compare")
		case largest(v) < tiny:
			return errors.New("a vector is all zeros, and has no direction to compare")
		}
		same = same && slices.Equal(v, vectors[0])
		differ = differ || i < len(texts) && lettersOf(texts[i]) != lettersOf(texts[0])
	}
	if same && differ {
		return errors.New("the server gives different texts the same vector: is its model loaded?")
	}
	return nil
}

// tiny is what components of embeddings are above: below it numbers have lost their digits.
const tiny = 1e-300

// lettersOf are the letters and digits of a text in lower case: some models see nothing else.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
