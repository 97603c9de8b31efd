package result

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

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

// saneNumbers looks at all numbers of the trial, for there are sums of most of them.
func (t *Trial) saneNumbers() error { return sane(t) }

// Sane says what is wrong with the numbers of a result that came from elsewhere.
func (e *EvalResult) Sane() error { return sane(e) }

func sane(v any) error {
	if where, n, found := absurd(reflect.ValueOf(v).Elem()); found {
		return fmt.Errorf("%s cannot be %g; expected 0 to %g", where, n, float64(chat.Most))
	}
	return nil
}

// absurd finds a number that was not measured, and where it stands. Free values have numbers of any kind.
func absurd(v reflect.Value) (where string, n float64, found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return absurd(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if where, n, found = absurd(v.Index(i)); found {
				return under(fmt.Sprintf("[%d]", i), where), n, true
			}
		}
	case reflect.Struct:
		return absurdField(v)
	case reflect.Float64:
		n = v.Float()
		return "", n, !chat.Measured(n)
	case reflect.Int:
		n = float64(v.Int())
		return "", n, !chat.Measured(n)
	default:
	}
	return "", 0, false
}

func absurdField(v reflect.Value) (where string, n float64, found bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() || unmeasured[name] {
			continue
		}
		if where, n, found = absurd(v.Field(i)); found {
			return under(name, where), n, true
		}
	}
	return "", 0, false
}

// under is the path of what stands within something else; what is embedded has no name.
func under(name, rest string) string {
	if name == "" || rest == "" || rest[0] == '[' {
		return name + rest
	}
	return name + "." + rest
}

// unmeasured are the fields with other numbers than measured ones: places, which may be -1, and what a check or its
// author decides.
var unmeasured = map[string]bool{
	"turn": true, "score": true, "min_score": true, "max_score": true, "pass_threshold": true, "metric_value": true,
	"position": true, "args": true, "metadata": true, "details": true,
}
