package otlp

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// contentLimit is the limit of a span's content in bytes. Longer content is left out: collectors refuse large spans.
const contentLimit = 1 << 20

// content adds the text of a message as an attribute.
func (s *span) content(key, v string) {
	if len(v) > contentLimit {
		s.flag("arena.content_omitted", true)
		return
	}
	s.text(key, v)
}

// The shapes of messages in the semantic conventions.
type message struct {
	Role         chat.Role `json:"role"`
	Parts        []part    `json:"parts"`
	FinishReason *string   `json:"finish_reason,omitempty"` // of a reply of a model; may be ""
}

// part is a text, a tool call, a tool result, or a medium. Media are named and not sent.
type part struct {
	Type      string  `json:"type"`
	Content   *string `json:"content,omitempty"`
	ID        string  `json:"id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments any     `json:"arguments,omitempty"`
	Response  *string `json:"response,omitempty"`
	MIMEType  string  `json:"mime_type,omitempty"`
	URI       string  `json:"uri,omitempty"`
}

func inputMessages(list []chat.Message) string {
	out := make([]message, len(list))
	for i := range list {
		out[i] = messageOf(&list[i])
	}
	return encoded(out)
}

// definition is a tool that a model may call.
type definition struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func definitions(tools []chat.Tool) string {
	out := make([]definition, len(tools))
	for i, t := range tools {
		out[i] = definition{"function", t.Name, t.Description, t.Schema}
	}
	return encoded(out)
}

func outputMessages(r *chat.Reply) string {
	reply := r.Message()
	m := messageOf(&reply)
	m.FinishReason = &r.FinishReason
	return encoded([]message{m})
}

func messageOf(m *chat.Message) message {
	out := message{Role: m.Role, Parts: []part{}}
	if r := m.ToolResult; r != nil {
		said := r.Text()
		if r.Error != "" {
			said = r.Error
		}
		out.Parts = append(out.Parts, part{Type: "tool_call_response", ID: r.ID, Response: &said})
		return out
	}
	if m.Content != "" {
		out.Parts = append(out.Parts, part{Type: "text", Content: &m.Content})
	}
	for _, p := range m.Parts {
		switch {
		case p.Media != nil:
			out.Parts = append(out.Parts, part{Type: p.Type, MIMEType: p.Media.MIMEType, URI: p.Media.URL})
		case m.Content == "":
			out.Parts = append(out.Parts, part{Type: "text", Content: &p.Text})
		}
	}
	for _, c := range m.ToolCalls {
		p := part{Type: "tool_call", ID: c.ID, Name: c.Name}
		if p.Arguments = c.Args; c.BadArgs != "" {
			p.Arguments = c.BadArgs
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

func arguments(e *result.ToolStarted) string {
	if e.BadArgs != "" {
		return e.BadArgs
	}
	return encoded(e.Args)
}

// encoded returns a value as JSON; "" when JSON cannot hold it.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
