// Package dispatch defines the messages for evals that workers run: requests, results and dead letters. It also builds
// sessions from a stream of messages. It does not depend on a broker.
package dispatch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Version of requests, results and dead letters. Decoders refuse other versions.
const Version = 1

// Moment is a point of a conversation at which evals fire.
type Moment string

// The moments.
const (
	Turn  Moment = "turn"  // after a reply
	End   Moment = "end"   // at the end of the session and the conversation
	Whole Moment = "whole" // after each turn in order, then at the end
)

// Request asks for the evals of one moment of a conversation.
type Request struct {
	Version int    `json:"version"`
	ID      string `json:"request_id"`       // equal whenever the same moment is sent again
	Run     string `json:"run_id,omitempty"` // groups the requests of a run that waits for their results

	Session  string            `json:"session_id"`       // decides about sampling
	Prompt   string            `json:"prompt,omitempty"` // task type; "": the only one, or none
	Scenario string            `json:"scenario,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Model    string            `json:"model,omitempty"`
	Region   string            `json:"region,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Metadata jsonvalue.Object  `json:"metadata,omitempty"` // for checks that ask for it
	Started  time.Time         `json:"started,omitzero"`
	// Workflow is the state of the conversation's workflow at the moment; nil: it follows from the messages.
	Workflow *result.Workflow `json:"workflow,omitempty"`
	// States are the workflow states that use the prompt: its own evals judge only the messages of these states. nil: they
	// judge all messages.
	States []string `json:"states,omitempty"`

	Moment Moment `json:"moment"`
	Turn   int    `json:"turn"` // from 0, for the moment turn; else 0
	// Evals are the ids of the evals to run. There are results for all of them and for no others. nil asks for all evals
	// that fire at the moment.
	Evals []string `json:"evals,omitempty"`
	// Digests are digests of the evals' definitions, by eval id. A worker with another definition refuses the request.
	Digests  map[string]string `json:"eval_digests,omitempty"`
	Messages []Message         `json:"messages"` // the conversation up to the moment, the system prompt first
}

// Message is one message of a request.
type Message struct {
	chat.Message
	At time.Time `json:"at,omitzero"`
}

// MaxRequest is the size limit of a request in bytes. Larger ones are refused without decoding them.
const MaxRequest = 16 << 20

// maxID is the length limit of ids in bytes.
const maxID = 1024

// DecodeRequest decodes a request. An unknown field is an error: arena would not do what it asks for.
func DecodeRequest(data []byte) (*Request, error) {
	if len(data) > MaxRequest {
		return nil, fmt.Errorf("the request has %s; at most %s are read", Size(len(data)), Size(MaxRequest))
	}
	r := &Request{}
	if err := DecodeStrictly(data, r); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("the request has version %d; this arena reads version %d", r.Version, Version)
	}
	return r, r.Validate()
}

// DecodeStrictly decodes a JSON object. An unknown field is an error.
func DecodeStrictly(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends in the middle")
		}
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%s cannot be a JSON %s", cmp.Or(wrong.Field, "it"), wrong.Value)
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// Validate returns the first problem of a request.
func (r *Request) Validate() error {
	for _, id := range []struct{ name, value string }{{"request_id", r.ID}, {"session_id", r.Session}} {
		switch {
		case strings.TrimSpace(id.value) == "":
			return fmt.Errorf("%s is missing", id.name)
		case len(id.value) > maxID:
			return fmt.Errorf("%s has %d bytes; at most %d are allowed", id.name, len(id.value), maxID)
		}
	}
	if len(r.Run) > maxID {
		return fmt.Errorf("run_id has %d bytes; at most %d are allowed", len(r.Run), maxID)
	}
	if err := r.validateEvals(); err != nil {
		return err
	}
	return r.validateMoment()
}

func (r *Request) validateEvals() error {
	seen := map[string]bool{}
	for _, id := range r.Evals {
		if id == "" || seen[id] {
			return fmt.Errorf("evals: the id %q is empty or repeated", id)
		}
		seen[id] = true
	}
	if r.Evals != nil && len(r.Evals) == 0 {
		return errors.New("evals is empty: leave it out to ask for all that fire")
	}
	return nil
}

func (r *Request) validateMoment() error {
	switch r.Moment {
	case Turn:
	case End, Whole:
		if r.Turn != 0 {
			return fmt.Errorf("turn is %d; only the moment %q has one", r.Turn, Turn)
		}
	default:
		return fmt.Errorf("moment is %q; expected %s, %s or %s", r.Moment, Turn, End, Whole)
	}
	users := 0
	for i := range r.Messages {
		switch r.Messages[i].Role {
		case chat.User:
			users++
		case chat.System, chat.Assistant, chat.ToolRole:
		default:
			return fmt.Errorf("messages[%d]: role is %q; expected system, user, assistant or tool", i, r.Messages[i].Role)
		}
	}
	if len(r.Messages) == 0 {
		return errors.New("messages is empty: there is nothing to judge")
	}
	if r.Moment == Turn && (r.Turn < 0 || r.Turn >= max(users, 1)) {
		return fmt.Errorf("turn is %d; the messages have %d, counted from 0", r.Turn, users)
	}
	return nil
}

// Size formats a number of bytes: 1.5 MiB.
func Size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
