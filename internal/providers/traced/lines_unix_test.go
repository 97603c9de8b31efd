//go:build unix

package traced

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
)

// talker is a running program: its actions and replies for each turn.
type talker struct{ turns [][]turnPart }

type turnPart struct {
	do    func(env map[string]string) error // before it says it
	reply chat.Reply
}

func (p talker) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	env := map[string]string{}
	for _, v := range providers.Variables(ctx) {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	s := p.turns[req.Origin.Turn][req.Origin.Reply]
	if s.do != nil {
		if err := s.do(env); err != nil {
			return chat.Reply{}, err
		}
	}
	if onDelta != nil && s.reply.Content != "" {
		_ = onDelta(chat.Delta{Text: s.reply.Content})
	}
	return s.reply, nil
}

// words are the last ones of a turn.
func words(text string) chat.Reply {
	return chat.Reply{
		Content: text, Usage: chat.Usage{OutputTokens: len(text), Estimated: true}, Unreported: []string{chat.UnreportedModelCalls},
	}
}

// calling is a reply with a call that the program reports in a line.
func calling(id, tool, args string) chat.Reply {
	call := chat.ToolCall{ID: id, Name: tool}
	call.SetArgs(args)
	return chat.Reply{
		ToolCalls: []chat.ToolCall{call}, ToolResults: []chat.ToolResult{{ID: id, Name: tool, Content: "ok"}},
		Unreported: []string{chat.UnreportedModelCalls}, CostUSD: new(0.0),
	}
}

// counting is a reply that reports its usage.
func counting(r chat.Reply, in int, usd *float64) chat.Reply {
	r.Usage, r.CostUSD = chat.Usage{InputTokens: in}, usd
	return r
}

// writes appends spans to the file for them. NOW is the time.
func writes(lines ...string) func(map[string]string) error {
	return func(env map[string]string) error {
		f, err := os.OpenFile(env["ARENA_TRACE_DIR"]+"/spans.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		text := strings.Join(lines, "\n") + "\n"
		if _, err = f.WriteString(strings.ReplaceAll(text, "NOW", fmt.Sprint(time.Now().UnixNano()))); err != nil {
			return err
		}
		return f.Close()
	}
}

// did is a span of now.
func did(id, parent, attributes string) string {
	return fmt.Sprintf(`{"name":"span %s","span_id":%q,"parent_span_id":%q,"start_time":NOW,"end_time":NOW,`+
		`"attributes":{%s}}`, id, id, parent, attributes)
}

func didTool(id, args string) string {
	return did(id, "", `"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f","gen_ai.tool.call.arguments":`+args)
}

func didModel(id, parent string) string {
	return did(id, parent, `"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":10,`+
		`"gen_ai.usage.output_tokens":0,"gen_ai.usage.cost":0.5`)
}

// talk runs the conversation and returns the result of each turn.
func talk(t *testing.T, now func() time.Time, turns [][]turnPart) (got [][]string, notices []string, err error) {
	t.Helper()
	s := spec()
	s.Program.Lines = true
	p := New(talker{turns}, s)
	p.now = now
	p.waits = waits{drain: hang.Guard} // what it sends came before it replied
	trial := &providers.Trial{ID: "x"}
	for i := range turns {
		var all []chat.Reply
		for more := true; more; {
			reply, failed := p.Complete(providers.InTrial(t.Context(), trial), &chat.Request{
				Origin: chat.Origin{Turn: i, Reply: len(all)},
			}, nil)
			if failed != nil {
				_, _ = trial.End(t.Context())
				_ = p.Close()
				return got, nil, failed
			}
			if reply.Notice != "" {
				notices = append(notices, reply.Notice)
			}
			all = append(all, reply)
			more = len(reply.ToolCalls) > 0
		}
		got = append(got, written(all))
	}
	told, err := trial.End(t.Context())
	return got, append(append(notices, told...), providers.Strays(p)...), err
}

// TestTurns: the traces of a program that answers several turns.
func TestTurns(t *testing.T) {
	t.Parallel()
	sends := func(env map[string]string) error { return send(env, "f") }
	for _, c := range []struct {
		name   string
		turns  [][]turnPart
		want   [][]string
		notice string
	}{
		{"no traces", [][]turnPart{{{nil, calling("c1", "f", `{}`)}, {nil, words("a")}}, {{nil, words("b")}}}, [][]string{
			{`"" models 0, 0+0 tokens (false), cost 0; c1 f map[]  → ok `,
				`"a" models 2, 0+1 tokens (true), cost unknown model calls`},
			{`"b" models 1, 0+1 tokens (true), cost unknown model calls`},
		}, ""},
		{"each turn has its own", [][]turnPart{
			{{writes(didModel("1", ""), didTool("2", `{"a":1}`), didModel("3", "")), words("a")}},
			{{writes(didModel("4", "")), words("b")}},
		}, [][]string{
			{`"" models 1, 10+0 tokens (false), cost 0.5; 2 f map[a:1]  →  tool results`,
				`"a" models 1, 10+0 tokens (false), cost 0.5 `},
			{`"b" models 1, 10+0 tokens (false), cost 0.5 `},
		}, ""},
		{"over the network", [][]turnPart{{{sends, words("a")}}, {{nil, words("b")}}}, [][]string{
			{`"" models 0, 0+0 tokens (false), cost 0; 66 f map[]  →  tool arguments,tool results`,
				`"a" models 1, 0+1 tokens (true), cost unknown model calls`},
			{`"b" models 1, 0+1 tokens (true), cost unknown model calls`},
		}, ""},
		{"told by lines as well, by the id", [][]turnPart{{
			{writes(did("1", "", `"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f","gen_ai.tool.call.id":"c1"`)),
				calling("c1", "f", `{"a":1}`)}, {nil, words("a")},
		}}, [][]string{{`"" models 0, 0+0 tokens (false), cost 0; c1 f map[a:1]  → ok `,
			`"a" models 2, 0+1 tokens (true), cost unknown model calls`}}, ""},
		{"told by lines as well, by the arguments", [][]turnPart{{
			{nil, calling("c1", "f", `{"a":1}`)}, {nil, calling("c2", "f", `{"a":2}`)},
			{writes(didModel("0", ""), didTool("1", `{"a":2.0}`), didTool("2", `{"a":2}`), didTool("3", `{"a":1}`)), words("a")},
		}}, [][]string{{`"" models 0, 0+0 tokens (false), cost 0; c1 f map[a:1]  → ok `,
			`"" models 0, 0+0 tokens (false), cost 0; c2 f map[a:2]  → ok `,
			`"" models 1, 10+0 tokens (false), cost 0.5; 2 f map[a:2]  →  tool results`,
			`"a" models 0, 0+0 tokens (false), cost 0 `}}, ""},
		{"other arguments", [][]turnPart{{
			{nil, calling("c1", "f", `{"a":1}`)}, {writes(didTool("1", `{"a":2}`)), words("a")},
		}}, [][]string{{`"" models 0, 0+0 tokens (false), cost 0; c1 f map[a:1]  → ok `,
			`"" models 0, 0+0 tokens (false), cost 0; 1 f map[a:2]  →  tool results`,
			`"a" models 2, 0+1 tokens (true), cost unknown model calls`}},
			"the program reports a call of f with other arguments than its traces; both calls count"},
		{"the lines count less", [][]turnPart{{{writes(didModel("1", "")), counting(words("a"), 4, new(0.25))}}}, [][]string{
			{`"a" models 1, 10+0 tokens (false), cost 0.5 `},
		}, ""},
		{"the lines count more", [][]turnPart{{{writes(didModel("1", "")), counting(words("a"), 40, nil)}}}, [][]string{
			{`"a" models 1, 40+0 tokens (false), cost unknown `},
		}, ""},
		{"the lines count in pieces", [][]turnPart{{
			{nil, counting(calling("c1", "f", `{}`), 4, nil)}, {writes(didModel("1", "")), counting(words("a"), 5, nil)},
		}}, [][]string{{`"" models 0, 4+0 tokens (false), cost 0; c1 f map[]  → ok `,
			`"a" models 1, 6+0 tokens (false), cost 0.5 `}}, ""},
		{"a span around all turns", [][]turnPart{
			{{writes(didModel("1", "9")), words("a")}},
			{{writes(didModel("2", "9"), did("9", "", `"openinference.span.kind":"AGENT","llm.token_count.prompt":20`)),
				words("b")}},
		}, [][]string{{`"a" models 1, 10+0 tokens (false), cost 0.5 `},
			{`"b" models 1, 10+0 tokens (false), cost 0.5 `}}, ""},
		{"a parent that never comes", [][]turnPart{{{writes(didModel("1", "9")), words("a")}}}, [][]string{
			{`"a" models 1, 10+0 tokens (false), cost 0.5 `},
		}, "the parents of 1 span did not come"},
		{"told twice", [][]turnPart{{{writes(didModel("1", "")), words("a")}}, {{func(env map[string]string) error {
			text, err := os.ReadFile(env["ARENA_TRACE_DIR"] + "/spans.jsonl")
			if err != nil {
				return err
			}
			return writes(strings.TrimSpace(string(text)))(env)
		}, words("b")}}}, [][]string{
			{`"a" models 1, 10+0 tokens (false), cost 0.5 `}, {`"b" models 1, 0+1 tokens (true), cost unknown model calls`},
		}, ""},
		{"a wrong secret", [][]turnPart{{{func(env map[string]string) error {
			env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-arena-trial=x,x-arena-secret=guess"
			return send(env, "f")
		}, words("a")}}}, [][]string{{`"a" models 1, 0+1 tokens (true), cost unknown model calls`}},
			"provider mine: 1 request with traces had no secret or no trial and did not count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, notices, err := talk(t, time.Now, c.turns)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			joined := strings.Join(notices, "|")
			if (c.notice == "") != (joined == "") || !strings.Contains(joined, c.notice) {
				t.Errorf("notices %q", joined)
			}
		})
	}
}

// TestLate: a call that is reported after its turn was judged is noticed.
func TestLate(t *testing.T) {
	t.Parallel()
	model := func(id, _ string) string { return didModel(id, "") }
	for _, c := range []struct {
		name  string
		what  func(id, args string) string
		parts []turnPart // before the words of the first turn
		want  string
	}{
		{"a tool", didTool, nil, "its traces report 1 tool call (f) of turn 1 or before, and came when that was judged"},
		{"a model", model, nil, "its traces report 1 model call of turn 1 or before"},
		{"a tool that a line told", didTool, []turnPart{{nil, calling("c1", "f", `{"a":1}`)}}, ""},
		{"another tool than a line told", didTool, []turnPart{{nil, calling("c1", "f", `{"a":2}`)}}, "1 tool call (f)"},
	} {
		for _, end := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, %t", c.name, end), func(t *testing.T) {
				t.Parallel()
				clock := time.Unix(2_000_000_000, 0)
				now := func() time.Time { clock = clock.Add(time.Second); return clock }
				var began time.Time
				note := func(map[string]string) error { began = now(); return nil }
				tell := func(env map[string]string) error {
					return writes(strings.ReplaceAll(c.what("1", `{"a":1}`), "NOW", fmt.Sprint(began.UnixNano())))(env)
				}
				turns := [][]turnPart{append(slices.Clip(c.parts), turnPart{note, words("a")}), {{tell, words("b")}}}
				var got [][]string
				var err error
				if end {
					got, err = ended(t, now, turns)
				} else {
					got, _, err = talk(t, now, turns)
				}
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
				if err == nil && len(got[len(got)-1]) != 1 && !end {
					t.Errorf("it counts twice: %q", got)
				}
			})
		}
	}
}

// ended is a conversation whose program reports something after it was told to end.
func ended(t *testing.T, now func() time.Time, turns [][]turnPart) (got [][]string, err error) {
	t.Helper()
	s := spec()
	s.Program.Lines = true
	p := New(talker{turns}, s)
	p.now = now
	p.waits = waits{drain: hang.Guard}
	trial := &providers.Trial{ID: "x"}
	ctx := providers.InTrial(t.Context(), trial)
	for i := range turns[0] {
		reply, err := p.Complete(ctx, &chat.Request{Origin: chat.Origin{Reply: i}}, nil)
		if err != nil {
			t.Error(err)
		}
		got = append(got, written([]chat.Reply{reply}))
	}
	part, _ := trial.Keep(workKey{p, "", ""}, nil)
	env := map[string]string{}
	for _, v := range part.(*work).env {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	if err := turns[1][0].do(env); err != nil {
		t.Error(err)
	}
	_, err = trial.End(t.Context())
	if closed := p.Close(); closed != nil {
		t.Error(closed)
	}
	return got, err
}

// TestClosed: the actions of a program are known even if a guardrail ended it.
func TestClosed(t *testing.T) {
	t.Parallel()
	s := spec()
	s.Program.Lines = true
	p := New(talker{[][]turnPart{{{writes(didModel("1", ""), didTool("2", `{}`), didModel("3", "")), words("a")}}}}, s)
	p.waits = waits{drain: hang.Guard}
	trial := &providers.Trial{ID: "x"}
	reply, err := p.Complete(providers.InTrial(t.Context(), trial), &chat.Request{Stream: true},
		func(chat.Delta) error { return providers.ErrEnough })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"a" models 2, 20+0 tokens (false), cost 1; 2 f map[]  →  `}
	if diff := cmp.Diff(want, written([]chat.Reply{reply})); diff != "" {
		t.Error(diff)
	}
	if _, err := trial.End(t.Context()); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
