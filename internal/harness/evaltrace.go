package harness

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
)

// EvalTracer sends what evals measure to an OpenTelemetry collector: a span for each evaluation, below that of the
// evaluator. Its methods are not safe for concurrent use. A nil tracer sends nothing.
type EvalTracer struct {
	exporter *otlp.Exporter
	totals   result.RunCompleted
	seen     map[string]bool // ids of the first maxSeen sessions
}

// maxSeen is how many sessions are remembered.
const maxSeen = 1 << 16

// NewEvalTracer starts sending traces. It returns nil if config is nil, which means that no endpoint is configured.
func NewEvalTracer(config *otlp.Config, arena string, now time.Time) *EvalTracer {
	if config == nil {
		return nil
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	t := &EvalTracer{exporter: otlp.New(context.Background(), config, arena, id), seen: map[string]bool{}}
	t.exporter.Handle(result.RunStarted{
		At: result.At{Time: now, Turn: result.NoTurn}, Arena: arena, Name: "evals",
	})
	return t
}

// Evaluated adds a finished evaluation to the trace.
func (t *EvalTracer) Evaluated(session string, began, ended result.At, trial *result.Trial) {
	if t == nil {
		return
	}
	t.totals.Count(trial.Status)
	id := t.id(session)
	began.Trial, ended.Trial = id, id
	t.exporter.Handle(result.TrialStarted{At: began, ID: id, Number: 1, Of: 1, Position: trial.Position})
	for i := range trial.Evals {
		at := ended
		at.Turn = trial.Evals[i].Turn
		t.exporter.Handle(result.EvalEvent(&trial.Evals[i], at))
	}
	t.exporter.Handle(result.TrialDone{At: ended, Trial: trial})
}

// id returns the id of the session, with a number if it may have been used before.
func (t *EvalTracer) id(session string) string {
	if session == "" || t.seen[session] || len(t.seen) == maxSeen {
		return fmt.Sprintf("%s#%d", session, t.totals.Trials)
	}
	t.seen[session] = true
	return session
}

// Close ends the trace and waits a few seconds at most until it is sent.
func (t *EvalTracer) Close(at result.At) (lost int, why error) {
	if t == nil {
		return 0, nil
	}
	t.totals.At, t.totals.Status = at, t.totals.Counts.Status()
	t.exporter.Handle(t.totals)
	d := t.exporter.Close()
	return d.Lost, d.Err
}
