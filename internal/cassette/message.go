package cassette

import (
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// message is what of a message goes to a model, or comes from one.
type message struct {
	Role      string          `json:"role"`
	Content   Text            `json:"content,omitempty"`
	Parts     []part          `json:"parts,omitempty"`
	ToolCalls []chat.ToolCall `json:"tool_calls,omitempty"`
	Result    *toolReply      `json:"tool_result,omitempty"`
}

// part is a piece of a message.
type part struct {
	Type  string `json:"type"`
	Text  Text   `json:"text,omitempty"`
	Media *media `json:"media,omitempty"`
}

// tool is what a model is told about a tool.
type tool struct {
	Name        string          `json:"name"`
	Description Text            `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// pen writes what a trial exchanges in the words of a cassette.
type pen struct {
	deck *Deck
	*redactor
	inline bool      // media stay where they are: nothing of it is written
	media  *redactor // for the bytes of media; nil: the same as for texts
}

// messagesOf are messages as a request holds them: media are only their hashes.
func (p pen) messagesOf(list []chat.Message) ([]message, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]message, len(list))
	for i := range list {
		m := &list[i]
		parts, err := p.partsOf(m.Parts, false)
		if err != nil {
			return nil, err
		}
		out[i] = message{
			Role: string(m.Role), Content: p.text(m.Content), Parts: parts, ToolCalls: p.calls(stateless(m.ToolCalls)),
		}
		if m.ToolResult != nil {
			if out[i].Result, err = p.resultOf(m.ToolResult, false); err != nil {
				return nil, err
			}
			out[i].Result.LatencyMS = 0
		}
	}
	return out, nil
}

// stateless are calls without the state of their provider: that stands at the reply which brought them.
func stateless(list []chat.ToolCall) []chat.ToolCall {
	if !slices.ContainsFunc(list, func(c chat.ToolCall) bool { return c.Opaque != nil }) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Opaque = nil
	}
	return out
}

// partsOf are parts as a cassette holds them. keep says that the media are needed again, and not only known again.
func (p pen) partsOf(list []chat.Part, keep bool) ([]part, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]part, len(list))
	for i, piece := range list {
		out[i] = part{Type: piece.Type, Text: p.text(piece.Text)}
		if piece.Media != nil {
			m, err := p.mediaOf(piece.Media, keep)
			if err != nil {
				return nil, err
			}
			out[i].Media = m
		}
	}
	return out, nil
}

// parts are the parts that a cassette holds.
func (d *Deck) parts(list []part) ([]chat.Part, error) {
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
