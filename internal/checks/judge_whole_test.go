package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestJudgesSeeEveryReply: a judge gets every reply in the scope of the check, also text next to a tool call.
func TestJudgesSeeEveryReply(t *testing.T) {
	t.Parallel()
	messages := []chat.Message{
		{Role: chat.System, Content: "You sell shoes."},
		{Role: chat.User, Content: "QUESTION ONE"},
		{Role: chat.Assistant, Content: "REPLY ONE"},
		{Role: chat.User, Content: "QUESTION TWO"},
		{Role: chat.Assistant, Content: "REPLY TWO", ToolCalls: []chat.ToolCall{{ID: "1", Name: "look"}}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "look", Content: "found"}},
		{Role: chat.Assistant, Content: "REPLY THREE"},
	}
	for _, d := range Builtin() {
		if d.Prompt == (Prompt{}) || d.Needs&NeedsReply == 0 || d.Name == "llm_judge_tool_calls" {
			continue
		}
		for _, scope := range []struct {
			name       string
			session    bool
			start      int
			shown, not []string
		}{
			{"turn", false, 3, []string{"REPLY TWO", "REPLY THREE"}, []string{"REPLY ONE"}},
			{"conversation", true, 0, []string{"REPLY ONE", "REPLY TWO", "REPLY THREE"}, nil},
		} {
			t.Run(d.Name+" "+scope.name, func(t *testing.T) {
				t.Parallel()
				judges := judgesSaying("a", `{"score": 1}`)
				s := &Subject{Judges: judges, Messages: messages, Session: scope.session, Start: scope.start, Turn: 1}
				s.Calls = CallsOf(messages)
				s.AllCalls = s.Calls
				if v := compiledJSON(t, d.Name, promptParams[d.Name]).Judge(t.Context(), s); v.Error != "" {
					t.Fatal(v.Error)
				}
				asked := judges.asked[0].Messages[1].Content
				at := 0
				for _, text := range scope.shown {
					next := strings.Index(asked, text)
					if next < at {
						t.Errorf("%q is not shown, or not in its place:\n%s", text, asked)
					}
					at = next
				}
				if d.Scope == WholeAlways {
					return
				}
				for _, text := range scope.not {
					if strings.Contains(asked, text) {
						t.Errorf("%q is of another turn:\n%s", text, asked)
					}
				}
			})
		}
	}
}

// TestJudgesSeeEveryQuestion: in a conversation each answer follows its question.
func TestJudgesSeeEveryQuestion(t *testing.T) {
	t.Parallel()
	s := &Subject{Session: true, Turn: -1, Messages: []chat.Message{
		{Role: chat.User, Content: "q1"}, {Role: chat.Assistant, Content: "a1"}, {Role: chat.Assistant, Content: " "},
		{Role: chat.User, Content: " "}, {Role: chat.Assistant, Content: "a2"},
		{Role: chat.User, Content: "q2"}, {Role: chat.Assistant, Content: "a3"},
	}}
	for name, want := range map[string]string{
		`{}`: "question 1 of 2: q1, answer 1 of 3: a1, answer 2 of 3: a2, question 2 of 2: q2, " +
			"answer 3 of 3: a3",
		`{"question": "q"}`: "question: q, answer 1 of 3: a1, answer 2 of 3: a2, answer 3 of 3: a3",
	} {
		p := questionParam{}
		if name != `{}` {
			p.Question = "q"
		}
		shown, err := p.answered(s)
		var got []string
		for _, x := range shown {
			got = append(got, x.Name+": "+x.Text)
		}
		if text := strings.Join(got, ", "); err != nil || text != want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
