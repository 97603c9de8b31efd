package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// responses is the words of the Responses API; see wire.Codec. Nothing is left at the server: what it wants back of its
// model's reasoning comes encrypted, and goes along with the messages.
type responses struct {
	model   string
	state   string // whose state is this model's: see chat.Opaque
	style   requestStyle
	summary string
	reasons bool // the model reasons, as far as its name tells
}

func newResponses(spec *scenario.Provider) *responses {
	return &responses{
		model: spec.Model, state: "openai-responses/" + spec.ID, style: newRequestStyle(spec), summary: spec.ReasoningSummary,
		reasons: newTokenModels().MatchString(spec.Model[strings.LastIndexByte(spec.Model, '/')+1:]),
	}
}

// responsesBody is a request on the wire.
type responsesBody struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions,omitempty"`
	Input        []any           `json:"input"`
	Tools        []responsesTool `json:"tools,omitempty"`
	ToolChoice   any             `json:"tool_choice,omitempty"`
	Parallel     *bool           `json:"parallel_tool_calls,omitempty"`
	MaxTokens    *int            `json:"max_output_tokens,omitempty"`
	Temperature  *float64        `json:"temperature,omitempty"`
	TopP         *float64        `json:"top_p,omitempty"`
	Text         any             `json:"text,omitempty"`
	Reasoning    *reasoning      `json:"reasoning,omitempty"`
	Include      []string        `json:"include,omitempty"`
	Store        bool            `json:"store"`
	Stream       bool            `json:"stream,omitempty"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type replyForm struct {
	Format form `json:"format"`
}

type form struct {
	Type   string          `json:"type"`
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict bool            `json:"strict,omitempty"`
}

type itemSaid struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type itemText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type itemCall struct {
	Type string `json:"type"`
	ID   string `json:"call_id"`
	Name string `json:"name"`
	Args string `json:"arguments"`
}

type itemResult struct {
	Type   string `json:"type"`
	ID     string `json:"call_id"`
	Output string `json:"output"`
}

type inputImage struct {
	Type   string `json:"type"`
	URL    string `json:"image_url"`
	Detail string `json:"detail,omitempty"`
}

type inputFile struct {
	Type string `json:"type"`
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data,omitempty"`
	URL  string `json:"file_url,omitempty"`
}

func (c *responses) Encode(req *chat.Request) ([]byte, error) {
	b := responsesBody{
		Model: c.model, Stream: req.Stream, MaxTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP,
		Text: textForm(req),
	}
	var err error
	if b.Instructions, b.Input, err = c.items(req.Messages); err != nil {
		return nil, err
	}
	if len(req.Tools) > 0 {
		b.Tools, b.Parallel, b.ToolChoice = c.tools(req.Tools), req.ParallelToolCalls, namedChoice(req.ToolChoice)
	}
	if r := (reasoning{req.ReasoningEffort, c.summary}); r != (reasoning{}) {
		b.Reasoning = &r
	}
	c.leaveOut(&b)
	if c.reasons || b.Reasoning != nil {
		b.Include = []string{"reasoning.encrypted_content"}
	}
	data, err := wire.JSON(&b)
	if err != nil {
		return nil, err
	}
	return wire.Merge(data, req.Extra, c.keeps)
}

// keeps reports whether a parameter is not to be replaced, or has no place in the API.
func (c *responses) keeps(name string) bool {
	switch name {
	case "input", "store", "frequency_penalty", "presence_penalty":
		return true
	}
	return c.style.keeps(name)
}

// leaveOut drops the parameters that the provider's file declares unsupported.
func (c *responses) leaveOut(b *responsesBody) {
	for name := range c.style.drop {
		switch name {
		case "temperature":
			b.Temperature = nil
		case "top_p":
			b.TopP = nil
		case "max_tokens", "max_completion_tokens":
			b.MaxTokens = nil
		case "tool_choice":
			b.ToolChoice = nil
		case "tools":
			b.Tools, b.ToolChoice, b.Parallel = nil, nil, nil
		case "parallel_tool_calls":
			b.Parallel = nil
		case "reasoning_effort":
			b.Reasoning = nil
		case "response_format":
			b.Text = nil
		}
	}
}

func textForm(req *chat.Request) any {
	switch f := replyFormat(req); {
	case f == nil:
		return nil
	case f.JSONSchema != nil:
		return replyForm{form{"json_schema", f.JSONSchema.Name, req.JSONSchema, f.JSONSchema.Strict}}
	default:
		return replyForm{form{Type: string(f.Type)}}
	}
}

func namedChoice(choice string) any {
	switch choice {
	case "":
		return nil
	case "auto", "required", "none":
		return choice
	}
	return map[string]string{"type": "function", "name": choice}
}

func (c *responses) tools(list []chat.Tool) []responsesTool {
	out := make([]responsesTool, len(list))
	for i, t := range wireTools(list, c.style.strictTools) {
		f := &t.Function
		schema, _ := f.Parameters.(json.RawMessage)
		out[i] = responsesTool{"function", f.Name, f.Description, schema, f.Strict}
	}
	return out
}

// items are the messages as the API takes them: the system prompt apart, and one item for each thing that was said,
// called or answered.
func (c *responses) items(list []chat.Message) (instructions string, items []any, err error) {
	var system []string
	var media []chat.Part // of results, which are text: they follow the round
	items = make([]any, 0, len(list)+4)
	show := func() error {
		if len(media) == 0 {
			return nil
		}
		content, err := inputs(media)
		items, media = append(items, itemSaid{"user", content}), nil
		return err
	}
	for i := range list {
		m := &list[i]
		if m.Role != chat.ToolRole {
			err = show()
		}
		switch m.Role {
		case chat.System:
			if text := m.Text(); text != "" {
				system = append(system, text)
			}
		case chat.ToolRole:
			if r := m.ToolResult; r != nil {
				items = append(items, itemResult{"function_call_output", r.ID, wire.ResultText(m)})
				media = append(media, resultMedia(r, c.Takes)...)
			}
		case chat.Assistant:
			items, err = c.replyItems(items, m)
		case chat.User:
			var content []any
			if content, err = inputs(wire.PartsOf(m)); err == nil {
				items = append(items, itemSaid{"user", content})
			}
		}
		if err != nil {
			return "", nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	err = show()
	return strings.Join(system, "\n\n"), items, err
}

func (c *responses) replyItems(items []any, m *chat.Message) ([]any, error) {
	var failed error
	wire.VisitReply(m, c.state, func(text string) {
		items = append(items, itemSaid{"assistant", []any{itemText{"output_text", text}}})
	}, func(block json.RawMessage) {
		items = append(items, block)
	}, func(call *chat.ToolCall) {
		args, err := argsText(call)
		if err != nil {
			failed = err
			return
		}
		items = append(items, itemCall{"function_call", call.ID, call.Name, args})
	})
	return items, failed
}

// Takes says why the API cannot be sent a part; see providers.Takes.
func (c *responses) Takes(p *chat.Part) error {
	switch p.Type {
	case "image":
		return wire.Of(p.Media, wire.Images...)
	case "document":
		return nil
	}
	return fmt.Errorf("the API does not take %s", p.Type)
}

func inputs(parts []chat.Part) ([]any, error) {
	if len(parts) == 1 && parts[0].Type == "text" {
		return []any{itemText{"input_text", parts[0].Text}}, nil
	}
	out := make([]any, len(parts))
	for i := range parts {
		in, err := input(&parts[i])
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		out[i] = in
	}
	return out, nil
}

func input(p *chat.Part) (any, error) {
	switch {
	case p.Type == "text":
		return itemText{"input_text", p.Text}, nil
	case p.Type != "image" && p.Type != "document":
		return nil, fmt.Errorf("the API does not take %s", p.Type)
	case p.Media == nil:
		return nil, errors.New(p.Type + " without media")
	case p.Type == "document" && p.Media.URL != "":
		return inputFile{Type: "input_file", URL: p.Media.URL}, nil
	}
	address, err := wire.DataURL(p.Media)
	if p.Type == "image" {
		return inputImage{"input_image", address, p.Media.Detail}, err
	}
	return inputFile{Type: "input_file", Name: documentName(p.Media), Data: address}, err
}
