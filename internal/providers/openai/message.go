package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// message is one entry of the transcript on the wire. Content is always there: text, a list of parts, or null in an
// assistant's message that only calls tools.
type message struct {
	Role       chat.Role      `json:"role"`
	Content    any            `json:"content"`
	ToolCalls  []api.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
}

// part is a piece of a multimodal message; exactly one of the pointers, or Text, is set.
type part struct {
	Type     api.ChatMessagePartType  `json:"type"`
	Text     *string                  `json:"text,omitempty"`
	ImageURL *api.ChatMessageImageURL `json:"image_url,omitempty"`
	Audio    *audio                   `json:"input_audio,omitempty"`
	File     *file                    `json:"file,omitempty"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type file struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

func wireMessages(messages []chat.Message) ([]message, error) {
	out := make([]message, 0, len(messages))
	var shown []part // media of results, which are text: a message of the user behind the round has them
	show := func() {
		if len(shown) > 0 {
			out, shown = append(out, message{Role: chat.User, Content: shown}), nil
		}
	}
	for i := range messages {
		m := &messages[i]
		if m.Role != chat.ToolRole {
			show()
		}
		one, err := wireMessage(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		out = append(out, one)
		if m.Role == chat.ToolRole && m.ToolResult != nil {
			parts, err := wireParts(resultMedia(m.ToolResult, (&codec{}).Takes))
			if err != nil {
				return nil, fmt.Errorf("message %d: result: %w", i+1, err)
			}
			shown = append(shown, parts...)
		}
	}
	show()
	return out, nil
}

// resultMedia are the media of a result that an API takes, behind a word that says where they are from. The others are
// named in its text.
func resultMedia(r *chat.ToolResult, takes func(*chat.Part) error) []chat.Part {
	var out []chat.Part
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Media == nil || !p.Media.Holds() && p.Media.URL == "" && !p.Media.Local || takes(p) != nil {
			continue
		}
		if len(out) == 0 {
			out = append(out, chat.Part{Type: "text", Text: "What " + r.Name + " returned:"})
		}
		out = append(out, *p)
	}
	return out
}

func wireMessage(m *chat.Message) (message, error) {
	out := message{Role: m.Role, Content: m.Text()}
	switch m.Role {
	case chat.ToolRole:
		if m.ToolResult != nil {
			out.ToolCallID, out.Content = m.ToolResult.ID, wire.ResultText(m)
		}
	case chat.Assistant:
		calls, err := wireCalls(m.ToolCalls)
		if err != nil {
			return out, err
		}
		if out.ToolCalls = calls; len(calls) > 0 && out.Content == "" {
			out.Content = nil
		}
	case chat.User:
		if len(m.Parts) > 0 {
			parts, err := wireParts(m.Parts)
			if err != nil {
				return out, err
			}
			out.Content = parts
		}
	case chat.System:
	}
	return out, nil
}

func wireCalls(calls []chat.ToolCall) ([]api.ToolCall, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	out := make([]api.ToolCall, len(calls))
	for i := range calls {
		c := &calls[i]
		args, err := argsText(c)
		if err != nil {
			return nil, err
		}
		out[i] = api.ToolCall{
			ID: c.ID, Type: api.ToolTypeFunction, Function: api.FunctionCall{Name: c.Name, Arguments: args},
		}
	}
	return out, nil
}

// argsText is the arguments of a call as the model wrote them.
func argsText(c *chat.ToolCall) (string, error) {
	switch {
	case c.BadArgs != "":
		return c.BadArgs, nil
	case c.Args == nil:
		return "{}", nil
	}
	data, err := json.Marshal(c.Args)
	if err != nil {
		return "", fmt.Errorf("arguments of %s: %w", c.Name, err)
	}
	return string(data), nil
}

func wireParts(parts []chat.Part) ([]part, error) {
	out := make([]part, 0, len(parts))
	for i := range parts {
		p, err := wirePart(&parts[i])
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func wirePart(p *chat.Part) (part, error) {
	if p.Type == "text" {
		return part{Type: api.ChatMessagePartTypeText, Text: &p.Text}, nil
	}
	if p.Media == nil {
		return part{}, fmt.Errorf("%s without media", p.Type)
	}
	switch p.Type {
	case "image":
		address, err := wire.DataURL(p.Media)
		return part{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{
			URL: address, Detail: api.ImageURLDetail(p.Media.Detail),
		}}, err
	case "audio":
		data, err := wire.Base64(p.Media)
		return part{Type: "input_audio", Audio: &audio{data, audioFormat(p.Media.MIMEType)}}, err
	case "document":
		if p.Media.URL != "" {
			return part{}, errors.New("the API takes a document as data, not as a URL")
		}
		address, err := wire.DataURL(p.Media)
		return part{Type: "file", File: &file{documentName(p.Media), address}}, err
	}
	return part{}, fmt.Errorf("the API does not take %s", p.Type)
}

// Takes says why chat completions cannot be sent a part; see providers.Takes.
func (c *codec) Takes(p *chat.Part) error {
	switch p.Type {
	case "image":
		return wire.Of(p.Media, wire.Images...)
	case "audio":
		if format := audioFormat(p.Media.MIMEType); p.Media.MIMEType != "" && format != "wav" && format != "mp3" {
			return fmt.Errorf("the API does not take %s; it takes audio/wav and audio/mpeg", p.Media.MIMEType)
		}
		return nil
	case "document":
		return wire.Of(p.Media, "application/pdf")
	}
	return fmt.Errorf("the API does not take %s", p.Type)
}

func audioFormat(mime string) string {
	switch _, format, _ := strings.Cut(mime, "/"); format {
	case "mpeg":
		return "mp3"
	case "x-wav", "wave", "vnd.wave":
		return "wav"
	default:
		return format
	}
}

// documentName is the name under which a document is sent.
func documentName(m *chat.Media) string {
	if name := cmp.Or(m.Source, m.Path); name != "" {
		name, _, _ = strings.Cut(name, "?")
		if base := path.Base(filepath.ToSlash(name)); base != "." && base != "/" {
			return base
		}
	}
	return "document" + media.ExtensionOf(m.MIMEType)
}
