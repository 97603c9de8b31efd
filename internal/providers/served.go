package providers

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
)

// Another reports whether the model that answered is another one than a provider asked for. The name of a version is
// none: "gpt-4o" is answered by "gpt-4o-2024-08-06". Nothing can be said of what has no name for the model itself, such
// as a deployment of Azure, nor of simulated providers.
func Another(spec *scenario.Provider, served string) bool {
	switch spec.Type {
	case "azure", "mock", "replay":
		return false
	}
	if spec.Model == "" || served == "" || spec.Platform != nil && spec.Platform.Type == "azure" {
		return false
	}
	asked, version := modelName(spec.Model)
	got, other := modelName(served)
	return !slices.Equal(asked, got) || version != "" && other != "" && version != other
}

// modelName takes the name of a model apart: the words by which it is told from others, and the date or number of its
// version, where it has one. Who offers it is left out: models/, openai/, us.anthropic.
func modelName(text string) (words []string, version string) {
	text = strings.ToLower(strings.TrimSpace(text))
	text = text[strings.LastIndexByte(text, '/')+1:]
	for {
		before, after, found := strings.Cut(text, ".")
		if !found || !lettersOnly(before) || after == "" || !lettersOnly(after[:1]) {
			break
		}
		text = after
	}
	words = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-_.:@ ", r) })
	if n := len(words); n > 2 && words[n-1] == "0" && isRevision(words[n-2]) { // v2:0, as on Bedrock
		words = words[:n-2]
	}
	at := len(words)
	for at > 1 && (words[at-1] == "latest" || isVersion(words[at-1])) {
		at--
	}
	for _, w := range words[at:] {
		if w != "latest" {
			version += w
		}
	}
	return words[:at], version
}

func lettersOnly(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

func digitsOnly(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isVersion reports whether a word may be a part of a date or a number such as 001. One digit is the generation of a
// model, as in gpt-4 and gpt-4.1.
func isVersion(word string) bool { return len(word) > 1 && digitsOnly(word) }

func isRevision(word string) bool { return strings.HasPrefix(word, "v") && digitsOnly(word[1:]) }
