// Package events writes the events of a run as JSON lines while the run lasts.
package events

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// Start is the beginning of every stream.
const Start = `{"schema_version":`

// Envelope is one line.
type Envelope struct {
	SchemaVersion int              `json:"schema_version" doc:"Version of this format."`
	Seq           int              `json:"seq" doc:"Number of the line, from 1 and without gaps."`
	Type          result.EventKind `json:"type" doc:"The kind: what happened."`
	Time          time.Time        `json:"time" doc:"When it happened (RFC 3339)."`
	Trial         string           `json:"trial,omitempty" doc:"Id of the trial; absent for what concerns the run."`
	Scenario      string           `json:"scenario,omitempty" doc:"Its scenario."`
	Provider      string           `json:"provider,omitempty" doc:"The provider that it tests."`
	Turn          *int             `json:"turn,omitempty" doc:"Index of the turn, from 0; absent between and after turns."`
	Step          string           `json:"step,omitempty" doc:"Step of a composition in which it happened."`
	Data          any              `json:"data" doc:"What the kind says of it."`
}

// Writer writes a stream. It belongs to one goroutine.
type Writer struct {
	// Scrub removes secrets from a line; nil: lines are written as they are.
	Scrub func(line []byte) []byte

	out  *bufio.Writer
	line bytes.Buffer
	enc  *json.Encoder
	seq  int
	lost error // about the first event that JSON cannot hold
}

// NewWriter starts a stream on w. Events are buffered, at most until the end of a trial or of the run.
func NewWriter(w io.Writer) *Writer {
	e := &Writer{out: bufio.NewWriterSize(w, 1<<16)}
	e.enc = json.NewEncoder(&e.line)
	e.enc.SetEscapeHTML(false)
	return e
}

// Handle writes an event. It returns an error of the underlying writer, also in every later call. An event that JSON
// cannot hold is left out, and Err reports it.
func (w *Writer) Handle(e result.Event) error {
	w.line.Reset()
	at := e.Place()
	line := Envelope{
		SchemaVersion: result.EventVersion, Seq: w.seq + 1, Type: e.Kind(), Time: at.Time.UTC(),
		Trial: at.Trial, Scenario: at.Scenario, Provider: at.Provider, Step: at.Step, Data: data(e),
	}
	if at.Turn != result.NoTurn {
		line.Turn = &at.Turn
	}
	if err := w.enc.Encode(line); err != nil {
		if w.lost == nil {
			w.lost = fmt.Errorf("event %s of %s cannot be written as JSON: %w", line.Type, line.Trial, err)
		}
		return nil
	}
	w.seq++
	text := w.line.Bytes()
	if w.Scrub != nil {
		text = w.Scrub(text)
	}
	if _, err := w.out.Write(text); err != nil {
		return err
	}
	switch line.Type {
	case result.KindTrialCompleted, result.KindRunStarted, result.KindRunCompleted:
		return w.out.Flush()
	default:
		return nil
	}
}

// Flush writes the buffered events to the underlying writer.
func (w *Writer) Flush() error { return w.out.Flush() }

// Err says why an event was left out; nil when none was.
func (w *Writer) Err() error { return w.lost }

// data is the value of the member data for an event.
func data(e result.Event) any {
	if done, ok := e.(result.TrialDone); ok {
		return done.Outcome()
	}
	return e
}
