package arena_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
	"github.com/arena-evals/arena/internal/report/otlptest"
)

func evaluator(t *testing.T, change func(*arena.EvaluatorOptions)) (*arena.Evaluator, error) {
	t.Helper()
	judge := arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
		return arena.JudgeAnswer{Score: 0.8, Reasoning: "it does"}, nil
	})
	opts := arena.EvaluatorOptions{
		Paths: []string{"testdata/facade/support.pack.json"}, Checks: prices(t), Judges: map[string]arena.Judge{"j": judge},
		Getenv: func(string) (string, bool) { return "", false }, Now: func() time.Time { return time.Unix(1e9, 0) },
	}
	if change != nil {
		change(&opts)
	}
	e, err := arena.NewEvaluator(opts)
	if err == nil {
		t.Cleanup(e.Close)
	}
	return e, err
}

func talk() []arena.Message {
	return []arena.Message{
		{Role: arena.User, Text: "What is it?"},
		{Role: arena.Assistant, ToolCalls: []arena.ToolCall{{Name: "price", Args: map[string]any{"of": "it"}}}},
		{Role: arena.Tool, ToolResult: &arena.ToolResult{Name: "price", Text: "49"}},
		{Role: arena.Assistant, Text: "It is 49 EUR, please."},
		{Role: arena.User, Text: "Thanks"},
		{Role: arena.Assistant, Text: "Bye"},
	}
}

// measured is the results in short.
func measured(list []arena.EvalResult) (out []string) {
	for _, e := range list {
		score := "none"
		if e.Score != nil {
			score = fmt.Sprint(*e.Score)
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %s %s", e.ID, e.Turn, score, e.Status)))
	}
	return out
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*arena.EvaluatorOptions)
		at     arena.Moment
		status arena.Status
		want   []string
	}{
		{"all", nil, arena.Moment{}, arena.Failed, []string{
			"kind 0 1 passed", "short 0 1", "kind 1 0 failed", "short 1 1", "priced -1 0", "graded -1 0.8",
		}},
		{"turn", nil, arena.AfterTurn(0), arena.Passed, []string{"kind 0 1 passed", "short 0 1"}},
		{"end", nil, arena.AtEnd(), arena.Passed, []string{"priced -1 0", "graded -1 0.8"}},
		{"group", func(o *arena.EvaluatorOptions) { o.EvalGroups = []string{"external"} }, arena.Moment{}, arena.Passed,
			[]string{"graded -1 0.8"}},
		{"type", func(o *arena.EvaluatorOptions) { o.EvalTypes = []string{"costs"} }, arena.Moment{}, arena.Passed,
			[]string{"priced -1 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, err := evaluator(t, tc.change)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Evaluate(t.Context(), arena.Conversation{Session: "s", Messages: talk(), At: tc.at})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, measured(got.Evals)); diff != "" || got.Status != tc.status {
				t.Errorf("%s (-want +got):\n%s", got.Status, diff)
			}
		})
	}
}

// A turn that the conversation does not have is no moment at which nothing is due.
func TestEvaluateAfterNoTurn(t *testing.T) {
	t.Parallel()
	e, err := evaluator(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range []int{2, 5, -1, -2} {
		got, err := e.Evaluate(t.Context(), arena.Conversation{Messages: talk(), At: arena.AfterTurn(turn)})
		want := fmt.Sprintf("there is no turn %d, counted from 0: the conversation has 2", turn)
		if err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%d: %v, %v", turn, got, err)
		}
	}
}

func TestEvaluateTells(t *testing.T) {
	t.Parallel()
	var events []string
	e, err := evaluator(t, func(o *arena.EvaluatorOptions) {
		o.Namespace, o.Labels = "shop", map[string]string{"env": "test"}
		o.OnEvent = func(e arena.Event) { events = append(events, fmt.Sprint(e.Kind, " ", e.Turn)) }
		o.EvalGroups = []string{"fast-running"}
	})
	if err != nil {
		t.Fatal(err)
	}
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			if _, err := e.Evaluate(t.Context(), arena.Conversation{Messages: talk(), At: arena.AfterTurn(1)}); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	want := []string{"eval.completed 1", "eval.completed 1"}
	if diff := cmp.Diff(append(want, append(want, append(want, want...)...)...), events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /internal/shop-metrics", e.Metrics())
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/internal/shop-metrics", nil))
	for _, line := range []string{
		`shop_eval_kindness_count{category="tone",env="test"} 4`, `shop_eval_short{env="test"} 1`,
	} {
		if !strings.Contains(w.Body.String(), line) {
			t.Errorf("%s is not in\n%s", line, w.Body)
		}
	}
}

// TestEvaluateRefuses holds that nothing is measured over what cannot be, or by nothing.
func TestEvaluateRefuses(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*arena.EvaluatorOptions){
		"--eval-groups fast-runing: no eval of this run is in that group": func(o *arena.EvaluatorOptions) {
			o.EvalGroups = []string{"fast-runing"}
		},
		"there is no eval to run": func(o *arena.EvaluatorOptions) { o.Paths = []string{"testdata/facade/hello.yaml"} },
		"unknown check \"price\"": func(o *arena.EvaluatorOptions) { o.Checks = nil },
		"no judge is configured":  func(o *arena.EvaluatorOptions) { o.Judges = nil },
		"hlp":                     func(o *arena.EvaluatorOptions) { o.Prompt = "hlp" },
		"Prompt is empty: 2 evals of the prompts a, b would not run": func(o *arena.EvaluatorOptions) {
			o.Paths = []string{"testdata/facade/prompts.pack.json"}
		},
		"metrics: namespace": func(o *arena.EvaluatorOptions) { o.Namespace = "a b" },
	} {
		if _, err := evaluator(t, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	e, err := evaluator(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, messages := range map[string][]arena.Message{
		"arena: the conversation has no messages":                                                nil,
		"arena: message 1: there is no role \"robot\"; expected system, user, assistant or tool": {{Role: "robot"}},
		"arena: message 1: no call before it waits for the result of \"t\" (id \"1\")": {
			{Role: arena.Tool, ToolResult: &arena.ToolResult{ID: "1", Name: "t"}}},
		"arena: message 1: a message of the role tool has a ToolResult, and no other one has": {{Role: arena.Tool}},
		"arena: the recording holds no reply of an assistant: there is nothing to judge":      {{Role: arena.User, Text: "Hi"}},
	} {
		_, err := e.Evaluate(t.Context(), arena.Conversation{Messages: messages})
		if err == nil || err.Error() != want {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestEvaluateBreaks holds that a judge that breaks is an error of its eval, and an OnEvent that breaks one of the
// call.
func TestEvaluateBreaks(t *testing.T) {
	t.Parallel()
	e, err := evaluator(t, func(o *arena.EvaluatorOptions) {
		o.Judges["j"] = arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
			return arena.JudgeAnswer{}, errors.New("asleep")
		})
		o.EvalGroups = []string{"external"}
		o.OnEvent = func(arena.Event) { panic("boom") }
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Evaluate(t.Context(), arena.Conversation{Messages: talk()})
	if err == nil || !strings.HasPrefix(err.Error(), "arena: OnEvent panicked: boom") {
		t.Error(err)
	}
	if len(got.Evals) != 1 || got.Evals[0].Status != arena.Errored || !strings.Contains(got.Evals[0].Error, "asleep") {
		t.Errorf("%+v", got.Evals)
	}
}

// TestEvaluateMetadata says what the host and a tool know of a conversation to a check that asks for it.
func TestEvaluateMetadata(t *testing.T) {
	t.Parallel()
	var seen []string
	e, err := evaluator(t, func(o *arena.EvaluatorOptions) {
		o.EvalTypes, o.Checks = []string{"costs"}, &arena.Registry{}
		info := arena.CheckInfo{Name: "price", Aliases: []string{"costs"}, Summary: "It looks at what is known."}
		err := arena.Register(o.Checks, info, func(priceParams) (arena.Check, error) {
			return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
				seen = append(seen, fmt.Sprint(s.Metadata))
				return arena.Pass("seen"), nil
			}), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	messages := talk()
	messages[2].ToolResult.Metadata = map[string]any{"from": "tool"}
	metadata := map[string]any{"docs": []string{"Refunds"}, "n": 7}
	if _, err := e.Evaluate(t.Context(), arena.Conversation{Messages: messages, Metadata: metadata}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"map[docs:[Refunds] from:tool n:7]"}, seen); diff != "" {
		t.Error(diff)
	}
	metadata["n"] = make(chan int)
	_, err = e.Evaluate(t.Context(), arena.Conversation{Messages: messages, Metadata: metadata})
	if err == nil || !strings.Contains(err.Error(), "metadata of the conversation cannot be written as JSON") {
		t.Error(err)
	}
}

// TestTraces sends two evaluations of one session and one of another.
func TestTraces(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(nil)
	defer collector.Close()
	e, err := evaluator(t, func(o *arena.EvaluatorOptions) { o.Traces, o.TraceContent = collector.URL, true })
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range []string{"s1", "s1", "s2"} {
		if _, err := e.Evaluate(t.Context(), arena.Conversation{Session: session, Messages: talk()}); err != nil {
			t.Fatal(err)
		}
	}
	e.Close()
	e.Close()
	if n, why := e.LostSpans(); n != 0 || why != nil {
		t.Errorf("%d spans were lost: %v", n, why)
	}
	if problems := collector.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
	ids := map[string]bool{}
	sessions := map[string]int{}
	for _, s := range collector.Spans() {
		ids[string(s.SpanId)] = true
		if id := otlptest.Attributes(s.Attributes)["gen_ai.conversation.id"]; id != "" {
			sessions[id] = len(s.Events)
		}
	}
	if len(ids) != 4 || len(sessions) != 3 || sessions["s1"] == 0 || sessions["s1#2"] != sessions["s1"] {
		t.Errorf("%d spans, %v\n%s", len(ids), sessions, collector.Tree())
	}
	for _, want := range []string{"gen_ai.evaluation.result", "gen_ai.evaluation.score.value"} {
		if !strings.Contains(collector.Tree(), want) {
			t.Errorf("there is no %s in\n%s", want, collector.Tree())
		}
	}
}

func TestTracesThatDoNotArrive(t *testing.T) {
	t.Parallel()
	if _, err := evaluator(t, func(o *arena.EvaluatorOptions) { o.Traces = "ftp://x" }); err == nil ||
		!strings.HasPrefix(err.Error(), "arena: Traces: ") {
		t.Error(err)
	}
	collector := otlptest.New(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	defer collector.Close()
	e, err := evaluator(t, func(o *arena.EvaluatorOptions) { o.Traces = collector.URL })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Evaluate(t.Context(), arena.Conversation{Session: "s", Messages: talk()}); err != nil {
		t.Errorf("a collector that refuses is no reason to fail: %v", err)
	}
	e.Close()
	if n, why := e.LostSpans(); n == 0 || why == nil {
		t.Errorf("%d spans lost: %v", n, why)
	}
}
