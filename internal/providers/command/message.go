package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/tools"
)

// turnMessage is a user message for a program.
type turnMessage struct {
	Type  string      `json:"type"`
	Trial string      `json:"trial"`
	Index int         `json:"index"` // of the turn, from 0
	Text  string      `json:"text"`
	Parts []chat.Part `json:"parts,omitempty"`
	// History is the conversation before the program was started: the prompt, and turns of earlier processes.
	History []pastMessage `json:"history,omitempty"`
	Tools   []toolMessage `json:"tools,omitempty"` // with tools: arena
}

// pastMessage is an earlier message.
type pastMessage struct {
	Role      chat.Role      `json:"role"`
	Text      string         `json:"text"`
	Parts     []chat.Part    `json:"parts,omitempty"`
	ToolCalls []callMessage  `json:"tool_calls,omitempty"`
	Result    *resultMessage `json:"tool_result,omitempty"`
}

type callMessage struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Args chat.Args `json:"args"`
}

type toolMessage struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// resultMessage answers a call of a tool.
type resultMessage struct {
	Type   string `json:"type,omitempty"`
	ID     string `json:"id"`
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// endMessage tells a program that the conversation is over.
type endMessage struct {
	Type string `json:"type"`
}

// history converts messages for a program.
func history(messages []chat.Message) (list []pastMessage, err error) {
	for i := range messages {
		m := &messages[i]
		past := pastMessage{Role: m.Role, Text: m.Content}
		if past.Parts, err = chat.WithData(m.Parts); err != nil {
			return nil, err
		}
		for _, call := range m.ToolCalls {
			past.ToolCalls = append(past.ToolCalls, callMessage{call.ID, call.Name, call.Args})
		}
		if r := m.ToolResult; r != nil {
			past.Result = &resultMessage{ID: r.ID, Error: r.Error}
			if r.Error == "" {
				past.Result.Result = resultValue(r.Text())
			}
		}
		list = append(list, past)
	}
	return list, nil
}

// resultValue is the result of a tool: an object or a list as such, anything else as text.
func resultValue(text string) any {
	if t := bytes.TrimSpace([]byte(text)); len(t) > 0 && (t[0] == '{' || t[0] == '[') && json.Valid(t) {
		return json.RawMessage(t)
	}
	return text
}

// message is a message of a program.
type message struct {
	Type   string          `json:"type"`
	Text   *string         `json:"text"`
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Input  *float64        `json:"input_tokens"`
	Output *float64        `json:"output_tokens"`
	USD    *float64        `json:"cost_usd"`
	Parts  []chat.Part     `json:"parts"`
	Finish string          `json:"finish_reason"`
}

// freeForm are the keys below which there may be any keys, also those that differ in case alone.
var freeForm = map[string]bool{"args": true, "result": true, "error": true}

// parse reads a line; nil for one that is no message: a log, a banner.
func parse(text []byte) (*message, error) {
	text = bytes.TrimSpace(chat.WithoutBOM(text))
	if len(text) == 0 || text[0] != '{' {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		if bytes.Contains(text, []byte(`"type"`)) {
			return nil, fmt.Errorf("it wrote a line that looks like a message and is no JSON (%w): %s", err,
				process.Excerpt(text))
		}
		return nil, nil
	}
	if _, there := fields["type"]; !there {
		return nil, nearlyMessage(fields, text)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("it wrote a message that is not valid UTF-8: %s", process.Excerpt(text))
	}
	if key, twice := jsonvalue.KeyTwiceOutside(text, freeForm); twice {
		return nil, fmt.Errorf("it wrote a message with the key %q twice in one object: %s", key, process.Excerpt(text))
	}
	m := &message{}
	if err := json.Unmarshal(text, m); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = fmt.Errorf("%s cannot be a %s", wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("it wrote a message that cannot be read (%w): %s", err, process.Excerpt(text))
	}
	if err := misspelt(m.Type, fields, text); err != nil {
		return nil, err
	}
	return m, nil
}

// toolResult is the result of a call that the program made.
func (m *message) toolResult(call chat.ToolCall) chat.ToolResult {
	if e := bytes.TrimSpace(m.Error); len(e) > 0 && string(e) != "null" && string(e) != `""` {
		return tools.Failure(call, chat.ErrorExecution, tools.Present(m.Error))
	}
	if text, failed := tools.ReportedFailure(m.Result); failed {
		return tools.Failure(call, chat.ErrorExecution, text)
	}
	r := chat.ToolResult{ID: call.ID, Name: call.Name}
	if len(m.Result) > 0 {
		r.Content = tools.Present(m.Result)
	}
	return r
}
