package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestCallsAreNoReply: every check of replies is an error, never a pass, if the turn or the conversation ended with
// tool calls only.
func TestCallsAreNoReply(t *testing.T) {
	t.Parallel()
	call := func(text string) chat.Message {
		return chat.Message{Role: chat.Assistant, Content: text, ToolCalls: []chat.ToolCall{{ID: "1", Name: "move"}}}
	}
	user := chat.Message{Role: chat.User, Content: "hi"}
	moved := chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "move", Content: "moved"}}
	hello := chat.Message{Role: chat.Assistant, Content: "hello"}
	ways := map[string]*Subject{
		"a call":              {Messages: []chat.Message{user, call("")}},
		"a call and a result": {Messages: []chat.Message{user, call(""), moved}},
		"a blank call":        {Messages: []chat.Message{user, call(" \n"), moved}},
		"words, then a call":  {Messages: []chat.Message{user, call("One moment."), moved, call(""), moved}},
		"two calls":           {Messages: []chat.Message{user, call(""), moved, call(""), moved}},
		"a later turn":        {Messages: []chat.Message{user, hello, user, call(""), moved}, Start: 2, Turn: 1},
		"nothing at all":      {Messages: []chat.Message{user}},
		"a whole conversation": {Session: true, Turn: -1,
			Messages: []chat.Message{user, call(""), moved, user, call(""), moved}},
	}
	tried := 0
	everyCheck(t, func(name string, c *Compiled) {
		wordless := c.Def.Wordless || c.Needs()&NeedsCalls != 0
		if c.Needs()&NeedsReply == 0 || wordless || c.Nested() != nil {
			return
		}
		tried++
		for way, s := range ways {
			if c.session && way == "a later turn" {
				continue // the conversation has a reply
			}
			s = s.Fork()
			s.Calls, s.AllCalls = CallsOf(s.Messages[s.Start:]), CallsOf(s.Messages)
			if c.session && way == "words, then a call" {
				continue // the same
			}
			v := c.Judge(t.Context(), s)
			if v.Status != result.Errored || !strings.Contains(v.Error, "no reply") {
				t.Errorf("%s: %s: %s, %s%s", name, way, v.Status, v.Explanation, v.Error)
			}
		}
	})
	if tried < 40 {
		t.Errorf("only %d checks of replies were tried", tried)
	}
}

// TestLastReplyOfAConversation: the last reply of a conversation is the last text of the agent, whatever it called
// later.
func TestLastReplyOfAConversation(t *testing.T) {
	t.Parallel()
	s := &Subject{Session: true, Turn: -1, Messages: []chat.Message{
		{Role: chat.User, Content: "hi"}, {Role: chat.Assistant, Content: "the password is 7"},
		{Role: chat.User, Content: "more"}, {Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "move"}}},
	}}
	if got := s.Output(); got != "the password is 7" {
		t.Errorf("the last reply is %q", got)
	}
}
