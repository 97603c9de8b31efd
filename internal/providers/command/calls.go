package command

import (
	"bytes"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// call takes a call of a tool.
func (c *conversation) call(m *message, quoted func(string, ...any) error) (*chat.Reply, error) {
	t := &c.turn
	if m.Name == "" {
		return nil, quoted("its tool_call names no tool")
	}
	if !c.p.AsksTools && !isNull(m.Args) && !isObject(m.Args) {
		return nil, quoted("the args of its tool_call of %s are no object", m.Name)
	}
	t.calls++
	call := chat.ToolCall{ID: m.ID, Name: m.Name}
	if call.ID == "" {
		call.ID = fmt.Sprintf("call_%d", t.calls)
	}
	if t.ids[call.ID] {
		return nil, quoted("it used the id %q for two calls", call.ID)
	}
	t.ids[call.ID] = true
	if isNull(m.Args) {
		call.SetArgs("")
		t.unargued = t.unargued || !c.p.AsksTools
	} else {
		call.SetArgs(string(m.Args))
	}
	t.pending = append(t.pending, call)
	if !c.p.AsksTools {
		return nil, nil
	}
	t.asked = call.ID
	return t.flush(c.p.model), nil
}

// result takes the result of a call that the program has made.
func (c *conversation) result(m *message, quoted func(string, ...any) error) (*chat.Reply, error) {
	t := &c.turn
	if c.p.AsksTools {
		return nil, quoted("with tools: arena it is arena that runs the calls, and the program gave a result")
	}
	if failed := string(bytes.TrimSpace(m.Error)); len(m.Result) == 0 && (isNull(m.Error) || failed == `""`) {
		return nil, quoted("its tool_result has neither result nor error")
	}
	if m.ID == "" && len(t.pending)-len(t.results) == 1 {
		m.ID = t.without()[0].ID
	}
	for _, call := range t.without() {
		if call.ID == m.ID {
			t.results = append(t.results, m.toolResult(call))
			if len(t.results) == len(t.pending) {
				return t.flush(c.p.model), nil
			}
			return nil, nil
		}
	}
	return nil, quoted("it gave a result, and no call with the id %q waits for one", m.ID)
}
