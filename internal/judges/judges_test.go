package judges

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is a provider made of a function; it keeps the requests.
type model struct {
	answer func(ctx context.Context, req *chat.Request) (chat.Reply, error)

	mu       sync.Mutex
	requests []chat.Request
}

func (m *model) Complete(ctx context.Context, req *chat.Request, _ func(chat.Delta) error) (chat.Reply, error) {
	m.mu.Lock()
	m.requests = append(m.requests, *req)
	m.mu.Unlock()
	return m.answer(ctx, req)
}

func says(text string) *model {
	return &model{answer: func(context.Context, *chat.Request) (chat.Reply, error) {
		return chat.Reply{
			Content: text, FinishReason: "stop", Model: "m-2026", LatencyMS: 12, CostUSD: new(0.5),
			Usage: chat.Usage{InputTokens: 3, OutputTokens: 2},
		}, nil
	}}
}

func asked(text string) *grading.Question {
	return &grading.Question{
		Messages: []chat.Message{{Role: chat.System, Content: "Grade."}, {Role: chat.User, Content: text}},
		Schema:   json.RawMessage(`{"type":"object"}`),
	}
}

// pool has the judge strict, which is the default as well.
func pool(m *model, simulated bool) *Pool {
	seat := Judge{"strict", NewEndpoint(m, &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Model: "m"}, simulated)}
	return New(map[grading.JudgeUse]Judge{{}: seat, {Judge: "strict"}: seat}, NewMemory(MemoryLimit))
}

func TestAsk(t *testing.T) {
	t.Parallel()
	m := says("fine")
	at := chat.Origin{Scenario: "refund", ScenarioAlias: "r", Trial: 2, Turn: 1, Reply: 3}
	answer, err := pool(m, false).For(at, new(int64(7))).Ask(t.Context(), grading.JudgeUse{}, asked("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Key == "" {
		t.Error("the answer has no key")
	}
	want := grading.Answer{
		Text: "fine", FinishReason: "stop", Key: answer.Key, Judge: "strict", Provider: "p", Model: "m",
		AnsweredBy: "m-2026", Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}, CostUSD: new(0.5), LatencyMS: 12,
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	q := asked("hello")
	request := []chat.Request{{
		Messages: q.Messages, JSONSchema: q.Schema, Temperature: new(0.0), Seed: new(int64(7)), MaxTokens: new(1024),
		Origin: chat.Origin{Scenario: "refund", ScenarioAlias: "r", Turn: 1, Judge: "strict"},
	}}
	if diff := cmp.Diff(request, m.requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	empty := New(nil, NewMemory(0)).For(chat.Origin{}, nil)
	for use, want := range map[grading.JudgeUse]string{
		{}:                       "no judge is configured",
		{Model: "m"}:             "no judge is configured",
		{Judge: "strict"}:        `no judge is configured under the name "strict"`,
		{Provider: "p"}:          `no judge is configured for the provider "p"`,
		{Judge: "j", Model: "m"}: `no judge is configured under the name "j"`,
	} {
		answer, err := empty.Ask(t.Context(), use, asked("hello"))
		if !errors.Is(err, grading.ErrNoJudge) || err.Error() != want {
			t.Errorf("%v: got %v, want %s", use, err, want)
		}
		if diff := cmp.Diff(grading.Answer{Judge: use.Judge, Provider: use.Provider, Model: use.Model}, answer); diff != "" {
			t.Errorf("%v: answer (-want +got):\n%s", use, diff)
		}
	}
}

func TestOneModelForAll(t *testing.T) {
	t.Parallel()
	m := says("fine")
	all := Single(m, "stub", "")
	for _, use := range []grading.JudgeUse{{}, {Judge: "strict"}, {Provider: "openai", Model: "gpt-4o"}} {
		answer, err := all.Ask(t.Context(), use, asked("hello"))
		want := grading.Answer{Judge: "stub", Provider: "stub", Model: "m-2026"}
		if use.Judge != "" {
			want.Judge = use.Judge
		}
		got := grading.Answer{Judge: answer.Judge, Provider: answer.Provider, Model: answer.Model}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got):\n%s", use, err, diff)
		}
	}
	if len(m.requests) != 3 {
		t.Errorf("%d requests for 3 questions", len(m.requests))
	}
}

func TestFailedAnswerSaysWho(t *testing.T) {
	t.Parallel()
	m := &model{answer: func(context.Context, *chat.Request) (chat.Reply, error) {
		return chat.Reply{Content: "half"}, errors.New("down")
	}}
	answer, err := pool(m, false).For(chat.Origin{}, nil).Ask(t.Context(), grading.JudgeUse{}, asked("hello"))
	want := grading.Answer{Key: answer.Key, Judge: "strict", Provider: "p", Model: "m"}
	if diff := cmp.Diff(want, answer); diff != "" || err == nil || answer.Key == "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestTokenLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model string
		own   *int
		want  int
	}{
		{"gpt-4o-mini", nil, 1024},
		{"gpt-4o-mini", new(128), 1024},
		{"gpt-4o-mini", new(2000), 2000},
		{"o3-mini", nil, 4096},
		{"openai/gpt-5-nano", new(100), 4096},
		{"my-gpt-5", nil, 1024},
		{"deepseek-ai/DeepSeek-R1", nil, 4096},
		{"olmo", nil, 1024},
	} {
		e := NewEndpoint(nil, &scenario.Provider{Model: c.model, MaxTokens: c.own}, false)
		if e.maxTokens != c.want {
			t.Errorf("%s: %d tokens, want %d", c.model, e.maxTokens, c.want)
		}
	}
	thinks := &scenario.Provider{Model: "m", MaxTokens: new(2000), Tuning: scenario.Tuning{ThinkingBudget: 2048}}
	if e := NewEndpoint(nil, thinks, false); e.maxTokens != 3072 {
		t.Errorf("a judge that thinks may write %d tokens, want 3072", e.maxTokens)
	}
	thinks.Tuning = scenario.Tuning{Gemini: scenario.Gemini{ThinkingBudget: new(2048)}}
	if e := NewEndpoint(nil, thinks, false); e.maxTokens != 3072 {
		t.Errorf("a judge of Gemini's that thinks may write %d tokens, want 3072", e.maxTokens)
	}
}
