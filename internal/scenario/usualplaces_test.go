package scenario_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

func TestUsualPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"It says {expected}":                  "expected",
		"{criteria} {conversation}{criteria}": "criteria conversation",
		"It says { expected }, ${answer}":     "answer expected",
		"It says {{expected}}":                "",
		"{{criteria}} {{ conversation }}":     "",
		`Write \{expected}`:                   "",
		`Answer as {"answer": "x"}`:           "",
		"An object {a, b} or {order_id}":      "",
	} {
		if got := strings.Join(scenario.UsualPlaces(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
