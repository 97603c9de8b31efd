package dispatch

import (
	"encoding/json"
	"fmt"
	"time"
)

// Why is the kind of reason for which a request is given up.
type Why string

// The kinds of reasons.
const (
	Undecodable   Why = "undecodable"    // it is no request that this version reads
	UnknownPrompt Why = "unknown-prompt" // it is about a prompt that the worker does not have
	OtherEval     Why = "other-eval"     // the eval of that id measures something else at the worker
	UnknownEval   Why = "unknown-eval"   // it asks for an eval that the worker does not have, or that did not fire
	Exhausted     Why = "exhausted"      // it could not be evaluated, again and again
	Abandoned     Why = "abandoned"      // it was delivered again and again, and no worker finished or answered
	TooLarge      Why = "too-large"      // a result is larger than the broker takes
	Incomplete    Why = "incomplete"     // messages of the session never came
)

// Reasons are the kinds of reasons, as letters have them.
func Reasons() []string {
	var all []string
	for _, why := range []Why{
		Undecodable, UnknownPrompt, OtherEval, UnknownEval, Exhausted, Abandoned, TooLarge, Incomplete,
	} {
		all = append(all, string(why))
	}
	return all
}

// Dead is a letter about a request that was given up.
type Dead struct {
	Version int       `json:"version"`
	ID      string    `json:"dead_id"`
	Request string    `json:"request_id,omitempty"` // as far as it could be read
	Run     string    `json:"run_id,omitempty"`
	Session string    `json:"session_id,omitempty"`
	Why     Why       `json:"why"`
	Reason  string    `json:"reason"`
	Tries   uint64    `json:"tries"`
	Stream  string    `json:"stream,omitempty"` // where the request lay
	Seq     uint64    `json:"stream_seq,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	At      time.Time `json:"at"`

	Size int `json:"size"` // of the request, in bytes
	// Body is the request itself where it is JSON, Bytes what it holds where it is not. Both are left out where they
	// are too large for the letter.
	Body  json.RawMessage `json:"request,omitempty"`
	Bytes []byte          `json:"request_bytes,omitempty"`
}

// Attach puts the request into the letter, as far as that stays within a limit of bytes.
func (d *Dead) Attach(data []byte, limit int) {
	d.Size = len(data)
	switch encoded := len(data) * 4 / 3; {
	case len(data) <= limit && json.Valid(data):
		d.Body = data
	case encoded <= limit:
		d.Bytes = data
	}
}

// DecodeDead reads a letter.
func DecodeDead(data []byte) (*Dead, error) {
	d := &Dead{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("the dead letter cannot be read: %w", err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("the dead letter has version %d; this arena reads version %d", d.Version, Version)
	}
	return d, nil
}

// Address is what can be read of a request that is otherwise wrong, so that whoever waits for it hears of it.
func Address(data []byte) (request, run, session string) {
	if len(data) > MaxRequest {
		return "", "", ""
	}
	var head struct {
		ID      string `json:"request_id"`
		Run     string `json:"run_id"`
		Session string `json:"session_id"`
	}
	_ = json.Unmarshal(data, &head) // what is of the wrong type stays empty
	return short(head.ID), short(head.Run), short(head.Session)
}

func short(id string) string {
	if len(id) > maxID {
		return ""
	}
	return id
}

// RefusedError says that a request will never be evaluated here, however often it is tried.
type RefusedError struct {
	Why    Why
	Reason string
	// Elsewhere says that another worker, which has other packs, may evaluate it.
	Elsewhere bool
}

func (e *RefusedError) Error() string { return e.Reason }
