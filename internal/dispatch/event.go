package dispatch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// Event is a message of a session, or the end of a session.
type Event struct {
	Session  string
	Scenario string
	Provider string
	Ended    bool
	Index    int // index of the message in its session, from 0; -1: not known
	Message  Message
}

// endsSession reports whether events of this type end a session.
func endsSession(kind string) bool {
	switch kind {
	case "session.ended", "session.completed", "conversation.completed", "conversation.ended", "trial.completed":
		return true
	}
	return false
}

// DecodeEvent decodes an event of arena's own stream, or of another log, which may have it under the key "event". Keys
// may be in any case, with or without underscores. It returns nil for events of other types.
func DecodeEvent(data []byte) (*Event, error) {
	o, err := decodeObject(data)
	if err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	if inner, wrapped := o["event"]; wrapped {
		if o, err = decodeObject(inner); err != nil {
			return nil, fmt.Errorf("the event cannot be read: %w", err)
		}
	}
	kind := o.text("type")
	if kind == "" {
		return nil, errors.New("the event has no type")
	}
	if kind != "message.created" && !endsSession(kind) {
		return nil, nil
	}
	e := &Event{
		Session:  cmp.Or(o.text("sessionid"), o.text("session"), o.text("trial"), o.text("conversationid")),
		Scenario: o.text("scenario"), Provider: o.text("provider"), Ended: endsSession(kind), Index: -1,
	}
	switch {
	case strings.TrimSpace(e.Session) == "":
		return nil, fmt.Errorf("the event %s does not say of which session it is", kind)
	case len(e.Session) > maxID:
		return nil, fmt.Errorf("the session_id has %d bytes; at most %d are allowed", len(e.Session), maxID)
	case e.Ended:
		return e, nil
	}
	return e, e.message(o)
}

func (e *Event) message(o object) error {
	m, err := decodeObject(o["data"])
	if err != nil {
		return fmt.Errorf("the data of the event cannot be read: %w", err)
	}
	role, known := chat.ParseRole(m.text("role"))
	if !known {
		return fmt.Errorf("the role is %q; expected system, user, assistant or tool", m.text("role"))
	}
	e.Message.Role = role
	if err := m.content(&e.Message.Message); err != nil {
		return err
	}
	e.Message.FinishReason = m.text("finishreason")
	e.Message.At = cmp.Or(m.time("timestamp"), o.time("time"), o.time("timestamp"))
	if raw, ok := m["index"]; ok {
		if err := json.Unmarshal(raw, &e.Index); err != nil || e.Index < 0 {
			return errors.New("the index is not a whole number from 0")
		}
	}
	if _, ok := m["parts"]; ok { // the parts are the same as the content
		e.Message.Parts = nil
		if err := m.into("parts", &e.Message.Parts); err != nil {
			return err
		}
	}
	if e.Message.ToolCalls, err = m.calls(); err != nil {
		return err
	}
	if e.Message.Role == chat.ToolRole {
		e.Message.ToolResult, err = m.result(e.Message.Content)
	}
	return err
}

// object is a JSON object whose keys are in lower case and without underscores.
type object map[string]json.RawMessage

func decodeObject(data []byte) (object, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); wrong || len(data) == 0 {
			return nil, errors.New("it is no JSON object")
		}
		return nil, err
	}
	o := make(object, len(raw))
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(raw))) { // of two spellings the first counts
		if v := raw[key]; string(v) != "null" {
			o[strings.ToLower(strings.ReplaceAll(key, "_", ""))] = v
		}
	}
	return o, nil
}

// text is the string under a key; "" when there is none.
func (o object) text(key string) string {
	var s string
	_ = json.Unmarshal(o[key], &s) // values of other types stay empty
	return s
}

func (o object) time(key string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, o.text(key))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func (o object) into(key string, v any) error {
	if raw, ok := o[key]; ok && json.Unmarshal(raw, v) != nil {
		return fmt.Errorf("%s are not as expected", key)
	}
	return nil
}

// calls are the tool calls of the message, in arena's format or that of chat APIs.
func (o object) calls() ([]chat.ToolCall, error) {
	var list []json.RawMessage
	if err := o.into("toolcalls", &list); err != nil {
		return nil, err
	}
	var calls []chat.ToolCall
	for _, raw := range list {
		c, err := decodeObject(raw)
		if err != nil {
			return nil, fmt.Errorf("a tool call cannot be read: %w", err)
		}
		call := chat.ToolCall{ID: c.text("id"), Name: c.text("name")}
		if inner, err := decodeObject(c["function"]); err == nil {
			call.Name, c = inner.text("name"), inner
		}
		if call.Name == "" {
			return nil, errors.New("a tool call has no name")
		}
		args := c["args"]
		if args == nil {
			args = c["arguments"]
		}
		text := string(args)
		if len(args) > 0 && args[0] == '"' {
			_ = json.Unmarshal(args, &text) // it is a string
		}
		call.Args, call.BadArgs = chat.ParseArgs(text)
		calls = append(calls, call)
	}
	return calls, nil
}

// result is the result of a tool: an object under "tool_result", or the content of the message.
func (o object) result(content string) (*chat.ToolResult, error) {
	raw, ok := o["toolresult"]
	if !ok {
		return &chat.ToolResult{ID: o.text("toolcallid"), Name: o.text("name"), Content: content}, nil
	}
	r, err := decodeObject(raw)
	if err != nil {
		return nil, fmt.Errorf("a tool result cannot be read: %w", err)
	}
	res := &chat.ToolResult{
		ID: r.text("id"), Name: r.text("name"), Content: cmp.Or(r.text("content"), content),
		Error: r.text("error"), ErrorType: r.text("errortype"),
	}
	if err := r.into("parts", &res.Parts); err != nil {
		return nil, err
	}
	if len(res.Parts) == 1 && res.Parts[0].Type == "text" { // the same as the content
		res.Parts = nil
	}
	return res, nil
}
