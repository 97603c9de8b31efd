package checks

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// joinedWords returns the words of a banned text that are joined as in a sentence, such as "refund or credit" or
// "refund, credit and voucher"; nil: it is one text. Phrases that people say as they stand are one text, and so are two
// words with "and" between them, which mostly are such a phrase.
func joinedWords(text string) []string {
	if !strings.Contains(text, " ") {
		return nil
	}
	parts := joined().FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	list := strings.FieldsFunc(parts[1], func(r rune) bool { return r == ',' || r == ' ' })
	list = append(list, parts[3])
	if len(list) == 2 && (!alternative(parts[2]) || slices.ContainsFunc(list, isOfPhrase)) {
		return nil
	}
	return list
}

// joined is a list of words with commas, and or or and before the last one.
var joined = sync.OnceValue(func() *regexp.Regexp {
	const word = `\p{Ll}[\pL\pM'-]{2,}`
	return regexp.MustCompile(`^(` + word + `(?:, ` + word + `)*),? (or|and|oder|und|ou|et|o|y|e) (` + word + `)$`)
})

// alternative reports whether a word means or.
func alternative(word string) bool { return slices.Contains([]string{"or", "oder", "ou", "o"}, word) }

// isOfPhrase reports whether a word stands on one side of or in phrases that are said as they stand: "more or less".
func isOfPhrase(word string) bool {
	return slices.Contains([]string{
		"alive", "all", "bad", "best", "better", "black", "boys", "break", "day", "dead", "death", "decrease",
		"die", "double", "either", "fake", "false", "famine", "feast", "few", "fight", "first", "five", "four",
		"friend", "gentlemen",
		"girls", "good", "guilty", "hell", "her", "hers", "herself", "high", "him", "himself", "his", "hit",
		"innocent", "later", "left",
		"less", "life", "like", "live", "long", "lose", "low", "make", "man", "men", "more", "never", "night",
		"nine", "not", "nothing",
		"now", "off", "one", "rain", "right", "safe", "shine", "short", "sink", "six", "sooner", "swim", "them",
		"they", "this", "that",
		"three", "treat", "trick", "true", "two", "what", "when", "whether", "who", "win", "woman", "women", "worse",
		"wrong", "yes",
		"she", "weniger", "mehr", "minder", "später", "früher", "nie", "alles", "nichts", "moins", "plus", "jamais",
		"menos", "nunca",
	}, word)
}
