package result

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Whole checks a trial that was read from a file. Arena writes turns with consecutive indexes from 0; the messages of a
// turn include its reply and its tool calls; and no number is implausible. Otherwise something is missing, which may
// include a forbidden text.
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
	return t.checkNumbers()
}

// whole compares the messages of a turn with the reply and the tool calls that the turn names.
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

// checkNumbers checks all numbers of the trial, because most of them are added up.
func (t *Trial) checkNumbers() error { return checkNumbersIn(t) }

// CheckNumbers checks the numbers of a result that another program wrote.
func (e *EvalResult) CheckNumbers() error { return checkNumbersIn(e) }

func checkNumbersIn(v any) error {
	if where, n, found := implausible(reflect.ValueOf(v).Elem()); found {
		return fmt.Errorf("%s cannot be %g; expected 0 to %g", where, n, float64(chat.Most))
	}
	return nil
}

// implausible finds a number that cannot have been measured, and its place. Values of free form may hold any number.
func implausible(v reflect.Value) (where string, n float64, found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return implausible(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if where, n, found = implausible(v.Index(i)); found {
				return joinPath(fmt.Sprintf("[%d]", i), where), n, true
			}
		}
	case reflect.Struct:
		return implausibleField(v)
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

func implausibleField(v reflect.Value) (where string, n float64, found bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() || freeNumbers[name] {
			continue
		}
		if where, n, found = implausible(v.Field(i)); found {
			return joinPath(name, where), n, true
		}
	}
	return "", 0, false
}

// joinPath returns the path of a field within another field. An embedded struct adds no name.
func joinPath(name, rest string) string {
	if name == "" || rest == "" || rest[0] == '[' {
		return name + rest
	}
	return name + "." + rest
}

// freeNumbers are fields with numbers that were not measured: indexes, which may be -1, and values that a check or its
// author chose.
var freeNumbers = map[string]bool{
	"turn": true, "score": true, "min_score": true, "max_score": true, "pass_threshold": true, "metric_value": true,
	"position": true, "args": true, "metadata": true, "details": true,
}
