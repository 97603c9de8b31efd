package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/result"
)

// Model servers parse thoughts and tool calls out of the text of a model, when they are configured for that model. When
// they are not, checks take thoughts for the reply, and see no tool call.

// writtenCall finds the beginning of a call of a tool as models write it.
var writtenCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<tool_call>\s*[{<]|<\|?tool_calls?\|?>\s*[\[{<]|\[TOOL_CALLS\]\s*[\[{\w]|` +
		`<function=[\w.-]+>|` +
		`<\|python_tag\|>|<function_calls?>\s*[{<]|<｜tool▁calls?▁begin｜>|<\|tool_calls?_(?:section_)?begin\|>`)
})

// unparsed says what a server left in the text of a reply that is none of the agent's words; "": nothing. tools are the
// names of the tools that the agent was offered.
func unparsed(m *chat.Message, tools []string) string {
	text := strings.TrimSpace(m.Text())
	if text == "" || m.Role != chat.Assistant {
		return ""
	}
	if spoken := grading.WithoutThoughts(text, nil); spoken != text {
		return "a reply holds the thoughts of the model (</think>), which checks read as what it says: have the server " +
			"take " +
			"them out, with its reasoning parser"
	}
	call := writtenCall().FindString(text)
	if call == "" {
		call = bareCall(text, tools)
	}
	if call == "" {
		return ""
	}
	return fmt.Sprintf("a reply holds the call of a tool as text (%q), which was not made, and which no check sees: "+
		"have the "+
		"server read it, with its tool call parser", strings.TrimSpace(call))
}

// bareCall is the beginning of a text that is the call of a tool in JSON and nothing else; "": it is none.
func bareCall(text string, tools []string) string {
	if !strings.HasPrefix(text, "{") {
		return ""
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return ""
	}
	object, _ := v.(map[string]any)
	name, _ := object["name"].(string)
	_, args := object["arguments"]
	_, params := object["parameters"]
	if !args && !params || !slices.Contains(tools, name) {
		return ""
	}
	return name
}

// offeredNames are the names of the tools that the agent is offered now.
func (s *session) offeredNames() (names []string) {
	for i := range s.stance.offered {
		names = append(names, s.stance.offered[i].Name)
	}
	return names
}

// reportUnparsed warns of what servers left in the texts of replies. With --strict such a trial is an error.
func (s *session) reportUnparsed() {
	tools := s.offeredNames()
	look := func(list []chat.Message) {
		for i := range list {
			m := list[i].Said() // as the model wrote it, before guardrails
			if fault := unparsed(&m, tools); fault != "" {
				s.warnOnce(fault)
			}
		}
	}
	for i := range s.out.Turns {
		t := &s.out.Turns[i]
		look(t.Messages)
		if t.Composition == nil {
			continue
		}
		for k := range t.Composition.Steps {
			look(t.Composition.Steps[k].Messages)
		}
	}
}

// Faults says what is wrong with the replies of a turn of a chat that a run would warn of.
func (c *Chat) Faults(turn *result.Turn) (told []string) {
	tools := c.s.offeredNames()
	for i := range turn.Messages {
		m := turn.Messages[i].Said()
		if how := howCut(&m); m.Role == chat.Assistant && how != "" && !turn.Messages[i].Blocked() {
			told = append(told, fmt.Sprintf("the reply %s (finish reason %s)", how, m.FinishReason))
		}
		if fault := unparsed(&m, tools); fault != "" {
			told = append(told, fault)
		}
	}
	return told
}
