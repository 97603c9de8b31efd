package gemini

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// body is a request on the wire.
type body struct {
	Contents   []content                `json:"contents"`
	System     *system                  `json:"systemInstruction,omitempty"`
	Tools      []toolBox                `json:"tools,omitempty"`
	ToolConfig *toolConfig              `json:"toolConfig,omitempty"`
	Generation any                      `json:"generationConfig,omitempty"`
	Safety     []scenario.SafetySetting `json:"safetySettings,omitempty"`
}

type system struct {
	Parts []*textPart `json:"parts"`
}

type toolBox struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type toolConfig struct {
	Calling calling `json:"functionCallingConfig"`
}

type calling struct {
	Mode  string   `json:"mode"`
	Names []string `json:"allowedFunctionNames,omitempty"`
}

type generation struct {
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"topP,omitempty"`
	TopK        any             `json:"topK,omitempty"`
	Frequency   any             `json:"frequencyPenalty,omitempty"`
	Presence    any             `json:"presencePenalty,omitempty"`
	MaxTokens   *int            `json:"maxOutputTokens,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Stop        []string        `json:"stopSequences,omitempty"`
	MIMEType    string          `json:"responseMimeType,omitempty"`
	Schema      json.RawMessage `json:"responseJsonSchema,omitempty"`
	Modalities  []string        `json:"responseModalities,omitempty"`
	Thinking    *thinking       `json:"thinkingConfig,omitempty"`
}

// thinking is how much the model thinks. A budget of 0 is none, one of -1 the model's own choice.
type thinking struct {
	Budget  *int   `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
	Include bool   `json:"includeThoughts,omitempty"`
}

// Encode writes a request.
func (c *codec) Encode(req *chat.Request) ([]byte, error) {
	b := body{Safety: c.tuning.Safety}
	var err error
	if b.System, b.Contents, err = c.transcript(req.Messages); err != nil {
		return nil, err
	}
	if len(req.Tools) > 0 && !c.drops("tools") {
		b.Tools = []toolBox{{functions(req.Tools)}}
		if !c.drops("tool_choice") {
			b.ToolConfig = choice(req.ToolChoice)
		}
	}
	if b.Generation, err = c.generation(req); err != nil {
		return nil, err
	}
	data, err := wire.JSON(&b)
	if err != nil {
		return nil, err
	}
	return wire.Merge(data, req.Extra, c.keeps)
}

// generation is how the reply is to be written, in the words of the provider's file too; nil: the API decides.
func (c *codec) generation(req *chat.Request) (any, error) {
	g := &generation{
		Temperature: unless(c.drops("temperature"), req.Temperature), TopP: unless(c.drops("top_p"), req.TopP),
		MaxTokens: unless(c.drops("max_tokens"), req.MaxTokens), Seed: unless(c.drops("seed"), req.Seed),
		TopK: c.extra(req, "top_k"), Frequency: c.extra(req, "frequency_penalty"),
		Presence: c.extra(req, "presence_penalty"), Modalities: c.tuning.Modalities, Thinking: c.thinking(req),
	}
	if g.Seed != nil && (*g.Seed > math.MaxInt32 || *g.Seed < math.MinInt32) {
		return nil, fmt.Errorf("seed is %d; the API takes whole numbers of 32 bits", *g.Seed)
	}
	if !c.drops("stop") {
		g.Stop = req.Stop
	}
	if !c.drops("response_format") && req.ReplyFormat() != "" {
		g.MIMEType, g.Schema = "application/json", req.JSONSchema
	}
	more, _ := req.Extra["generationConfig"].(jsonvalue.Object)
	switch {
	case len(more) > 0:
		data, err := wire.JSON(g)
		if err == nil {
			data, err = wire.Merge(data, more, func(string) bool { return false })
		}
		return json.RawMessage(data), err
	case g.isZero():
		return nil, nil
	}
	return g, nil
}

func (g *generation) isZero() bool {
	return g.Temperature == nil && g.TopP == nil && g.TopK == nil && g.Frequency == nil && g.Presence == nil &&
		g.MaxTokens == nil && g.Seed == nil && len(g.Stop) == 0 && g.MIMEType == "" && len(g.Modalities) == 0 &&
		g.Thinking == nil
}

// unless is a parameter that is not left out.
func unless[T any](dropped bool, v *T) *T {
	if dropped {
		return nil
	}
	return v
}

// extra is a parameter that the API knows by a name and a place of its own; nil: it is not set.
func (c *codec) extra(req *chat.Request, name string) any {
	if c.drops(name) {
		return nil
	}
	return req.Extra[name]
}

// thinking is nil where the API decides.
func (c *codec) thinking(req *chat.Request) *thinking {
	t := thinking{Budget: c.tuning.ThinkingBudget, Include: c.tuning.IncludeThoughts}
	if !c.drops("reasoning_effort") {
		t.Level = strings.ToUpper(req.ReasoningEffort)
	}
	if t == (thinking{}) {
		return nil
	}
	return &t
}

// moved are the parameters that are sent under another name, or in another place.
var moved = []string{"top_k", "frequency_penalty", "presence_penalty", "generationConfig"}

// keeps reports whether a parameter is not to be replaced.
func (c *codec) keeps(name string) bool {
	return slices.Contains(scenario.GeminiParts(), name) || slices.Contains(moved, name) || c.drops(name)
}

// choice says which tools the model may or must call; nil: the API's choice.
func choice(word string) *toolConfig {
	switch word {
	case "":
		return nil
	case "auto":
		return &toolConfig{calling{Mode: "AUTO"}}
	case "required":
		return &toolConfig{calling{Mode: "ANY"}}
	case "none":
		return &toolConfig{calling{Mode: "NONE"}}
	}
	return &toolConfig{calling{"ANY", []string{word}}}
}

func functions(tools []chat.Tool) []function {
	out := make([]function, len(tools))
	for i := range tools {
		out[i] = function{tools[i].Name, tools[i].Description, tools[i].Schema}
	}
	return out
}
