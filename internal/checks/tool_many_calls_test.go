package checks

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyCalls judges a runaway agent with every check: no panic, and explanations that fit on a screen. If the time
// grew faster than the number of calls, the test would not end.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	n := 50_000
	if testing.Short() {
		n = 5_000
	}
	for name, call := range map[string]func(i int) Call{
		"one tool":      func(int) Call { return Call{Name: "get_order", Args: map[string]any{"id": "42"}, Result: "ok"} },
		"many tools":    func(i int) Call { return Call{Name: fmt.Sprint("tool\n", i), BadArgs: "{", Error: "no\x1b"} },
		"many skills":   func(i int) Call { return Call{Name: SkillTool, Args: map[string]any{"name": fmt.Sprint(i)}} },
		"long names":    func(i int) Call { return Call{Name: strings.Repeat("x", 100) + fmt.Sprint(i%100)} },
		"many turns":    func(i int) Call { return Call{Name: "get_order", Turn: i} },
		"no name":       func(int) Call { return Call{} },
		"other results": func(i int) Call { return Call{Name: "get_order", Result: fmt.Sprint("order\n", i)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := make([]Call, n)
			for i := range calls {
				calls[i] = call(i)
			}
			everyCheck(t, func(check string, c *Compiled) {
				s := benchSubject("done")
				s.Session, s.Calls, s.AllCalls = true, calls, calls
				v := c.Judge(t.Context(), &s)
				sane(t, check, &v)
			})
		})
	}
}
