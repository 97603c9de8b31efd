package a2a

import (
	"encoding/json"
	"strings"
)

// State is the state of a task; "" is none.
type State string

// The states that decide whether there is an answer. A task in any other state has no answer and gets none.
const (
	Submitted State = "submitted"
	Working   State = "working"
	Completed State = "completed"
)

// Result is an agent's answer: a task or, without a status, a message. It takes what agents of all versions send.
type Result struct {
	ID        string     `json:"id"`
	Status    *Status    `json:"status"`
	Artifacts []Artifact `json:"artifacts"`
	Parts     []Part     `json:"parts"`

	both   bool   // a task came and a message
	doubts string // see Doubt
}

// Doubt is why the answer may not be one to the message, or may tell of a failure: "" where nothing says so.
func (r *Result) Doubt() string { return r.doubts }

// doubt adds a reason.
func (r *Result) doubt(why string) {
	if r.doubts != "" {
		r.doubts += ", and "
	}
	r.doubts += why
}

// Status is the status of a task.
type Status struct {
	State   string    `json:"state"`
	Message *Artifact `json:"message"`
}

// Artifact is a result of a task, or the message of a status.
type Artifact struct {
	Parts []Part `json:"parts"`
}

// UnmarshalJSON reads a task or a message, also one that is wrapped in an object under its kind.
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
	r.both = in.Task != nil && in.Message != nil || r.Status != nil && len(r.Parts) > 0
	return nil
}

// IsTask reports whether the answer is a task, rather than a message.
func (r *Result) IsTask() bool { return r.Status != nil }

// GoesOn reports whether the answer is a task that has not ended.
func (r *Result) GoesOn() bool {
	state := r.State()
	return state == Submitted || state == Working
}

// State returns the state of a task, spelled alike for all versions; "" for a message, and for a task without a state.
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

// Said returns the parts of a status message.
func (r *Result) Said() []Part {
	if r.Status == nil || r.Status.Message == nil {
		return nil
	}
	return r.Status.Message.Parts
}

// unread is the first unsupported part of the answer; "": none, or the task is still running.
func (r *Result) unread() string {
	if r.GoesOn() {
		return ""
	}
	lists := [][]Part{r.Parts, r.Said()}
	for i := range r.Artifacts {
		lists = append(lists, r.Artifacts[i].Parts)
	}
	for _, list := range lists {
		for i := range list {
			if what := list[i].unread; what != "" {
				return what
			}
		}
	}
	return ""
}

// Texts returns the texts of the parts that have any.
func Texts(parts []Part) (texts []string) {
	for i := range parts {
		if parts[i].Text != "" {
			texts = append(texts, parts[i].Text)
		}
	}
	return texts
}
