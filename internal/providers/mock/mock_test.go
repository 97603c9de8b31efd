package mock

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

func section(def *string, texts ...string) *scenario.MockScenario {
	s := &scenario.MockScenario{Default: def}
	for i, text := range texts {
		if text != "" {
			s.Turns = append(s.Turns, scenario.NewMockTurn(i+1, scenario.MockReply{Content: text}))
		}
	}
	return s
}

// afterMessages is a request after n replies of the assistant, asked from a place.
func afterMessages(n int, at chat.Origin) *chat.Request {
	req := &chat.Request{Origin: at, Messages: []chat.Message{{Role: chat.System, Content: "Be brief."}}}
	for range n {
		req.Messages = append(req.Messages, chat.Message{Role: chat.User, Content: "and?"},
			chat.Message{Role: chat.Assistant, Content: "well"}, chat.Message{Role: chat.ToolRole})
	}
	return req
}

func TestLookup(t *testing.T) {
	t.Parallel()
	full := &scenario.MockFile{
		File: "mock.yaml", Default: new("global"),
		Scenarios: map[string]*scenario.MockScenario{
			"refund": section(new("refund default"), "refund 1", "refund 2", "", "refund 4"),
			"steps":  {Steps: map[string][]scenario.MockReply{"classify": {{Content: "billing"}}}, Turns: section(nil, "steps 1").Turns},
		},
		SelfPlay: map[string]*scenario.MockScenario{
			"impatient": section(new("hurry up"), "where is it?"), "terse": section(nil, "no"),
		},
		Judges: map[string]*scenario.MockScenario{
			"strict": section(new(`{"score":0}`), `{"score":1}`), "kind": section(new(`{"score":1}`)),
		},
	}
	overriding := *full
	overriding.First = true
	first := &overriding
	bare := &scenario.MockFile{File: "mock.yaml", Scenarios: map[string]*scenario.MockScenario{
		"refund": section(nil, "r1", "r2", "", "r4"), "empty": section(nil),
	}}
	asked := &scenario.MockFile{
		File: "mock.yaml", Judges: map[string]*scenario.MockScenario{"strict": section(nil, `{"score":1}`)},
	}
	inline := func(id string, turn int) []scenario.MockReply {
		if id == "refund" && turn == 1 {
			return []scenario.MockReply{{Content: "inline 1"}, {Content: "inline 2"}}
		}
		return nil
	}
	cases := []struct {
		name     string
		file     *scenario.MockFile
		messages int
		at       chat.Origin
		want     string
		err      string
	}{
		{"first reply", full, 0, chat.Origin{Scenario: "refund"}, "refund 1", ""},
		{"tool rounds count", full, 1, chat.Origin{Scenario: "refund", Reply: 1}, "refund 2", ""},
		{"a gap falls to the scenario", full, 2, chat.Origin{Scenario: "refund"}, "refund default", ""},
		{"behind the gap", full, 3, chat.Origin{Scenario: "refund"}, "refund 4", ""},
		{"the other name of a scenario", full, 0, chat.Origin{Scenario: "r", ScenarioAlias: "refund"}, "refund 1", ""},
		{"an unknown scenario falls to the file", full, 0, chat.Origin{Scenario: "other"}, "global", ""},
		{"a step", full, 0, chat.Origin{Scenario: "steps", Step: "classify"}, "billing", ""},
		{"a step that is not there", full, 0, chat.Origin{Scenario: "steps", Step: "else"}, "steps 1", ""},
		{"inline wins", full, 5, chat.Origin{Scenario: "refund", Turn: 1}, "inline 1", ""},
		{"inline counts within the turn", full, 6, chat.Origin{Scenario: "refund", Turn: 1, Reply: 1}, "inline 2", ""},
		{"inline is used up", full, 7, chat.Origin{Scenario: "refund", Turn: 1, Reply: 2}, "",
			`turn 2 of scenario "refund" has 2 replies, and reply 3 was requested`},
		{"a file that comes first", first, 1, chat.Origin{Scenario: "refund", Turn: 1}, "refund 2", ""},
		{"its defaults do not", first, 2, chat.Origin{Scenario: "refund", Turn: 1, Reply: 1}, "inline 2", ""},
		{"its other scenarios do not", first, 0, chat.Origin{Scenario: "other", Turn: 1}, "global", ""},
		{"inline without a file", nil, 0, chat.Origin{Scenario: "refund", Turn: 1}, "inline 1", ""},
		{"persona", full, 0, chat.Origin{Scenario: "refund", Turn: 1, Persona: "impatient"}, "where is it?", ""},
		{"persona default", full, 1, chat.Origin{Scenario: "refund", Persona: "impatient"}, "hurry up", ""},
		{"a persona's replies are used up", full, 1, chat.Origin{Scenario: "refund", Persona: "terse"}, "",
			`mock.yaml has no reply 2 for persona "terse"; it has reply 1 and no defaultResponse`},
		{"persona falls to the scenario", full, 1, chat.Origin{Scenario: "refund", Persona: "new"}, "refund 2", ""},
		{"persona falls to the file", full, 1, chat.Origin{Scenario: "other", Persona: "new"}, "global", ""},
		{"judge by turn", full, 4, chat.Origin{Scenario: "refund", Judge: "strict"}, `{"score":1}`, ""},
		{"judge default", full, 0, chat.Origin{Scenario: "refund", Turn: 1, Judge: "strict"}, `{"score":0}`, ""},
		{"judge of a conversation", full, 0, chat.Origin{Scenario: "refund", Turn: -1, Judge: "strict"}, `{"score":0}`, ""},
		{"judge falls to the file", full, 0, chat.Origin{Scenario: "refund", Judge: "other"}, "global", ""},
		{"no file", nil, 0, chat.Origin{Scenario: "refund"}, "Mock response from provider", ""},
		{"no such reply", bare, 2, chat.Origin{Scenario: "refund"}, "",
			`mock.yaml has no reply 3 for scenario "refund"; it has replies 1-2, 4 and no defaultResponse`},
		{"no reply at all", bare, 0, chat.Origin{Scenario: "empty"}, "",
			`mock.yaml has no reply 1 for scenario "empty"; it has no numbered reply and no defaultResponse`},
		{"a mistyped scenario", bare, 0, chat.Origin{Scenario: "refunds"}, "",
			`mock.yaml has nothing for scenario "refunds" and no defaultResponse; did you mean "refund"?`},
		{"another scenario", bare, 0, chat.Origin{Scenario: "shipping"}, "",
			`mock.yaml has nothing for scenario "shipping" and no defaultResponse; it names empty, refund`},
		{"no default of a judge of a conversation", asked, 0, chat.Origin{Judge: "strict", Turn: -1}, "",
			`mock.yaml has no defaultResponse for judge "strict", which is asked about a whole conversation: ` +
				`what stands below turns answers only for turns`},
		{"no judge", bare, 0, chat.Origin{Judge: "strict"}, "",
			`mock.yaml has nothing for judge "strict" and no defaultResponse; it names no judge`},
		{"no persona", bare, 0, chat.Origin{Scenario: "x", Persona: "terse"}, "",
			`mock.yaml has nothing for persona "terse" and no defaultResponse; it names no persona`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := Config{ID: "p", Model: "m", File: c.file, Inline: inline}
			reply, err := New(config).Complete(t.Context(), afterMessages(c.messages, c.at), nil)
			if c.err == "" {
				if err != nil || reply.Content != c.want {
					t.Errorf("got %q, %v, want %q", reply.Content, err, c.want)
				}
				return
			}
			want := &providers.Error{Kind: providers.BadReply, Provider: "p", Msg: c.err, Final: true}
			if diff := cmp.Diff(error(want), err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			config.Lenient = true
			reply, err = New(config).Complete(t.Context(), afterMessages(c.messages, c.at), nil)
			if c.at.Judge != "" { // a generic text is no verdict
				if diff := cmp.Diff(error(want), err); diff != "" {
					t.Errorf("lenient: error (-want +got):\n%s", diff)
				}
				return
			}
			doubt := "is a generic text: " + c.err
			if err != nil || reply.Doubt != doubt || reply.Content != "Mock response from provider" {
				t.Errorf("lenient: got %q with doubt %q, %v", reply.Content, reply.Doubt, err)
			}
		})
	}
}

// TestBorrowedReplies: there is a warning if a persona uses replies of the agent.
func TestBorrowedReplies(t *testing.T) {
	t.Parallel()
	p := New(Config{ID: "p", File: &scenario.MockFile{
		File: "mock.yaml", Scenarios: map[string]*scenario.MockScenario{"s": section(nil, "good day")},
		SelfPlay: map[string]*scenario.MockScenario{"eve": section(nil, "hi")},
	}})
	for persona, want := range map[string]string{
		"eve": "", "bob": "of the persona bob is one that is meant for the agent: mock.yaml has nothing for it below selfplay",
	} {
		reply, err := p.Complete(t.Context(), afterMessages(0, chat.Origin{Scenario: "s", Persona: persona}), nil)
		if err != nil || reply.Doubt != want {
			t.Errorf("%s: got doubt %q, %v", persona, reply.Doubt, err)
		}
	}
}

// TestWithoutFile: an agent gets a generic text, of which the planner warns; so does a persona, with a doubt; a judge
// gets an error, because a text without a verdict cannot judge.
func TestWithoutFile(t *testing.T) {
	t.Parallel()
	p := New(Config{ID: "p", Model: "m"})
	reply, err := p.Complete(t.Context(), afterMessages(0, chat.Origin{Scenario: "s"}), nil)
	if err != nil || reply.Doubt != "" || reply.Notice != "" || reply.Content != "Mock response from provider" {
		t.Errorf("agent: got %+v, %v", reply, err)
	}
	reply, err = p.Complete(t.Context(), afterMessages(0, chat.Origin{Scenario: "s", Persona: "eve"}), nil)
	if err != nil || reply.Doubt != "of the persona eve is a generic text: the provider p has no mock replies" {
		t.Errorf("persona: got doubt %q, %v", reply.Doubt, err)
	}
	_, err = p.Complete(t.Context(), afterMessages(0, chat.Origin{Scenario: "s", Judge: "fair"}), nil)
	if err == nil || !strings.Contains(err.Error(), `the judge "fair" has no mock reply; write judges: {fair: '`) {
		t.Errorf("judge: got %v", err)
	}
}

func TestAccounting(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 403)
	counted := scenario.MockReply{Content: "ok", Usage: &chat.Usage{InputTokens: 1000, OutputTokens: 2000}}
	cases := []struct {
		name    string
		reply   scenario.MockReply
		pricing *scenario.Pricing
		prompt  string
		usage   chat.Usage
		usd     float64
	}{
		{"four bytes a token", scenario.MockReply{Content: long}, nil, long,
			chat.Usage{InputTokens: 100, OutputTokens: 100, Estimated: true}, 0.002},
		{"at least something", scenario.MockReply{Content: "ok"}, nil, "hi",
			chat.Usage{InputTokens: 10, OutputTokens: 20, Estimated: true}, 0.0003},
		{"as the reply says", counted, nil, "hi", *counted.Usage, 0.03},
		{"at the provider's prices", counted, &scenario.Pricing{InputPer1K: 1, OutputPer1K: 2}, "hi", *counted.Usage, 5},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := New(Config{Pricing: c.pricing, Inline: func(string, int) []scenario.MockReply {
				return []scenario.MockReply{c.reply}
			}})
			reply, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{{Content: c.prompt}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Usage != c.usage || reply.CostUSD == nil || *reply.CostUSD != c.usd {
				t.Errorf("got %+v for %v USD, want %+v for %v USD", reply.Usage, *reply.CostUSD, c.usage, c.usd)
			}
		})
	}
}

func TestToolCallsAreCopies(t *testing.T) {
	t.Parallel()
	canned := []scenario.MockReply{{ToolCalls: []chat.ToolCall{
		{Name: "get_order", Args: map[string]any{"ids": []any{"A1", map[string]any{"n": 1}}}}, {Name: "log"},
		{Name: "bad", BadArgs: "{", Args: map[string]any{}},
	}}}
	p := New(Config{Inline: func(string, int) []scenario.MockReply { return canned }})
	want := []chat.ToolCall{
		{ID: "call_0_get_order", Name: "get_order", Args: map[string]any{"ids": []any{"A1", map[string]any{"n": 1}}}},
		{ID: "call_1_log", Name: "log", Args: map[string]any{}},
		{ID: "call_2_bad", Name: "bad", BadArgs: "{"},
	}
	for range 2 {
		reply, err := p.Complete(t.Context(), &chat.Request{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, reply.ToolCalls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if reply.FinishReason != "tool_calls" {
			t.Errorf("finish_reason %q", reply.FinishReason)
		}
		ids := reply.ToolCalls[0].Args["ids"].([]any)
		ids[0], ids[1].(map[string]any)["n"] = "changed", "changed"
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{Inline: func(string, int) []scenario.MockReply {
			return []scenario.MockReply{{Content: "slow", Latency: 1500 * time.Millisecond}}
		}})
		began := time.Now()
		reply, err := p.Complete(t.Context(), &chat.Request{}, nil)
		if took := time.Since(began); err != nil || reply.LatencyMS != 1500 || took != 1500*time.Millisecond {
			t.Errorf("took %s and reports %vms, %v", took, reply.LatencyMS, err)
		}
		over := errors.New("over")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, over)
		defer cancel()
		if _, err := p.Complete(ctx, &chat.Request{}, nil); !errors.Is(err, over) {
			t.Errorf("got %v, want the cause of the context", err)
		}
	})
}

func TestSimulatedError(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]providers.Kind{"": providers.Transport, "rate_limit": providers.RateLimit} {
		p := New(Config{ID: "p", Inline: func(string, int) []scenario.MockReply {
			return []scenario.MockReply{{Error: "too much", ErrorKind: kind}}
		}})
		_, err := p.Complete(t.Context(), &chat.Request{}, nil)
		if diff := cmp.Diff(error(&providers.Error{Kind: want, Provider: "p", Msg: "too much"}), err); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

func TestStreamChunks(t *testing.T) {
	t.Parallel()
	p := New(Config{Inline: func(string, int) []scenario.MockReply {
		return []scenario.MockReply{{Content: strings.Repeat("é", 45)}}
	}})
	var sizes []int
	_, err := p.Complete(t.Context(), &chat.Request{Stream: true}, func(d chat.Delta) error {
		sizes = append(sizes, len([]rune(d.Text)))
		return nil
	})
	if diff := cmp.Diff([]int{20, 20, 5}, sizes); err != nil || diff != "" {
		t.Errorf("runes of the deltas (-want +got):\n%s%v", diff, err)
	}
}

func BenchmarkComplete(b *testing.B) {
	file := &scenario.MockFile{Scenarios: map[string]*scenario.MockScenario{"s": section(nil)}}
	for i := range 200 {
		file.Scenarios["s"].Turns = append(file.Scenarios["s"].Turns,
			scenario.NewMockTurn(i+1, scenario.MockReply{Content: "It shipped on Monday, by rail."}))
	}
	p := New(Config{ID: "p", Model: "m", File: file})
	req := afterMessages(10, chat.Origin{Scenario: "s"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Complete(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
