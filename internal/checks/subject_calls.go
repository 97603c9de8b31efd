package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Call is a tool call with its result.
type Call struct {
	Turn       int    // index of the turn, from 0
	Step       string // id of the composition step that made it; "": the agent made it
	Name       string
	Args       map[string]any // numbers are json.Number or float64
	BadArgs    string         // what the model sent instead of a JSON object; Args is nil then
	Result     any            // text or, in vectors, decoded JSON; nil: absent
	Parts      []chat.Part
	Error      string // not empty: the call failed
	ErrorType  string // chat.ErrorValidation, …
	Agent      string // agent that was called, by its name in the config; "": none or not known
	State      string // state of the workflow at the time of the call; "": not known
	DurationMS float64
}

// Failed reports whether the tool gave an error.
func (c *Call) Failed() bool { return c.Error != "" }

// Text is the result as text checks see it: text unchanged, media as [type:mime], other values as compact JSON.
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
	return jsonvalue.Compact(c.Result)
}

// argsUnclear is the error of a check that compares arguments when one of them is ambiguous; nil: none.
func (c *Compiled) argsUnclear(s *Subject) error {
	for _, use := range c.Names() {
		if use.Kind != ArgumentName {
			continue
		}
		for i := range s.Calls {
			if call := &s.Calls[i]; call.Name == use.Of && call.BadArgs != "" && chat.AmbiguousArgs(call.BadArgs) {
				return unclearError{call.Name + ": " + chat.ArgsProblem(call.BadArgs) + inTurn(s, call.Turn) +
					", and it is not known which one holds: " + say.Quote(call.BadArgs)}
			}
		}
	}
	return nil
}

// CallsOf collects the tool calls of a transcript with their results. Turns are counted from 0 by user messages.
func CallsOf(messages []chat.Message) []Call {
	var calls []Call
	var ids []string // by index of the call
	var done []bool  // whether the call has its result
	turn := -1
	for i := range messages {
		m := &messages[i]
		if m.Role == chat.User {
			turn++
		}
		for _, tc := range m.ToolCalls {
			calls = append(calls, Call{Turn: max(turn, 0), Name: tc.Name, Args: tc.Args, BadArgs: tc.BadArgs})
			ids, done = append(ids, tc.ID), append(done, false)
		}
		if r := m.ToolResult; r != nil {
			if at := callOf(r, calls, ids, done); at >= 0 {
				done[at] = true
				c := &calls[at]
				c.Result, c.Parts, c.Error, c.ErrorType, c.DurationMS = r.Content, r.Parts, r.Error, r.ErrorType, r.LatencyMS
				c.Agent = r.Agent
			}
		}
	}
	return calls
}

// callOf finds the call that a result belongs to: the latest open call with its id (models reuse ids in later turns),
// or the earliest open call of its tool when ids are missing; -1: none.
func callOf(r *chat.ToolResult, calls []Call, ids []string, done []bool) int {
	if r.ID != "" {
		for i := range slices.Backward(calls) {
			if !done[i] && ids[i] == r.ID {
				return i
			}
		}
	}
	for i := range calls {
		if !done[i] && calls[i].Name == r.Name {
			return i
		}
	}
	return -1
}
