package arena

import (
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
)

var errNoMessages = errors.New("arena: the conversation has no messages")

// session is the conversation as a recording. A conversation that cannot have taken place so is refused: a role that is
// none, or a tool that answers what nobody asked.
func (c *Conversation) session() (*recording.Session, error) {
	if len(c.Messages) == 0 {
		return nil, errNoMessages
	}
	metadata, err := plain(c.Metadata)
	if err != nil {
		return nil, fmt.Errorf("arena: the metadata of the conversation cannot be written as JSON: %w", err)
	}
	out := &recording.Session{ID: c.Session, Metadata: metadata}
	var open pairing
	for i := range c.Messages {
		m := recording.Message{Message: chatMessage(&c.Messages[i]), Offset: -1}
		if err := open.add(&m.Message); err != nil {
			return nil, fmt.Errorf("arena: message %d: %w", i+1, err)
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

func chatMessage(m *Message) chat.Message {
	var none pieces
	out := none.message(*m)
	if m.Usage != nil {
		out.Usage = new(usageTo(*m.Usage))
	}
	out.CostUSD, out.LatencyMS = clone(m.CostUSD), milliseconds(m.Latency)
	return out
}

// pairing joins the results of tools to the calls before them.
type pairing struct {
	open []chat.ToolCall // without a result
	made int
}

func (p *pairing) add(m *chat.Message) error {
	switch m.Role {
	case chat.System, chat.User, chat.Assistant, chat.ToolRole:
	default:
		return fmt.Errorf("there is no role %q; expected system, user, assistant or tool", m.Role)
	}
	if (m.Role == chat.ToolRole) != (m.ToolResult != nil) {
		return errors.New("a message of the role tool has a ToolResult, and no other one has")
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		if p.made++; call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", p.made)
		}
		p.open = append(p.open, *call)
	}
	if m.ToolResult == nil {
		return nil
	}
	return p.answer(m.ToolResult)
}

// answer finds the call of a result: the one with its id, or where it has none the first of its name.
func (p *pairing) answer(r *chat.ToolResult) error {
	at := slices.IndexFunc(p.open, func(c chat.ToolCall) bool {
		if r.ID != "" {
			return c.ID == r.ID
		}
		return c.Name == r.Name
	})
	if at < 0 {
		return fmt.Errorf("no call before it waits for the result of %q (id %q)", r.Name, r.ID)
	}
	r.ID, r.Name = p.open[at].ID, p.open[at].Name
	p.open = slices.Delete(p.open, at, at+1)
	return nil
}
