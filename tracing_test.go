package arena_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
	"github.com/arena-evals/arena/internal/report/otlptest"
)

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
