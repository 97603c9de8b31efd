package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// defaultMaxTokens is the token limit where nobody sets one: the API requires it.
const defaultMaxTokens = 4096

// maxTemperature is the highest temperature of the API.
const maxTemperature = 1

// body is a request on the wire.
type body struct {
	Model       string        `json:"model,omitempty"`
	Version     string        `json:"anthropic_version,omitempty"`
	MaxTokens   int           `json:"max_tokens"`
	System      []*textBlock  `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Tools       []tool        `json:"tools,omitempty"`
	ToolChoice  *toolChoice   `json:"tool_choice,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	TopP        *float64      `json:"top_p,omitempty"`
	Stop        []string      `json:"stop_sequences,omitempty"`
	Thinking    *thinking     `json:"thinking,omitempty"`
	Output      *outputConfig `json:"output_config,omitempty"`
	Stream      bool          `json:"stream,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type      string `json:"type"`
	Name      string `json:"name,omitempty"`
	OneAtOnce bool   `json:"disable_parallel_tool_use,omitempty"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// cacheControl marks where what came until then is worth keeping.
type cacheControl struct {
	Type string `json:"type"`
}

var ephemeral = &cacheControl{"ephemeral"}

// Encode writes a request.
func (c *codec) Encode(req *chat.Request) ([]byte, error) {
	system, messages, err := c.transcript(req.Messages)
	if err != nil {
		return nil, err
	}
	b := body{
		Model: c.model, Version: c.version, System: system, Messages: messages, Stream: req.Stream && !c.platform,
		Output: c.output(req),
	}
	if !c.drops("stop") {
		b.Stop = req.Stop
	}
	if !c.drops("tools") {
		b.Tools = wireTools(req.Tools)
		b.ToolChoice = c.choice(req)
	}
	if err := c.limits(&b, req); err != nil {
		return nil, err
	}
	if c.caching || req.Caching {
		b.mark()
	}
	data, err := wire.JSON(&b)
	if err != nil {
		return nil, err
	}
	return wire.Merge(data, req.Extra, c.keeps)
}

// limits sets how much the model may write and think, and how freely.
func (c *codec) limits(b *body, req *chat.Request) error {
	b.MaxTokens = defaultMaxTokens + c.thinking
	if req.MaxTokens != nil {
		b.MaxTokens = *req.MaxTokens
	}
	if !c.drops("top_p") {
		b.TopP = req.TopP
	}
	if c.thinking > 0 {
		if b.MaxTokens <= c.thinking {
			return fmt.Errorf("max_tokens is %d, and thinking_budget %d is a part of it: raise max_tokens, or lower "+
				"thinking_budget", b.MaxTokens, c.thinking)
		}
		b.Thinking = &thinking{"enabled", c.thinking}
		return nil // which goes with no temperature
	}
	if req.Temperature != nil && !c.drops("temperature") {
		if *req.Temperature > maxTemperature {
			return fmt.Errorf("temperature is %g; the API takes 0 to %d", *req.Temperature, maxTemperature)
		}
		b.Temperature = req.Temperature
	}
	return nil
}

// output is the form of the reply and the effort that it is worth; nil: the API decides.
func (c *codec) output(req *chat.Request) *outputConfig {
	var out outputConfig
	if !c.drops("reasoning_effort") {
		out.Effort = req.ReasoningEffort
	}
	if len(req.JSONSchema) > 0 && !c.drops("response_format") {
		out.Format = &outputFormat{"json_schema", closedSchema(req.JSONSchema)}
	}
	if out == (outputConfig{}) {
		return nil
	}
	return &out
}

// keeps reports whether a parameter is not to be replaced, or has no place in the API.
func (c *codec) keeps(name string) bool {
	switch name {
	case "model", "messages", "stream", "anthropic_version", "frequency_penalty", "presence_penalty":
		return true
	case "top_k":
		return c.thinking > 0 || c.drops(name)
	}
	return c.drops(name)
}

func (c *codec) choice(req *chat.Request) *toolChoice {
	if len(req.Tools) == 0 {
		return nil
	}
	var out toolChoice
	if !c.drops("parallel_tool_calls") && req.ToolChoice != "none" {
		out.OneAtOnce = req.ParallelToolCalls != nil && !*req.ParallelToolCalls
	}
	word := req.ToolChoice
	if c.drops("tool_choice") {
		word = ""
	}
	switch word {
	case "":
		if !out.OneAtOnce {
			return nil
		}
		out.Type = "auto"
	case "auto", "none":
		out.Type = word
	case "required":
		out.Type = "any"
	default:
		out.Type, out.Name = "tool", word
	}
	return &out
}

var noArguments = json.RawMessage(`{"type":"object","properties":{}}`)

func wireTools(tools []chat.Tool) []tool {
	if len(tools) == 0 {
		return nil
	}
	out := make([]tool, len(tools))
	for i := range tools {
		t := &tools[i]
		if out[i] = (tool{Name: t.Name, Description: t.Description, Schema: t.Schema}); len(t.Schema) == 0 {
			out[i].Schema = noArguments
		}
	}
	return out
}

// mark says what is worth keeping in the cache of the API: tools, system prompt, and the conversation until the last
// messages of the user. More than four marks are refused.
func (b *body) mark() {
	if n := len(b.Tools); n > 0 {
		b.Tools[n-1].Cache = ephemeral
	}
	if n := len(b.System); n > 0 {
		b.System[n-1].Cache = ephemeral
	}
	left := 2
	for i := len(b.Messages) - 1; i >= 0 && left > 0; i-- {
		m := &b.Messages[i]
		if m.Role != roleUser {
			continue
		}
		left--
		switch last := m.Content[len(m.Content)-1].(type) {
		case *textBlock:
			last.Cache = ephemeral
		case *mediaBlock:
			last.Cache = ephemeral
		case *resultBlock:
			last.Cache = ephemeral
		}
	}
}
