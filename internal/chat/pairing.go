package chat

import (
	"errors"
	"fmt"
	"slices"
)

// Pairing joins the results of tools to the calls before them, in a conversation that a program wrote down.
type Pairing struct {
	open []ToolCall // without a result
	made int
}

// Add takes the next message. It gives an id to a call without one, and id and name of its call to a result.
func (p *Pairing) Add(m *Message) error {
	switch m.Role {
	case System, User, Assistant, ToolRole:
	default:
		return fmt.Errorf("there is no role %q; expected system, user, assistant or tool", m.Role)
	}
	if (m.Role == ToolRole) != (m.ToolResult != nil) {
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
func (p *Pairing) answer(r *ToolResult) error {
	at := slices.IndexFunc(p.open, func(c ToolCall) bool {
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
