package a2a

import (
	"encoding/json"
	"strings"
)

// State is the state of a task; "" is none.
type State string

// States that decide whether there is an answer. In all others there will be none.
const (
	Submitted State = "submitted"
	Working   State = "working"
	Completed State = "completed"
)

// Result is what an agent answers: a task or, without a status, a message. It takes what agents of any version send.
type Result struct {
	ID        string     `json:"id"`
	Status    *Status    `json:"status"`
	Artifacts []Artifact `json:"artifacts"`
	Parts     []Part     `json:"parts"`
}

// Status is how a task stands.
type Status struct {
	State   string    `json:"state"`
	Message *Artifact `json:"message"`
}

// Artifact is something that an agent made, or said with a status.
type Artifact struct {
	Parts []Part `json:"parts"`
}

// UnmarshalJSON takes a task or a message, also one that stands under its kind.
func (r *Result) UnmarshalJSON(data []byte) error {
	type plain Result
	var in struct {
		plain
		Task    *plain `json:"task"`
		Message *plain `json:"message"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	switch {
	case in.Task != nil:
		*r = Result(*in.Task)
	case in.Message != nil:
		*r = Result(*in.Message)
	default:
		*r = Result(in.plain)
	}
	return nil
}

// IsTask reports whether the answer is a task, and not a message.
func (r *Result) IsTask() bool { return r.Status != nil }

// GoesOn reports whether the answer is a task whose end is to come.
func (r *Result) GoesOn() bool {
	state := r.State()
	return state == Submitted || state == Working
}

// State is the state of a task, in one spelling for all versions; "" of a message, and of a task that names none.
func (r *Result) State() State {
	if r.Status == nil {
		return ""
	}
	state := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(r.Status.State)), "_", "-")
	state = strings.TrimPrefix(state, "task-state-")
	if state == "cancelled" {
		state = "canceled"
	}
	return State(state)
}

// Said are the parts that came with the status of a task.
func (r *Result) Said() []Part {
	if r.Status == nil || r.Status.Message == nil {
		return nil
	}
	return r.Status.Message.Parts
}

// Texts are the texts of parts that are not empty.
func Texts(parts []Part) (texts []string) {
	for i := range parts {
		if parts[i].Text != "" {
			texts = append(texts, parts[i].Text)
		}
	}
	return texts
}
