package node

import "testing"

func TestStandIn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"file://system.md", "@system.md", "prompts/system.md", "./system.txt", "../p/system.prompt", "{question}", "$QUESTION",
		"${QUESTION}", "<question>", "<your prompt here>", "%s", "{0}", "{}", "TODO", " TODO ",
	} {
		for _, said := range []bool{false, true} {
			if odd, _ := FindPlaceholder(text, said); odd == (Oddity{}) {
				t.Errorf("%q, said by a user %v: no word", text, said)
			}
		}
	}
	for _, text := range []string{"system.md", "...", "None", "n/a", "tbd", "???"} { // a user may say that
		if odd, _ := FindPlaceholder(text, false); odd == (Oddity{}) {
			t.Errorf("%q: no word", text)
		}
		if odd, _ := FindPlaceholder(text, true); odd != (Oddity{}) {
			t.Errorf("%q, said by a user: %v", text, odd)
		}
	}
	for _, text := range []string{
		"You answer customers.", "See prompts/system.md", "<br>", "<b>bold</b>", "$5", "{a} and {b}", "no", "Read system.md.",
		"https://example.com/system.md", "TODO list", "100%",
	} {
		if odd, _ := FindPlaceholder(text, false); odd != (Oddity{}) {
			t.Errorf("%q: %v", text, odd)
		}
	}
}
