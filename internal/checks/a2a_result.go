package checks

import (
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
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
func (r *a2aResult) state() a2a.TaskState {
	if r.Status == nil {
		return a2a.TaskStateUnspecified
	}
	state := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(r.Status.State)), "_", "-")
	if state == "cancelled" {
		return a2a.TaskStateCanceled
	}
	return a2a.TaskState(state)
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
