package openai

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// body is a request on the wire. The fields here hide those of the same JSON name in the embedded struct, where 0
// cannot be told from a parameter that was not set.
type body struct {
	api.ChatCompletionRequest
	Messages            []message `json:"messages"`
	Tools               []tool    `json:"tools,omitempty"`
	Temperature         *float64  `json:"temperature,omitempty"`
	TopP                *float64  `json:"top_p,omitempty"`
	Seed                *int64    `json:"seed,omitempty"`
	MaxTokens           *int      `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int      `json:"max_completion_tokens,omitempty"`
}

type tool struct {
	Type     api.ToolType           `json:"type"`
	Function api.FunctionDefinition `json:"function"`
}

// requestStyle is how the requests of one provider look beyond what a call asks for.
type requestStyle struct {
	drop          map[string]bool // unsupported_params
	newTokenLimit bool            // max_completion_tokens instead of max_tokens
	strictTools   bool            // strict_tools
}

// newTokenModels are OpenAI's models that reject max_tokens.
var newTokenModels = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:o\d|gpt-[5-9]|gpt-\d\d)`) })

// newRequestStyle decides the name of the token limit: by the model where OpenAI's own models are called, and otherwise
// the old name, which every server knows. unsupported_params settles it when one of the two names is listed.
func newRequestStyle(spec *scenario.Provider) requestStyle {
	s := requestStyle{drop: make(map[string]bool, len(spec.Unsupported)), strictTools: spec.StrictTools}
	for _, name := range spec.Unsupported {
		s.drop[name] = true
	}
	model := spec.Model[strings.LastIndexByte(spec.Model, '/')+1:]
	switch spec.Type {
	case typeOllama, typeVLLM:
	default:
		s.newTokenLimit = newTokenModels().MatchString(model)
	}
	switch {
	case s.drop["max_tokens"] && !s.drop["max_completion_tokens"]:
		s.newTokenLimit = true
	case s.drop["max_completion_tokens"] && !s.drop["max_tokens"]:
		s.newTokenLimit = false
	}
	return s
}

func (s *requestStyle) encode(model string, req *chat.Request) ([]byte, error) {
	messages, err := wireMessages(req.Messages)
	if err != nil {
		return nil, err
	}
	b := body{
		ChatCompletionRequest: api.ChatCompletionRequest{Model: model, Stream: req.Stream},
		Messages:              messages, Tools: wireTools(req.Tools, s.strictTools),
		Temperature: req.Temperature, TopP: req.TopP, Seed: req.Seed,
	}
	if s.newTokenLimit {
		b.MaxCompletionTokens = req.MaxTokens
	} else {
		b.MaxTokens = req.MaxTokens
	}
	b.Stop, b.ReasoningEffort = req.Stop, req.ReasoningEffort
	if len(b.Tools) > 0 { // servers refuse these without tools
		b.ToolChoice = toolChoice(req.ToolChoice)
		if req.ParallelToolCalls != nil {
			b.ParallelToolCalls = *req.ParallelToolCalls
		}
	}
	if req.Stream {
		b.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	b.ResponseFormat = replyFormat(req)
	s.leaveOut(&b)
	data, err := wire.JSON(&b)
	if err != nil {
		return nil, err
	}
	return wire.Merge(data, req.Extra, s.keeps)
}

// replyFormat asks for JSON, of a form or of any; nil: the reply may be anything.
func replyFormat(req *chat.Request) *api.ChatCompletionResponseFormat {
	switch {
	case len(req.JSONSchema) > 0:
		return &api.ChatCompletionResponseFormat{
			Type: api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{
				Name: cmp.Or(req.SchemaName, "reply"), Schema: req.JSONSchema, Strict: strictSchema(req.JSONSchema),
			},
		}
	case req.JSON:
		return &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
	}
	return nil
}

// reserved are the parameters that say what is asked of whom and how the reply comes; Request.Extra does not replace
// them.
var reserved = map[string]bool{"model": true, "messages": true, "stream": true, "stream_options": true}

// keeps reports whether a parameter is not to be replaced. The provider's file has the last word on what is left out.
func (s *requestStyle) keeps(name string) bool { return reserved[name] || s.drop[name] }

// leaveOut drops the parameters that the provider's file declares unsupported.
func (s *requestStyle) leaveOut(b *body) {
	for name := range s.drop {
		switch name {
		case "temperature":
			b.Temperature = nil
		case "top_p":
			b.TopP = nil
		case "seed":
			b.Seed = nil
		case "max_tokens":
			b.MaxTokens = nil
		case "max_completion_tokens":
			b.MaxCompletionTokens = nil
		case "tool_choice":
			b.ToolChoice = nil
		case "tools":
			b.Tools, b.ToolChoice, b.ParallelToolCalls = nil, nil, nil
		case "parallel_tool_calls":
			b.ParallelToolCalls = nil
		case "stop":
			b.Stop = nil
		case "reasoning_effort":
			b.ReasoningEffort = ""
		case "response_format":
			b.ResponseFormat = nil
		case "stream_options":
			b.StreamOptions = nil
		}
	}
}

func toolChoice(choice string) any {
	switch choice {
	case "":
		return nil
	case "auto", "required", "none":
		return choice
	}
	return api.ToolChoice{Type: api.ToolTypeFunction, Function: api.ToolFunction{Name: choice}}
}

func wireTools(tools []chat.Tool, strict bool) []tool {
	if len(tools) == 0 {
		return nil
	}
	out := make([]tool, len(tools))
	for i, t := range tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if strict {
			schema = strictForm(schema)
		}
		out[i] = tool{api.ToolTypeFunction, api.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: schema, Strict: strict,
		}}
	}
	return out
}
