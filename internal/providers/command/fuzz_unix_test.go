//go:build unix

package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// FuzzLines reads any output of a program for a turn: the result is a reply with possible counts, or an error.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		`{"type":"delta","text":"Let me "}` + "\n" + `{"type":"delta","text":"look."}` + "\n" +
			`{"type":"reply","text":"Let me look."}`,
		`{"type":"tool_call","id":"a","name":"f","args":{"n":1}}` + "\n" +
			`{"type":"tool_result","id":"a","result":[1]}` + "\n" +
			`{"type":"usage","input_tokens":3,"output_tokens":4,"cost_usd":0.5}` + "\n" +
			`{"type":"reply","text":"x","finish_reason":"stop"}`,
		`{"type":"tool_call","name":"f"}` + "\n" +
			`{"type":"tool_result","error":"no"}` + "\n" + `{"type":"error","text":"no"}`,
		"a log\n{\"type\":\"log\",\"text\":\"hm\"}\n{\"type\":\"delta\"}",
		`{"type":"reply","text":"x","parts":[{"type":"text","text":"y"}]}`,
		`{"type":"usage","input_tokens":1e308}`, `{"type":"usage","cost_usd":-1}`,
		"{\"type\":\"x\",\"type\":\"y\"}", "\ufeff{\"type\":1}",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, asks bool) {
		p := &Provider{Program: &scenario.Program{Command: []string{"agent"}, AsksTools: asks}, id: "mine"}
		c := &conversation{p: p, turn: turn{open: true, ids: map[string]bool{}}}
		for line := range bytes.SplitSeq([]byte(text), []byte("\n")) {
			if !c.turn.open {
				_ = c.stray(line)
				continue
			}
			m, err := c.parse(line)
			if err != nil {
				return
			}
			if m == nil {
				continue
			}
			reply := ""
			r, err := c.take(m, line, func(d chat.Delta) error { reply += d.Text; return nil })
			if err != nil {
				if r != nil {
					t.Error("a reply and an error")
				}
				return
			}
			if r != nil {
				hold(t, r, asks)
			}
			if reply != "" && !strings.Contains(c.turn.text.String(), reply) {
				t.Errorf("%q was heard and is not said", reply)
			}
		}
	})
}

// hold checks that a reply is possible.
func hold(t *testing.T, r *chat.Reply, asks bool) {
	t.Helper()
	if u := r.Usage; u.InputTokens < 0 || u.OutputTokens < 0 || r.CostUSD != nil && !(*r.CostUSD >= 0) {
		t.Errorf("it took %+v, %v", u, r.CostUSD)
	}
	if asks {
		return
	}
	if len(r.ToolCalls) != len(r.ToolResults) {
		t.Errorf("%d calls and %d results", len(r.ToolCalls), len(r.ToolResults))
	}
	ids := map[string]bool{}
	for i := range r.ToolCalls {
		if ids[r.ToolCalls[i].ID] || r.ToolCalls[i].Name == "" {
			t.Errorf("a call without a name, or two with one id: %+v", r.ToolCalls)
		}
		ids[r.ToolCalls[i].ID] = true
	}
}
