package result

import (
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// most is what a time in milliseconds, and a price in dollars, can be at most. More comes of damage, and sums of it
// would leave the numbers that JSON can hold.
const most = 1e15

// Whole says what is wrong with a trial that was read from a file: arena writes the turns with indexes from 0 and
// without gaps, the messages of a turn hold its reply and its tool calls, and no number is absurd. Where that is not
// so, something was lost, and what must not be said could be among it.
func (t *Trial) Whole() error {
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.Index != i {
			return fmt.Errorf("turns[%d] has the index %d, expected %d: a turn is lost", i, turn.Index, i)
		}
		if err := turn.whole(); err != nil {
			return fmt.Errorf("turns[%d] %w", i, err)
		}
	}
	return t.saneNumbers()
}

// whole holds the messages of a turn against what the turn says came of them.
func (t *Turn) whole() error {
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
		called[call.Name]--
		answered[call.Name]--
		if called[call.Name] < 0 && answered[call.Name] < 0 {
			return fmt.Errorf("has a call of the tool %q that is not in its messages: they are lost", call.Name)
		}
	}
	return nil
}

// saneNumbers looks at the numbers of which there are sums.
func (t *Trial) saneNumbers() error {
	if err := sane("duration_ms", t.DurationMS); err != nil {
		return err
	}
	if err := priced("", t.CostUSD); err != nil {
		return err
	}
	if t.Judges != nil {
		if err := priced("judges.", t.Judges.CostUSD); err != nil {
			return err
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		if err := sane(fmt.Sprintf("turns[%d].latency_ms", i), turn.LatencyMS); err != nil {
			return err
		}
		for n := range turn.Messages {
			m := &turn.Messages[n]
			if err := sane(fmt.Sprintf("turns[%d].messages[%d].latency_ms", i, n), m.LatencyMS); err != nil {
				return err
			}
			if err := priced(fmt.Sprintf("turns[%d].messages[%d].", i, n), m.CostUSD); err != nil {
				return err
			}
		}
	}
	return nil
}

func priced(where string, usd *float64) error {
	if usd == nil {
		return nil
	}
	return sane(where+"cost_usd", *usd)
}

func sane(what string, n float64) error {
	if n < 0 || n > most {
		return fmt.Errorf("%s cannot be %g; expected 0 to %g", what, n, float64(most))
	}
	return nil
}
