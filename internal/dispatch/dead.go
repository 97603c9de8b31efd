package dispatch

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Why is the reason why a request was given up.
type Why string

// The reasons.
const (
	Undecodable   Why = "undecodable"    // it is not a request that this version can read
	UnknownPrompt Why = "unknown-prompt" // the worker does not have its prompt
	OtherEval     Why = "other-eval"     // the worker's eval of that id has another definition
	UnknownEval   Why = "unknown-eval"   // the worker does not have the eval, or it did not fire
	Exhausted     Why = "exhausted"      // every try to evaluate it failed
	Abandoned     Why = "abandoned"      // it was delivered several times, and no worker finished it
	TooLarge      Why = "too-large"      // a result or a session is larger than the limit
	Incomplete    Why = "incomplete"     // messages of the session are missing
)

// Reasons lists the reasons as dead letters hold them.
func Reasons() []string {
	var all []string
	for _, why := range []Why{
		Undecodable, UnknownPrompt, OtherEval, UnknownEval, Exhausted, Abandoned, TooLarge, Incomplete,
	} {
		all = append(all, string(why))
	}
	return all
}

// Dead is a dead letter: a request that was given up, and why.
type Dead struct {
	Version int       `json:"version"`
	ID      string    `json:"dead_id"`
	Request string    `json:"request_id,omitempty"` // "" when it could not be read
	Run     string    `json:"run_id,omitempty"`
	Session string    `json:"session_id,omitempty"`
	Why     Why       `json:"why"`
	Reason  string    `json:"reason"`
	Tries   uint64    `json:"tries"`
	Stream  string    `json:"stream,omitempty"` // name of the stream that held the request
	Seq     uint64    `json:"stream_seq,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	At      time.Time `json:"at"`

	Size int `json:"size"` // of the request, in bytes
	// Body is the request when it is JSON, Bytes when it is not. A request that is too large for the letter is in neither.
	Body  json.RawMessage `json:"request,omitempty"`
	Bytes []byte          `json:"request_bytes,omitempty"`
}

// Attach puts the request into the letter, unless it is larger than limit bytes.
func (d *Dead) Attach(data []byte, limit int) {
	d.Size = len(data)
	switch encoded := len(data) * 4 / 3; {
	case len(data) <= limit && json.Valid(data):
		d.Body = data
	case encoded <= limit:
		d.Bytes = data
	}
}

// DecodeDead decodes a dead letter.
func DecodeDead(data []byte) (*Dead, error) {
	d := &Dead{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("the dead letter cannot be read: %w", jsonvalue.Explain(err))
	}
	if d.Version != Version {
		return nil, fmt.Errorf("the dead letter has version %d; this arena reads version %d", d.Version, Version)
	}
	return d, nil
}

// RequestIDs returns the ids of a request that cannot be decoded, so that its dead letter reaches the run that waits
// for it. An id that cannot be read is "".
func RequestIDs(data []byte) (request, run, session string) {
	if len(data) > MaxRequest {
		return "", "", ""
	}
	var head struct {
		ID      string `json:"request_id"`
		Run     string `json:"run_id"`
		Session string `json:"session_id"`
	}
	_ = json.Unmarshal(data, &head) // ids of the wrong type stay empty
	return shortID(head.ID), shortID(head.Run), shortID(head.Session)
}

func shortID(id string) string {
	if len(id) > maxID {
		return ""
	}
	return id
}

// RefusedError is the error of a request that this worker can never evaluate.
type RefusedError struct {
	Why    Why
	Reason string
	// OtherWorker says that a worker with other packs may evaluate the request.
	OtherWorker bool
}

func (e *RefusedError) Error() string { return e.Reason }
