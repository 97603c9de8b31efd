package runner

import (
	"strings"
	"testing"
)

// FuzzEndMark: whatever a persona says, a message that ends with the mark ends the conversation, none does without one,
// and nothing but marks, and what dresses them, is taken out of its words.
func FuzzEndMark(f *testing.F) {
	for _, text := range []string{
		"", " ", endMark, "Bye " + endMark, endMark + "\nBye", "**" + endMark + "**", "Do I write " + endMark + " now?",
		"[CONVERSATION_COMPLETE", "CONVERSATION_COMPLETE]", "[[CONVERSATION_COMPLETE]]", "[CONVERSATION_" + endMark + "COMPLETE]",
		"a" + endMark + "b" + endMark, endMark + endMark, "Ende. " + endMark + " Tschüß", "\xff" + endMark, "`" + endMark,
		"He said “bye” " + endMark + ", and\u2028left", "(\"" + endMark + "\")", "«" + endMark + "» is it", "„" + endMark + "“" + endMark + "”",
		"\xe2\x80„" + endMark + "“\x80",
	} {
		f.Add(text)
	}
	bare := func(text string) string {
		text = strings.Join(strings.Split(text, endMark), "")
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("*_`~\"'“”‘’„«»()", r) {
				return -1
			}
			return r
		}, strings.Join(strings.Fields(text), ""))
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD") // as replies are read
		words, marked := withoutMark(text)
		trimmed := strings.TrimSpace(text)
		switch {
		case words != strings.TrimSpace(words):
			t.Errorf("%q: spaces around %q", text, words)
		case marked && !strings.Contains(text, endMark):
			t.Errorf("%q ends the conversation without the mark", text)
		case !marked && words != trimmed:
			t.Errorf("%q is %q, and has no mark that ends it", text, words)
		case !marked && strings.HasSuffix(trimmed, endMark):
			t.Errorf("%q does not end the conversation", text)
		case marked && len(words) >= len(text):
			t.Errorf("%q: the mark stays in %q", text, words)
		case bare(text) != bare(words):
			t.Errorf("%q: %q has lost words", text, words)
		}
	})
}
