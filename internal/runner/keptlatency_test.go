package runner

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestKeptLatency: a slow agent stays slow when a cache answers for it, in the latency of its reply, also after a retry,
// and in the time of the trial.
func TestKeptLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &cache.Store{Dir: t.TempDir(), Now: time.Now}
		asked := 0
		slow := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
			asked++
			<-time.After(time.Second) // is meant to pass: a failed attempt, a pause, and 100 ms for the reply
			return chat.Reply{Content: "ok", FinishReason: "stop", CostUSD: new(1.0), LatencyMS: 100}, nil
		})
		for _, from := range []string{"the model", "the cache"} {
			limits := []scenario.Placed{placed(t, "max_duration", `{"max_seconds": 0.6}`)}
			turn := scenario.Turn{
				Role: "user", Content: "a", Assertions: []scenario.Placed{placed(t, "latency_budget", `{"max_ms": 500}`)},
			}
			plan := planOf(t, 1, store.Wrap(slow, &scenario.Provider{Meta: scenario.Meta{ID: "p"}}), turn)
			plan.spans[0].Endpoint.Simulated = false
			plan.spans[0].Scenario.Conversation = limits
			out := trialOf(t.Context(), plan, options(1))
			if out.Status != result.Failed || out.Turns[0].Assertions[0].Passed || out.Conversation[0].Passed {
				t.Errorf("from %s: %s, want both limits exceeded: %+v", from, out.Status, out.Conversation)
			}
			if out.DurationMS != 1000 || out.Turns[0].LatencyMS != 1000 {
				t.Errorf("from %s: the trial took %v ms and its turn %v ms, want 1000", from, out.DurationMS, out.Turns[0].LatencyMS)
			}
			if notes := strings.Join(out.Notices, "\n"); from == "the cache" && !strings.Contains(notes, "($1 when") {
				t.Errorf("the note of the cost: %s", notes)
			}
		}
		if asked != 1 {
			t.Errorf("the model was asked %d times", asked)
		}
	})
}
