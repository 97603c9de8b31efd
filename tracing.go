package arena

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
)

// tracer sends what evals measure to an OpenTelemetry collector: a span for each evaluation, below that of the
// evaluator. Its methods are not safe for concurrent use. A nil tracer sends nothing.
type tracer struct {
	exporter *otlp.Exporter
	totals   result.RunCompleted
	seen     map[string]bool // sessions that were evaluated; as many as are remembered
}

// maxSeen is how many sessions are remembered.
const maxSeen = 1 << 16

// newTracer starts the sending of traces; nil when no endpoint is named.
func newTracer(opts *EvaluatorOptions, secrets *harness.Vault) (*tracer, error) {
	if opts.Traces == "" {
		return nil, nil
	}
	config, err := otlp.Read(opts.Traces, opts.TraceContent, opts.Getenv)
	if err != nil || config == nil {
		return nil, err
	}
	config.Scrub = secrets.Bytes
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	t := &tracer{exporter: otlp.New(context.Background(), config, version(), id), seen: map[string]bool{}}
	t.exporter.Handle(result.RunStarted{
		At: result.At{Time: opts.Now(), Turn: result.NoTurn}, Arena: version(), Name: "evals",
	})
	return t, nil
}

// evaluated tells of one evaluation, which is over.
func (t *tracer) evaluated(session string, began, ended result.At, trial *result.Trial) {
	if t == nil {
		return
	}
	t.count(trial.Status)
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

// id is that of the session, with a number where it may have been used before.
func (t *tracer) id(session string) string {
	if session == "" || t.seen[session] || len(t.seen) == maxSeen {
		return fmt.Sprintf("%s#%d", session, t.totals.Trials)
	}
	t.seen[session] = true
	return session
}

func (t *tracer) count(s result.Status) {
	n := &t.totals
	n.Trials++
	switch s {
	case result.Passed:
		n.Passed++
	case result.Failed:
		n.Failed++
	case result.Skipped:
		n.Skipped++
	case result.Cancelled:
		n.Cancelled++
	case result.Errored, result.Unset:
		n.Errors++
	}
}

// close ends the trace and waits, not for long, until it was sent.
func (t *tracer) close(at result.At) (lost int, why error) {
	if t == nil {
		return 0, nil
	}
	t.totals.At = at
	t.totals.Status = result.Passed
	if t.totals.Failed > 0 {
		t.totals.Status = result.Failed
	}
	if t.totals.Errors > 0 {
		t.totals.Status = result.Errored
	}
	t.exporter.Handle(t.totals)
	d := t.exporter.Close()
	return d.Lost, d.Err
}
