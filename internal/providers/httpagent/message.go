package httpagent

import (
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// plainMessage is a message as endpoints know it.
type plainMessage struct {
	Role      chat.Role   `json:"role"`
	Content   any         `json:"content"` // a text, or a list of parts
	ToolCalls []plainCall `json:"tool_calls,omitempty"`
	ID        string      `json:"tool_call_id,omitempty"`
	Name      string      `json:"name,omitempty"`
}

type plainCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function plainFunction `json:"function"`
}

type plainFunction struct {
	Name string `json:"name"`
	Args string `json:"arguments"`
}

// messages are messages in the form that is known best, that of chat completions.
func (v *values) messages(list []chat.Message) []plainMessage {
	out := make([]plainMessage, 0, len(list))
	for i := range list {
		m := &list[i]
		plain := plainMessage{Role: m.Role, Content: m.Text()}
		if v.shows && slices.ContainsFunc(m.Parts, func(p chat.Part) bool { return p.Media != nil }) {
			plain.Content = v.plainParts(m.Parts)
		}
		for _, call := range m.ToolCalls {
			args, err := json.Marshal(call.Args)
			if err != nil || call.BadArgs != "" {
				args = []byte(call.BadArgs)
			}
			plain.ToolCalls = append(plain.ToolCalls,
				plainCall{call.ID, "function", plainFunction{call.Name, string(args)}})
		}
		if r := m.ToolResult; r != nil {
			plain.ID, plain.Name, plain.Content = r.ID, r.Name, wire.ResultText(m)
		}
		out = append(out, plain)
	}
	return slices.Clip(out)
}

// results are the results of the tools of the last round.
func results(list []chat.Message) []chat.Message {
	at := len(list)
	for at > 0 && list[at-1].Role == chat.ToolRole {
		at--
	}
	return list[at:]
}

// plainTool is a tool that arena runs, as chat completions offer it.
type plainTool struct {
	Type     string    `json:"type"`
	Function toolOffer `json:"function"`
}

type toolOffer struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func plainTools(list []chat.Tool) []plainTool {
	out := make([]plainTool, len(list))
	for i := range list {
		out[i] = plainTool{"function", toolOffer{list[i].Name, list[i].Description, list[i].Schema}}
	}
	return out
}
