package harness

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
)

// Tracer sends the traces of one run to an OpenTelemetry collector. A nil tracer sends nothing.
type Tracer struct {
	exporter *otlp.Exporter
	config   *otlp.Config
	closed   bool
}

// NewTracer starts the sending of the traces of a run; nil when config is. repeatable says that the same run has the
// same trace every time.
func NewTracer(ctx context.Context, config *otlp.Config, run *result.Run, repeatable bool) *Tracer {
	if config == nil {
		return nil
	}
	return &Tracer{exporter: otlp.New(ctx, config, run.Arena, traceID(run, repeatable)), config: config}
}

// traceID follows from what is run, and from chance where it must not be the same twice.
func traceID(run *result.Run, repeatable bool) (id [16]byte) {
	var salt [16]byte
	if !repeatable {
		_, _ = rand.Read(salt[:]) // never fails
	}
	words, err := json.Marshal([]any{run.Started, run.Name, run.Command, salt})
	if err != nil { // texts, which JSON always holds
		return salt
	}
	sum := sha256.Sum256(words)
	copy(id[:], sum[:])
	return id
}

// Handle takes an event. It waits for nobody.
func (t *Tracer) Handle(e result.Event) {
	if t != nil {
		t.exporter.Handle(e)
	}
}

// Close sends what is left, for which it waits a while, and returns what was lost; "": nothing. A second one does
// nothing.
func (t *Tracer) Close() (lost string) {
	if t == nil || t.closed {
		return ""
	}
	t.closed = true
	d := t.exporter.Close()
	if d.Lost == 0 {
		return ""
	}
	why := "the collector was too slow"
	if d.Err != nil {
		why = d.Err.Error()
	}
	return fmt.Sprintf("%d of %d spans were not delivered to %s: %s", d.Lost, d.Lost+d.Sent, t.config.Where(), why)
}
