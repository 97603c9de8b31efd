package cassette

import (
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// message is a message to or from a model.
type message struct {
	Role      string          `json:"role"`
	Content   Text            `json:"content,omitempty"`
	Parts     []part          `json:"parts,omitempty"`
	ToolCalls []chat.ToolCall `json:"tool_calls,omitempty"`
	Result    *toolReply      `json:"tool_result,omitempty"`
}

// part is a part of a message.
type part struct {
	Type  string `json:"type"`
	Text  Text   `json:"text,omitempty"`
	Media *media `json:"media,omitempty"`
}

// tool is the definition of a tool.
type tool struct {
	Name string `json:"name"`
	// As is the name by which requests refer to this definition when an earlier one has its name. It is used in files
	// only.
	As          string          `json:"as,omitempty"`
	Description Text            `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// encoder converts the values of a trial to the form of a cassette.
type encoder struct {
	folder *Folder
	*redactor
	inline bool      // media are not written to files
	media  *redactor // for the bytes of media; nil: the same as for texts
}

// messagesOf converts the messages of a request. For media it keeps only the hash.
func (enc encoder) messagesOf(list []chat.Message) ([]message, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]message, len(list))
	for i := range list {
		m := &list[i]
		parts, err := enc.partsOf(m.Parts, false)
		if err != nil {
			return nil, err
		}
		out[i] = message{
			Role: string(m.Role), Content: enc.text(m.Content), Parts: parts, ToolCalls: enc.calls(withoutState(m.ToolCalls)),
		}
		if m.ToolResult != nil {
			if out[i].Result, err = enc.resultOf(m.ToolResult, false); err != nil {
				return nil, err
			}
			out[i].Result.LatencyMS = 0
		}
	}
	return out, nil
}

// withoutState removes the provider's state from calls. The reply that returned the state keeps it.
func withoutState(list []chat.ToolCall) []chat.ToolCall {
	if !slices.ContainsFunc(list, func(c chat.ToolCall) bool { return c.Opaque != nil }) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Opaque = nil
	}
	return out
}

// partsOf converts parts. With keep the media are written to the folder.
func (enc encoder) partsOf(list []chat.Part, keep bool) ([]part, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]part, len(list))
	for i, piece := range list {
		out[i] = part{Type: piece.Type, Text: enc.text(piece.Text)}
		if piece.Media != nil {
			m, err := enc.mediaOf(piece.Media, keep)
			if err != nil {
				return nil, err
			}
			out[i].Media = m
		}
	}
	return out, nil
}

// parts converts recorded parts back.
func (d *Folder) parts(list []part) ([]chat.Part, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]chat.Part, len(list))
	for i, p := range list {
		out[i] = chat.Part{Type: p.Type, Text: string(p.Text)}
		if p.Media != nil {
			m, err := d.media(p.Media)
			if err != nil {
				return nil, err
			}
			out[i].Media = m
		}
	}
	return out, nil
}
