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

// unparsed says what a server left in the text of a reply that is none of the agent's words. asked is what the agent
// was told: marks that stand in it are none of a server. tools are the names of the tools that the agent was offered.
// program: the agent is a program or an endpoint, and no model.
func unparsed(m *chat.Message, asked []grading.Exhibit, tools []string, program bool) (told []string) {
	text := strings.TrimSpace(m.Text())
	if text == "" || m.Role != chat.Assistant {
		return nil
	}
	if call := writtenCall(text, tools); call != "" {
		told = append(told, fmt.Sprintf("a reply holds the call of a tool as text (%q), which was not made, and which no "+
			"check sees: have the server read it, with its tool call parser", call))
	}
	if _, mark := grading.Spoken(text, asked); mark != "" {
		return append(told, fmt.Sprintf("a reply holds the thoughts of the model (%s), which checks read as what it says: "+
			"have the server take them out, with its reasoning parser", mark))
	}
	if mark := templateMark(text); mark != "" && !grading.Stands(mark, asked) {
		told = append(told, fmt.Sprintf("a reply holds a mark of the model's own template (%q), which checks read as what "+
			"it says: have the server use the template of this model, and end its replies at that mark", mark))
	}
	if line := goesOnAsUser(text); line != "" {
		told = append(told, fmt.Sprintf("a reply goes on as the user (%q), which checks read as what the agent says: "+
			"have the "+
			"server end its replies where the turn ends", cutWords(line)))
	}
	if is := brokenReply(text, program); is != "" {
		told = append(told, fmt.Sprintf("a reply is nothing but %q, %s", cutWords(text), is))
	}
	return told
}

// Marks with which the template of a conversation begins and ends messages.
var (
	marksAround = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:<bos>|<start_of_turn>|<｜begin▁of▁sentence｜>|` +
			`<\|(?:assistant|im_start|start_header_id|header_start|begin_of_text|start)\|>)|` +
			`<\|im_start\|>(?:user|assistant|system)\n|<\|start_header_id\|>(?:user|assistant|system)<|` +
			`(?:<\|(?:im_end|eot_id|eot|eom_id|endoftext|end_of_text|end|return|call)\|>|` +
			`<eos>|<end_of_turn>|\[/INST\]|<｜end▁of▁sentence｜>)$`)
	})
	marksOfText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<s>|</s>$`) })
)

// templateMark is a mark of a template that a text begins or ends with, or goes on with; "": none. What is struck out
// in HTML has the same marks.
func templateMark(text string) string {
	if !strings.Contains(text, "<") && !strings.HasSuffix(text, "]") { // as nearly all
		return ""
	}
	if mark := marksAround().FindString(text); mark != "" {
		return strings.TrimSpace(mark)
	}
	if strings.Contains(text, "<s>") && strings.Contains(text, "</s>") {
		return ""
	}
	return marksOfText().FindString(text)
}

// offeredNames are the names of the tools that the agent is offered now, or in another state of its workflow.
func (s *session) offeredNames() (names []string) {
	add := func(offered []chat.Tool) {
		for i := range offered {
			if !slices.Contains(names, offered[i].Name) {
				names = append(names, offered[i].Name)
			}
		}
	}
	add(s.stance.offered)
	for _, offered := range s.trial.Project.states {
		add(offered)
	}
	slices.Sort(names)
	return names
}

// instructions are the texts that the agent got: its prompt and the messages of the user.
func (s *session) instructions() (all []grading.Exhibit) {
	for i := range s.messages {
		if m := &s.messages[i]; m.Role != chat.Assistant && m.Role != chat.ToolRole {
			all = append(all, grading.Show("", m.Text()))
		}
	}
	return all
}

// reportUnparsed warns of what servers left in the texts of replies. With --strict such a trial is an error.
func (s *session) reportUnparsed() {
	asked, tools, program := s.instructions(), s.offeredNames(), s.trial.Endpoint.Spec.IsAgent()
	look := func(list []chat.Message) {
		for i := range list {
			m := list[i].Said() // as the model wrote it, before guardrails
			for _, fault := range unparsed(&m, asked, tools, program) {
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
	asked, tools, program := c.s.instructions(), c.s.offeredNames(), c.s.trial.Endpoint.Spec.IsAgent()
	for i := range turn.Messages {
		m := turn.Messages[i].Said()
		if how := cutReason(&m, c.s.trial.Endpoint.Spec); m.Role == chat.Assistant && how != "" &&
			!turn.Messages[i].Blocked() {
			told = append(told, fmt.Sprintf("the reply %s (finish reason %s)", how, m.FinishReason))
		}
		told = append(told, unparsed(&m, asked, tools, program)...)
	}
	return told
}
