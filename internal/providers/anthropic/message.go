package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// Roles of the API. Results of tools are the user's.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

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
	Type  string           `json:"type"`
	ID    string           `json:"id"`
	Name  string           `json:"name"`
	Input jsonvalue.Object `json:"input"`
}

type resultBlock struct {
	Type    string        `json:"type"`
	CallID  string        `json:"tool_use_id"`
	Content any           `json:"content,omitempty"` // text or blocks
	IsError bool          `json:"is_error,omitempty"`
	Cache   *cacheControl `json:"cache_control,omitempty"`
}

func text(s string) any { return textOf(s) }

func textOf(s string) *textBlock { return &textBlock{Type: "text", Text: s} }

// transcript is the messages as the API takes them: the system prompt apart, neighbours of one role merged.
func (c *codec) transcript(list []chat.Message) (system []*textBlock, out []message, err error) {
	texts, entries, err := wire.Alternate(list, text, c.blocks)
	for _, t := range texts {
		system = append(system, textOf(t))
	}
	out = make([]message, len(entries))
	for i, e := range entries {
		out[i] = message{roleUser, e.Blocks}
		if e.Agent {
			out[i].Role = roleAssistant
		}
	}
	return system, out, err
}

// blocks are what a message says.
func (c *codec) blocks(m *chat.Message) ([]any, error) {
	switch {
	case m.Role == chat.Assistant:
		return c.replyBlocks(m), nil
	case m.Role == chat.ToolRole && m.ToolResult != nil:
		return resultBlocks(m)
	}
	return wire.Parts(wire.PartsOf(m), text, media)
}

// Takes says why the API cannot be sent a part; see providers.Takes.
func (c *codec) Takes(p *chat.Part) error {
	switch p.Type {
	case "image":
		return wire.Of(p.Media, wire.Images...)
	case "document":
		if isText(p.Media) {
			return nil
		}
		return wire.Of(p.Media, "application/pdf", "text/plain")
	}
	return fmt.Errorf("the API does not take %s", p.Type)
}

// isText reports whether a document goes along as a text.
func isText(m *chat.Media) bool {
	return strings.HasPrefix(m.MIMEType, "text/") || m.MIMEType == "application/json"
}

func media(p *chat.Part) (any, error) {
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
	if p.Type == "document" {
		b.Title = title(p.Media)
	}
	if err == nil && p.Type == "document" && isText(p.Media) {
		var text []byte
		text, err = base64.StdEncoding.DecodeString(data)
		b.Source = source{Type: "text", MediaType: "text/plain", Data: string(text)}
	}
	return b, err
}

// title is the name of the file of a document; "": it has none.
func title(m *chat.Media) string {
	name, _, _ := strings.Cut(m.Source, "?")
	if name == "" {
		return ""
	}
	return path.Base(name)
}

func resultBlocks(m *chat.Message) ([]any, error) {
	r := m.ToolResult
	b := &resultBlock{Type: "tool_result", CallID: r.ID, IsError: r.Error != ""}
	for i := range r.Parts {
		if t := r.Parts[i].Type; t == "image" || t == "document" {
			blocks, err := wire.Parts(shown(r.Parts), text, media)
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

// replyBlocks returns the blocks of a reply in their order: texts, tool calls, and thoughts, which must be unchanged.
func (c *codec) replyBlocks(m *chat.Message) []any {
	out, words := make([]any, 0, 1+len(m.ToolCalls)), false
	wire.VisitReply(m, c.state, func(said string) {
		out, words = append(out, text(said)), true
	}, func(block json.RawMessage) {
		out = append(out, block)
	}, func(call *chat.ToolCall) {
		out = append(out, &callBlock{"tool_use", call.ID, call.Name, wire.ArgsOf(call)})
	})
	if !words && len(m.ToolCalls) == 0 {
		return nil // thoughts alone are no message
	}
	return out
}
