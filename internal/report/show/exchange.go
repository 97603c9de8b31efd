package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// Entry is one message, tool call or guardrail of an exchange.
type Entry struct {
	Who  string // user, sent, agent, tools, guard, ended
	Text string // clean; may have several lines
}

// Exchange is a turn for a reader: the user's message, with the persona if a model wrote it, the agent's reply, the
// tool calls, the guardrails that fired, and why the persona ended the conversation. A turn that was not run has only
// the user's message.
func Exchange(t *result.Turn) []Entry {
	var all []Entry
	add := func(who, text string) { all = append(all, Entry{who, text}) }
	if user := userText(t); user != "" {
		add("user", spokenBy(t, user))
	}
	if t.NotRun != "" {
		return all
	}
	if t.Persona != "" && len(all) == 0 { // there was nothing to answer
		return append(all, Entry{"ended", Ended(t)})
	}
	for i := range slices.Backward(t.Messages) { // the last call had the largest part of the conversation to leave out
		if left := t.Messages[i].LeftOut; left != nil {
			add("sent", LeftOut(left))
			break
		}
	}
	if agent := agentText(t); agent != "" {
		add("agent", agent)
	}
	for i := range t.ToolCalls {
		add("tools", Call(&t.ToolCalls[i]))
	}
	for i := range t.Guardrails {
		add("guard", Guardrail(&t.Guardrails[i]))
	}
	for i := range t.Messages {
		for _, v := range t.Messages[i].Validations {
			if len(t.Guardrails) == 0 && !v.Passed { // as a recording has them
				add("guard", Line(v.Type)+" fired")
			}
		}
	}
	if t.Ended != "" {
		add("ended", Ended(t))
	}
	return all
}

// LeftOut says which part of the conversation a model was sent.
func LeftOut(l *chat.LeftOut) string {
	about := ""
	if l.Estimated {
		about = "about "
	}
	text := fmt.Sprintf("all from %s on; of what was before, %s (%s%s)", TurnLabel(l.Since),
		Plural(l.Messages, "message"), about, Plural(l.Tokens, "token"))
	if l.Summary == "" {
		return text + " not sent"
	}
	return text + " not sent, and in their place: " + Line(l.Summary)
}

// spokenBy prefixes the message of a simulated user with its persona.
func spokenBy(t *result.Turn, words string) string {
	if t.Persona == "" {
		return words
	}
	return "[persona " + Line(t.Persona) + "] " + words
}

// Ended is why a persona ended the conversation; "": it did not, or there was none.
func Ended(t *result.Turn) string {
	who := "the persona " + Line(t.Persona)
	switch t.Ended {
	case "":
		return ""
	case result.EndedByMark:
		return who + " ended the conversation"
	case result.EndedByMaximum:
		return who + " has said as much as it may"
	case result.EndedByError:
		return who + " could not go on: an error"
	case result.EndedByFailure:
		return who + " was stopped: an assertion failed"
	}
	return who + ": " + Line(t.Ended)
}

func userText(t *result.Turn) string {
	if len(t.Messages) > 0 && t.Messages[0].Role == chat.User && len(t.Messages[0].Parts) > 0 {
		return parts(t.Messages[0].Parts)
	}
	return Clean(t.User)
}

func agentText(t *result.Turn) string {
	if t.Assistant != "" {
		return Clean(t.Assistant)
	}
	for i := len(t.Messages) - 1; i >= 0; i-- {
		if m := &t.Messages[i]; m.Role == chat.Assistant && len(m.Parts) > 0 {
			return parts(m.Parts)
		}
	}
	return "(no reply)"
}

// parts writes a multimodal message: its texts, and [image:image/png] for media.
func parts(all []chat.Part) string {
	texts := make([]string, 0, len(all))
	for i := range all {
		switch p := &all[i]; {
		case p.Type == "text":
			texts = append(texts, Clean(p.Text))
		case p.Media != nil:
			texts = append(texts, "["+Line(p.Type)+":"+Line(p.Media.MIMEType)+"]")
		default:
			texts = append(texts, "["+Line(p.Type)+"]")
		}
	}
	return strings.Join(texts, "\n")
}

// MessageText is a message of a transcript: its text or parts, its tool calls, or its tool result.
func MessageText(m *chat.Message) string {
	var texts []string
	add := func(s string) {
		if s != "" {
			texts = append(texts, s)
		}
	}
	switch r := m.ToolResult; {
	case r != nil && r.Error != "":
		add(Line(r.Name) + " → error: " + Clean(r.Error))
	case r != nil:
		add(Line(r.Name) + " → " + Clean(r.Text()))
	case len(m.Parts) > 0:
		add(parts(m.Parts))
	default:
		add(Clean(m.Content))
	}
	for _, c := range m.ToolCalls {
		add(Call(&result.ToolCall{Name: c.Name, Args: c.Args, BadArgs: c.BadArgs}))
	}
	return strings.Join(texts, "\n")
}

// Clip cuts text to about n bytes and says how many characters are missing.
func Clip(s string, n int) string {
	if len(s) <= n+40 { // the note would be as long as the rest
		return s
	}
	head := Head(s, n)
	return fmt.Sprintf("%s … (%s more characters)", head, Count(len([]rune(s[len(head):]))))
}
