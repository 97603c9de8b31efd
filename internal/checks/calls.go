package checks

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// Call is a tool call together with what came of it.
type Call struct {
	Turn       int // index of the turn, from 0
	Name       string
	Args       map[string]any // numbers are json.Number or float64
	Result     any            // text, or decoded JSON in vectors; nil: absent
	Parts      []chat.Part
	Error      string // non-empty: the call failed
	ErrorType  string // chat.ErrorValidation, …
	DurationMS float64
}

// Failed reports whether the tool gave an error.
func (c *Call) Failed() bool { return c.Error != "" }

// Text is the result as a text check sees it: text as it is, media as [type:mime], anything else as compact JSON.
func (c *Call) Text() string {
	if len(c.Parts) > 0 {
		return (&chat.ToolResult{Parts: c.Parts}).Text()
	}
	switch r := c.Result.(type) {
	case nil:
		return ""
	case string:
		return r
	}
	return compactJSON(c.Result)
}

// compactJSON writes a value without spaces and without escaping what only HTML needs.
func compactJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// CallsOf collects the tool calls of a transcript with their results. Turns are counted from 0 by user messages.
func CallsOf(messages []chat.Message) []Call {
	var calls []Call
	var open []string // ids of calls without a result; "" once they have one
	turn := -1
	for i := range messages {
		m := &messages[i]
		if m.Role == chat.User {
			turn++
		}
		for _, tc := range m.ToolCalls {
			calls = append(calls, Call{Turn: max(turn, 0), Name: tc.Name, Args: tc.Args})
			open = append(open, tc.Name+"\x00"+tc.ID)
		}
		if m.ToolResult != nil {
			settle(calls, open, m.ToolResult)
		}
	}
	return calls
}

// settle gives a result to the call with its id, or to the first open call of its tool when ids are missing.
func settle(calls []Call, open []string, r *chat.ToolResult) {
	at := -1
	for i := range calls {
		switch {
		case open[i] == "":
		case open[i] == calls[i].Name+"\x00"+r.ID:
			at = i
		case at < 0 && calls[i].Name == r.Name:
			at = i
			continue
		default:
			continue
		}
		if at == i {
			break
		}
	}
	if at < 0 {
		return
	}
	open[at] = ""
	c := &calls[at]
	c.Result, c.Parts, c.Error, c.ErrorType, c.DurationMS = r.Content, r.Parts, r.Error, r.ErrorType, r.LatencyMS
}
