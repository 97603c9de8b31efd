package runner

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// TestWhatIsWrittenIsReadBack: whatever a model, a judge or a tool comes up with, no line of a journal is one that its
// reader leaves out.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
	}
	call := func(args string) chat.Reply {
		r := chat.Reply{ToolCalls: []chat.ToolCall{{ID: "1", Name: "look"}}, FinishReason: "tool_calls"}
		r.ToolCalls[0].Args, r.ToolCalls[0].BadArgs = chat.ParseArgs(args)
		return r
	}
	for name, tc := range map[string]struct {
		reply chat.Reply
		want  result.Status
	}{
		"a price that cannot be":      {chat.Reply{Content: "a", CostUSD: new(5e15)}, result.Errored},
		"no number for a price":       {chat.Reply{Content: "a", CostUSD: new(math.NaN())}, result.Errored},
		"an infinite price":           {chat.Reply{Content: "a", CostUSD: new(math.Inf(1))}, result.Errored},
		"tokens below zero":           {chat.Reply{Content: "a", Usage: chat.Usage{OutputTokens: -7}}, result.Errored},
		"parts below zero":            {chat.Reply{Content: "a", Usage: chat.Usage{CachedTokens: -7}}, result.Errored},
		"a time below zero":           {chat.Reply{Content: "a", LatencyMS: -1}, result.Errored},
		"keys that differ in case":    {call(`{"Card": 1, "card": 2}`), result.Passed},
		"a key twice":                 {call(`{"card": 1, "card": 2}`), result.Passed},
		"secrets for keys":            {call(`{"sk-1234567890": 1, "sk-2345678901": 2}`), result.Passed},
		"as deep as may be":           {call(nested(4_990)), result.Passed},
		"deeper than may be":          {call(nested(9_998)), result.Passed},
		"broken text":                 {chat.Reply{Content: "a\xffb\xed\xa0\x80", FinishReason: "stop"}, result.Passed},
		"a state of the server's own": {chat.Reply{Content: "a", Opaque: &chat.Opaque{From: "x/p", Data: []byte(`{"a":1,"a":2}`)}}, result.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
				if calls++; calls == 1 {
					return tc.reply, nil
				}
				return chat.Reply{Content: "done", FinishReason: "stop"}, nil
			})
			journal, file := journalFor(t)
			opts := options(1)
			var guard secret.Guard
			guard.Learn("sk-1234567890", "sk-2345678901")
			opts.Scrub = guard.JSON
			w := &watcher{}
			if err := Run(t.Context(), planOf(t, 1, client), opts, journal, w); err != nil {
				t.Fatal(err)
			}
			content, err := result.ReadJournal(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(content.Damaged) > 0 || len(content.Entries) != 1 || content.Entries[0].Status != tc.want ||
				w.trials[0].Status != tc.want {
				t.Fatalf("%+v, %+v, %s: %s", content.Damaged, content.Entries, w.trials[0].Status, w.trials[0].Error)
			}
			got, err := content.Trial(content.Entries[0])
			if err != nil || len(got.Turns) != 1 {
				t.Errorf("the trial lost its turn: %+v, %v", got, err)
			}
			line, err := result.EncodeLine(got)
			if err != nil || bytes.Contains(line, []byte("sk-1")) || bytes.Contains(line, []byte("sk-2")) {
				t.Errorf("%s, %v", line, err)
			}
		})
	}
}
