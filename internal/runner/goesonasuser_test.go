package runner

import "testing"

func TestGoesOnAsUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"It ships today.\nUser: Thanks, and my refund?\nAssistant: Done.", "User: Thanks, and my refund?"},
		{"It ships today.\n\nHuman: Thanks.", "Human: Thanks."},
		{"It ships today.\n**User:** ok\n**Assistant:** Bye.", "**User:** ok"},
		{"Assistant: It ships today.\nUser: Thanks!", "User: Thanks!"},
		{"It ships.\r\nUSER: ok\r\nASSISTANT: fine", "USER: ok"},

		{"User: Hi\nAssistant: Hello.", ""}, // a transcript
		{"Here is the transcript:\n\nUser: Hi there!\nAgent: Hello.", ""},
		{"The chat was:\nAgent: Hello!\nUser: Hi there!", ""},
		{"Ticket 4 is open.\nUser: Ann Smith", ""},
		{"Ticket: 4\nUser: ann@example.com\nState: open", ""},
		{"Write a log such as\n```\nline\nUser: Hi!\nAssistant: Hello.\n```", ""},
		{"Ask the User: he knows.", ""},
		{"- User: who asks.\n- Agent: who answers.", ""},
		{"", ""},
	} {
		if got := goesOnAsUser(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
