package checks

import (
	"crypto/rand"
	"strings"
)

// a2aSend is what an agent is asked with message/send, in the words of A2A 0.3.
type a2aSend struct {
	Message a2aMessage `json:"message"`
	Config  struct {
		Blocking bool `json:"blocking"`
	} `json:"configuration"`
}

type a2aMessage struct {
	Kind  string    `json:"kind"`
	ID    string    `json:"messageId"`
	Role  string    `json:"role"`
	Parts []a2aPart `json:"parts"`
}

// newA2ASend is a message of a user, to be answered when the work is done.
func newA2ASend(text string) *a2aSend {
	s := &a2aSend{Message: a2aMessage{
		Kind: "message", ID: rand.Text(), Role: "user", Parts: []a2aPart{{Kind: "text", Text: text}},
	}}
	s.Config.Blocking = true
	return s
}

// a2aQuery asks for a task with tasks/get.
type a2aQuery struct {
	ID string `json:"id"`
}

// a2aState is the state of a task; "" is none.
type a2aState string

// States that decide whether there is an answer. In all others there will be none.
const (
	a2aSubmitted a2aState = "submitted"
	a2aWorking   a2aState = "working"
	a2aCompleted a2aState = "completed"
)

// a2aResult is a task or, without a status, a message. It takes what agents of any version send.
type a2aResult struct {
	ID     string     `json:"id"`
	Status *a2aStatus `json:"status"`
	Files  []struct {
		Parts []a2aPart `json:"parts"`
	} `json:"artifacts"`
	Parts []a2aPart `json:"parts"`
}

type a2aStatus struct {
	State   string `json:"state"`
	Message *struct {
		Parts []a2aPart `json:"parts"`
	} `json:"message"`
}

// a2aPart is a part of a message; it names its kind, or is known by what it holds.
type a2aPart struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// state is the state of a task, in whichever spelling it came.
func (r *a2aResult) state() a2aState {
	if r.Status == nil {
		return ""
	}
	state := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(r.Status.State)), "_", "-")
	if state == "cancelled" {
		state = "canceled"
	}
	return a2aState(state)
}

// text is what a message says, or a task: with its status, else in the first artifact that holds text.
func (r *a2aResult) text() string {
	if r.Status == nil {
		return partTexts(r.Parts)
	}
	if m := r.Status.Message; m != nil {
		if text := partTexts(m.Parts); text != "" {
			return text
		}
	}
	for _, f := range r.Files {
		if text := partTexts(f.Parts); text != "" {
			return text
		}
	}
	return ""
}

func partTexts(parts []a2aPart) string {
	var texts []string
	for _, p := range parts {
		if p.Text != "" && (p.Kind == "" || p.Kind == "text") {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
