package result

import (
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// CheckComplete checks a trial that was read from a file. Arena writes turns with consecutive indexes from 0; the
// messages of a turn include its reply and its tool calls; and no number is implausible. Otherwise something is
// missing, which may include a forbidden text.
func (t *Trial) CheckComplete() error {
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.Index != i {
			return fmt.Errorf("turns[%d] has the index %d, expected %d: a turn is lost", i, turn.Index, i)
		}
		if err := turn.checkComplete(); err != nil {
			return fmt.Errorf("turns[%d] %w", i, err)
		}
	}
	return t.checkNumbers()
}

// checkComplete compares the messages of a turn with the reply and the tool calls that the turn names.
func (t *Turn) checkComplete() error {
	var last *chat.Message
	called, answered, asked := map[string]int{}, map[string]int{}, false
	for i := range t.Messages {
		m := &t.Messages[i]
		asked = asked || m.Role == chat.User
		if m.Role == chat.Assistant {
			last = m
		}
		for _, call := range m.ToolCalls {
			called[call.Name]++
		}
		if m.ToolResult != nil {
			answered[m.ToolResult.Name]++
		}
	}
	switch {
	case t.Assistant != "" && last == nil:
		return errors.New("has a reply that is not in its messages: they are lost")
	case t.Assistant != "" && len(last.Parts) < 2 && last.Text() != t.Assistant:
		return errors.New("has another reply than its messages")
	case t.User != "" && !asked && len(t.Messages) > 0:
		return errors.New("has no message of the user: it is lost")
	}
	for _, call := range t.ToolCalls {
		if call.Step != "" {
			if !t.Composition.holds(&call) {
				return fmt.Errorf("has a call of the tool %q that is not in the step %s: it is lost", call.Name, call.Step)
			}
			continue
		}
		called[call.Name]--
		answered[call.Name]--
		if called[call.Name] < 0 && answered[call.Name] < 0 {
			return fmt.Errorf("has a call of the tool %q that is not in its messages: they are lost", call.Name)
		}
	}
	return t.checkArgs()
}

// checkArgs compares the arguments of the calls that the turn lists with those in its messages. Calls of which one of
// the two has more are not compared.
func (t *Turn) checkArgs() error {
	asked, ran := map[string][]*chat.ToolCall{}, map[string]int{}
	for i := range t.Messages {
		for k := range t.Messages[i].ToolCalls {
			call := &t.Messages[i].ToolCalls[k]
			asked[call.Name] = append(asked[call.Name], call)
		}
	}
	for i := range t.ToolCalls {
		if t.ToolCalls[i].Step == "" {
			ran[t.ToolCalls[i].Name]++
		}
	}
	for i := range t.ToolCalls {
		call := &t.ToolCalls[i]
		if call.Step != "" || call.Name == "" || ran[call.Name] != len(asked[call.Name]) {
			continue
		}
		if !slices.ContainsFunc(asked[call.Name], func(c *chat.ToolCall) bool {
			return c.BadArgs == call.BadArgs && (len(c.Args)+len(call.Args) == 0 || jsonvalue.Equal(c.Args, call.Args))
		}) {
			return fmt.Errorf("has a call of the tool %q with other arguments than its messages", call.Name)
		}
	}
	return nil
}
