package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// Roles of the API. Results of tools are the user's.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// opening stands in for the user where an agent speaks first: the API begins with the user.
const opening = "(The conversation begins.)"

// message is an entry of the transcript on the wire. It has blocks, and never two of one role follow each other.
type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type textBlock struct {
	Type  string        `json:"type"`
	Text  string        `json:"text"`
	Cache *cacheControl `json:"cache_control,omitempty"`
}

type mediaBlock struct {
	Type   string        `json:"type"`
	Source source        `json:"source"`
	Title  string        `json:"title,omitempty"`
	Cache  *cacheControl `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

type callBlock struct {
	Type  string         `json:"type"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

type resultBlock struct {
	Type    string        `json:"type"`
	CallID  string        `json:"tool_use_id"`
	Content any           `json:"content,omitempty"` // text or blocks
	IsError bool          `json:"is_error,omitempty"`
	Cache   *cacheControl `json:"cache_control,omitempty"`
}

func text(s string) *textBlock { return &textBlock{Type: "text", Text: s} }

// transcript is the messages as the API takes them: the system prompt apart, neighbours of one role merged.
func (c *codec) transcript(list []chat.Message) (system []*textBlock, out []message, err error) {
	out = make([]message, 0, len(list))
	for i := range list {
		m := &list[i]
		switch {
		case m.Role != chat.System:
			if out, err = c.add(out, m); err != nil {
				return nil, nil, fmt.Errorf("message %d: %w", i+1, err)
			}
		case m.Text() != "":
			system = append(system, text(m.Text()))
		}
	}
	if len(out) > 0 && out[0].Role == roleAssistant {
		out = append([]message{{roleUser, []any{text(opening)}}}, out...)
	}
	return system, out, nil
}

// add appends a message, or what it says to the last one of its role. The results of a round come before any text.
func (c *codec) add(out []message, m *chat.Message) ([]message, error) {
	role, blocks, err := roleUser, []any(nil), error(nil)
	switch m.Role {
	case chat.Assistant:
		role, blocks = roleAssistant, c.said(m)
	case chat.ToolRole:
		blocks, err = resultBlocks(m)
	case chat.User, chat.System:
		blocks, err = userBlocks(m)
	}
	if err != nil || len(blocks) == 0 {
		return out, err
	}
	if n := len(out); n > 0 && out[n-1].Role == role {
		out[n-1].Content = merged(out[n-1].Content, blocks, m.Role == chat.ToolRole)
		return out, nil
	}
	return append(out, message{role, blocks}), nil
}

// merged are the blocks of two messages. Results go behind the results that are there, and before the rest.
func merged(first, second []any, results bool) []any {
	if !results {
		return append(first, second...)
	}
	at := 0
	for at < len(first) {
		if _, ok := first[at].(*resultBlock); !ok {
			break
		}
		at++
	}
	out := append(first[:at:at], second...)
	return append(out, first[at:]...)
}

func userBlocks(m *chat.Message) ([]any, error) {
	if len(m.Parts) == 0 {
		if m.Content == "" {
			return nil, nil
		}
		return []any{text(m.Content)}, nil
	}
	return partBlocks(m.Parts)
}

func partBlocks(parts []chat.Part) ([]any, error) {
	out := make([]any, 0, len(parts))
	for i := range parts {
		p := &parts[i]
		if p.Type == "text" {
			if p.Text != "" {
				out = append(out, text(p.Text))
			}
			continue
		}
		b, err := media(p)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		out = append(out, b)
	}
	return out, nil
}

func media(p *chat.Part) (*mediaBlock, error) {
	if p.Type != "image" && p.Type != "document" {
		return nil, fmt.Errorf("the API does not take %s", p.Type)
	}
	if p.Media == nil {
		return nil, fmt.Errorf("%s without media", p.Type)
	}
	b := &mediaBlock{Type: p.Type}
	if p.Media.URL != "" {
		b.Source = source{Type: "url", URL: p.Media.URL}
		return b, nil
	}
	data, err := wire.Base64(p.Media)
	b.Source = source{Type: "base64", MediaType: p.Media.MIMEType, Data: data}
	return b, err
}

func resultBlocks(m *chat.Message) ([]any, error) {
	r := m.ToolResult
	if r == nil {
		return userBlocks(m)
	}
	b := &resultBlock{Type: "tool_result", CallID: r.ID, IsError: r.Error != ""}
	for i := range r.Parts {
		if t := r.Parts[i].Type; t == "image" || t == "document" {
			blocks, err := partBlocks(shown(r.Parts))
			b.Content = blocks
			return []any{b}, err
		}
	}
	if said := wire.ResultText(m); said != "" {
		b.Content = said
	}
	return []any{b}, nil
}

// shown are the parts of a result with a word in the place of those that the API does not take.
func shown(parts []chat.Part) []chat.Part {
	out := make([]chat.Part, len(parts))
	for i, p := range parts {
		if p.Type != "text" && p.Type != "image" && p.Type != "document" && p.Media != nil {
			p = chat.Part{Type: "text", Text: "[" + p.Type + ":" + p.Media.MIMEType + "]"}
		}
		out[i] = p
	}
	return out
}

// said is what the model said, thought and called, in its order. What it thought is back where it was, word for word.
func (c *codec) said(m *chat.Message) []any {
	out, words := make([]any, 0, 1+len(m.ToolCalls)), false
	wire.Said(m, c.state, func(said string) {
		out, words = append(out, text(said)), true
	}, func(block json.RawMessage) {
		out = append(out, block)
	}, func(call *chat.ToolCall) {
		args := call.Args
		if args == nil { // what the model wrote is no object; the result says so
			args = map[string]any{}
		}
		out = append(out, &callBlock{"tool_use", call.ID, call.Name, args})
	})
	if !words && len(m.ToolCalls) == 0 {
		return nil // thoughts alone are no message
	}
	return out
}
