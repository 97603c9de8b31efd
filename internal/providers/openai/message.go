package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
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
	out := make([]message, len(messages))
	for i := range messages {
		m, err := wireMessage(&messages[i])
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		out[i] = m
	}
	return out, nil
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

func documentName(m *chat.Media) string {
	if m.Path != "" {
		return filepath.Base(m.Path)
	}
	return "document"
}
