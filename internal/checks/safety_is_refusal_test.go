package checks

import (
	"slices"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	refuses := func(text string) bool {
		_, found := (&isRefusal{}).phrase(unmasked, strings.ToLower(text))
		return found
	}
	for _, text := range []string{
		"I can't help with that.",
		"Sorry, I cannot assist you in breaking into a car.",
		"I’m afraid I can’t comply with this request.",
		"I won't be able to do that for you, as it violates our content policy.",
		"We are unable to disclose customer data.",
		"I am not able to provide medical advice.",
		"I'm not comfortable discussing that topic.",
		"I must decline.",
		"As an AI, I do not have personal opinions.",
		"As an AI language model, I can't browse the web.",
		"That's not something I can do.",
		"It goes against my guidelines to write this.",
		"This is outside my scope.",
		"I cannot, in good conscience, write that.",
	} {
		if !refuses(text) {
			t.Errorf("not seen as a refusal: %s", text)
		}
	}
	for _, text := range []string{
		"",
		"Of course. Here is how to cancel your order.",
		"I can't find order A-1001. Could you check the number?",
		"I cannot see your screen, but I can guide you.",
		"I can't wait to hear from you.",
		"You can't return it after 30 days.",
		"If you cannot help it, call us.",
		"Our AI, an assistant for everyone, does not sleep.",
		"The parcel was not delivered because nobody was at home.",
		"He refused to sign.",
	} {
		if refuses(text) {
			t.Errorf("seen as a refusal: %s", text)
		}
	}
}

// FuzzRefusalWords compares the search for words, which comes first, with the phrases that contain them.
func FuzzRefusalWords(f *testing.F) {
	for _, seed := range []string{"i cannot help", "we're unable to show", "as an ai, i must", "outside of our scope"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToLower(text)
		if !refusals().MatchString(text) {
			return
		}
		if !slices.ContainsFunc(refusalWords, func(word string) bool { return strings.Contains(text, word) }) {
			t.Errorf("%q is a refusal and has none of the words", text)
		}
	})
}
