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

// NewTracer starts sending the traces of a run. It returns nil if config is nil. With repeatable, equal runs have equal
// trace ids.
func NewTracer(ctx context.Context, config *otlp.Config, run *result.Run, repeatable bool) *Tracer {
	if config == nil {
		return nil
	}
	return &Tracer{exporter: otlp.New(ctx, config, run.Arena, traceID(run, repeatable)), config: config}
}

// traceID returns a hash of what is run, and of a random number unless it is repeatable.
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

// Handle handles an event. It does not block.
func (t *Tracer) Handle(e result.Event) {
	if t != nil {
		t.exporter.Handle(e)
	}
}

// Content reports whether spans contain messages.
func (t *Tracer) Content() bool { return t != nil && t.config.Content }

// Close sends the remaining spans, with a time limit. It returns a message about lost spans; "": none. A second call
// does nothing.
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
