package runner

import "testing"

func TestWithoutMark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, words string
		marked      bool
	}{
		{"Thanks! [CONVERSATION_COMPLETE]", "Thanks!", true},
		{"Thanks, bye **[CONVERSATION_COMPLETE]**", "Thanks, bye", true},
		{"[CONVERSATION_COMPLETE]", "", true},
		{"[CONVERSATION_COMPLETE] Bye.", "Bye.", true},
		{"That is all. [CONVERSATION_COMPLETE] Bye.", "That is all.  Bye.", true},
		{"Bye\n[CONVERSATION_COMPLETE]\n[CONVERSATION_COMPLETE].", "Bye\n\n.", true},
		{"Thanks, bye! [CONVERSATION_COMPLETE]", "Thanks, bye!", true},
		{"thanks, bye [CONVERSATION_COMPLETE].", "thanks, bye .", true},
		{"ok bye [CONVERSATION_COMPLETE]\nthanks", "ok bye \nthanks", true},
		{"that's all. [CONVERSATION_COMPLETE] bye", "that's all.  bye", true},
		{"谢谢。[CONVERSATION_COMPLETE] 再见", "谢谢。 再见", true},
		{"Thank you 👍🏽 [CONVERSATION_COMPLETE] Bye", "Thank you 👍🏽  Bye", true},
		{"Bye. \"[CONVERSATION_COMPLETE]\"", "Bye.", true},
		{"Bye ([CONVERSATION_COMPLETE])", "Bye", true},
		{"“That is all, thanks [CONVERSATION_COMPLETE]”", "“That is all, thanks ”", true},
		{"(He left.) [CONVERSATION_COMPLETE] Good.", "(He left.)  Good.", true},
		{"Do I write [CONVERSATION_COMPLETE] to end?", "", false},
		{"Do I have to write [CONVERSATION_COMPLETE]?", "", false},
		{"I shall write \"[CONVERSATION_COMPLETE]\".", "", false},
		{"I am told to write “[CONVERSATION_COMPLETE]” when I am done.", "", false},
		{"[CONVERSATION_COMPLETE] is what I write when I am done.", "", false},
		{"Not yet. `[CONVERSATION_COMPLETE]` would end it.", "", false},
		{"One says [CONVERSATION_COMPLETE], and I do: [CONVERSATION_COMPLETE]",
			"One says [CONVERSATION_COMPLETE], and I do:", true},
	} {
		if !tt.marked {
			tt.words = tt.text
		}
		if words, marked := withoutMark(tt.text); words != tt.words || marked != tt.marked {
			t.Errorf("%q: %q, %v", tt.text, words, marked)
		}
	}
}
