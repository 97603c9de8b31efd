package result

import (
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
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
	return nil
}
