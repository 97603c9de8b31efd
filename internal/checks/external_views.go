package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/say"
)

// The requests of checks to external programs and endpoints, and helpers for the answers.

// messageView is a message of the transcript.
type messageView struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// messagesOf is the transcript so far, all roles.
func messagesOf(s *Subject) []messageView {
	views := make([]messageView, len(s.Messages))
	for i := range s.Messages {
		m := &s.Messages[i]
		views[i] = messageView{string(m.Role), m.Text()}
		if r := m.ToolResult; r != nil && views[i].Content == "" {
			views[i].Content = r.Text()
			if views[i].Content == "" {
				views[i].Content = r.Error
			}
		}
	}
	return views
}

// callView is a tool call in scope. Arguments that are not an object are null, and bad_args is the text of the model.
// Arguments that the agent does not report are null too.
type callView struct {
	Name    string         `json:"name"`
	Args    map[string]any `json:"args"`
	BadArgs string         `json:"bad_args,omitempty"`
	Result  any            `json:"result,omitempty"`
	Error   string         `json:"error,omitempty"`
	Index   int            `json:"index"` // from 0
}

func callsOf(s *Subject) []callView {
	views := make([]callView, len(s.Calls))
	for i := range s.Calls {
		c := &s.Calls[i]
		views[i] = callView{Name: c.Name, Args: c.Args, BadArgs: c.BadArgs, Result: c.Result, Error: c.Error, Index: i}
		switch unreported := s.isUnreported(chat.UnreportedArguments); {
		case len(c.Args) == 0 && unreported:
			views[i].Args = nil
		case c.Args == nil && c.BadArgs == "":
			views[i].Args = map[string]any{}
		}
		if text, empty := c.Result.(string); len(c.Parts) > 0 && (c.Result == nil || empty && text == "") {
			views[i].Result = c.Text()
		}
	}
	return views
}

// repliesText is the reply of a turn, or all replies of a conversation, separated by line breaks.
func repliesText(s *Subject) string {
	if !s.Session {
		return s.Output()
	}
	var texts []string
	for _, r := range s.Texts() {
		if r.Text != "" {
			texts = append(texts, r.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// encodeRequest encodes a request as JSON.
func encodeRequest(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// endOfTrial returns the error of a wait that ended because the run or the trial has ended; nil otherwise.
func endOfTrial(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return context.Cause(ctx)
}

// reason prepares an external text for an explanation; none replaces an empty text.
func reason(text, none string) string {
	text = say.Reason(text)
	if text == "" {
		return none
	}
	return text
}

// Preflight reports what the check, or one within it, lacks outside the process: variables that are not set, programs
// that do not exist. It starts nothing and sends nothing.
func (c *Compiled) Preflight(getenv func(name string) (string, bool)) []diag.Diagnostic {
	var found diag.List
	if p, ok := c.Check.(interface {
		preflight(getenv func(string) (string, bool), d *diag.List)
	}); ok {
		p.preflight(getenv, &found)
	}
	for _, part := range c.Nested() {
		for _, problem := range part.Preflight(getenv) {
			found.Add(problem)
		}
	}
	return found.Sorted()
}

// errNoHost is the error of a check that may not use anything outside the process.
var errNoHost = errors.New("nothing outside of arena can be reached from here")
