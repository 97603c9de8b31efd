package scenario

import (
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Gemini has the call parameters of Gemini's API only.
type Gemini struct {
	ThinkingBudget  *int // tokens; 0: it does not think, -1: the model decides, nil: the API does
	IncludeThoughts bool
	Modalities      []string // of replies
	Safety          []SafetySetting
}

// SafetySetting is a threshold from which the API blocks a category of harm.
type SafetySetting struct {
	Category  string `json:"category"`
	Threshold string `json:"threshold"`
}

var (
	thinkingBudget = keys.Number{Low: -1, High: math.MaxInt32, Integer: true}
	modalities     = words("TEXT", "IMAGE", "AUDIO")
	geminiEfforts  = []string{"minimal", "low", "medium", "high"}
)

var safetyFields = table("a safety setting", func() rows[SafetySetting] {
	return rows[SafetySetting]{
		word("category", words("HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH", "HARM_CATEGORY_SEXUALLY_EXPLICIT",
			"HARM_CATEGORY_DANGEROUS_CONTENT", "HARM_CATEGORY_CIVIC_INTEGRITY", "HARM_CATEGORY_JAILBREAK"),
			func(s *SafetySetting) *string { return &s.Category }).must().doc("The kind of harm."),
		word("threshold", words("OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"),
			func(s *SafetySetting) *string { return &s.Threshold }).must().doc("From which level on the API blocks."),
	}
})

// GeminiParts are the parts of a request to Gemini's API that arena sets and extra_body cannot.
func GeminiParts() []string {
	return []string{
		"contents", "systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config", "safetySettings",
		"safety_settings", "generation_config",
	}
}

// geminiNames are parameters of generationConfig that have keys of their own in files.
var geminiNames = map[string]string{
	"temperature": "defaults.temperature", "topP": "defaults.top_p", "topK": "top_k under parameters of the prompt",
	"maxOutputTokens": "defaults.max_tokens", "stopSequences": "defaults.stop",
	"seed":             "seed under defaults of the config",
	"responseMimeType": "defaults.response_format", "responseJsonSchema": "defaults.response_format",
	"responseSchema": "defaults.response_format", "responseModalities": "additional_config.response_modalities",
	"thinkingConfig": "additional_config.thinking_budget", "candidateCount": "",
	"frequencyPenalty": "frequency_penalty under parameters of the prompt",
	"presencePenalty":  "presence_penalty under parameters of the prompt",
}

// gemini checks the rules of the vendor's API.
func (d *decoder) gemini(p *providerFile) {
	c := &p.calls
	effort := c.seen["reasoning_effort"]
	if c.ReasoningEffort != "" && !slices.Contains(geminiEfforts, c.ReasoningEffort) {
		found := d.Errorf(effort, "wrong-value", "reasoning_effort cannot be %s with type gemini",
			c.ReasoningEffort)
		if found.Hint = "write minimal, low, medium or high, or leave it out"; c.ReasoningEffort == "none" {
			found.Hint = "write thinking_budget: 0 under additional_config"
		}
	}
	budget := node.Get(p.config, "thinking_budget")
	switch {
	case c.Gemini.ThinkingBudget == nil:
	case c.ReasoningEffort != "":
		d.Errorf(budget, "conflicting-fields", "thinking_budget and reasoning_effort on line %d set the same thing",
			effort.Line).Hint = "remove one of them; newer models know reasoning_effort"
	case c.MaxTokens != nil && *c.MaxTokens <= *c.Gemini.ThinkingBudget:
		d.Errorf(budget, "out-of-range", "thinking_budget %d must be below max_tokens %d, of which it is a part",
			*c.Gemini.ThinkingBudget, *c.MaxTokens).Hint = "raise max_tokens, or lower thinking_budget"
	}
	if c.ParallelToolCalls != nil {
		d.Warnf(c.seen["parallel_tool_calls"], NoEffect,
			"parallel_tool_calls has no effect with type gemini: its API takes none")
	}
	d.safety(node.Get(p.config, "safety_settings"))
	d.geminiBody(node.Get(p.config, "extra_body"))
}

// safety refuses a repeated category, as the API does.
func (d *decoder) safety(list *node.Node) {
	if list == nil || list.Kind != node.List {
		return
	}
	lines := map[string]int{}
	for _, item := range list.Content {
		at := node.Get(item, "category")
		if at == nil {
			continue
		}
		if line := lines[at.Value]; line > 0 {
			d.Errorf(at, "duplicate-key", "%s is already set on line %d", at.Value, line).Hint = "remove one of them"
			continue
		}
		lines[at.Value] = at.Line
	}
}

// geminiBody refuses parts that extra_body cannot set.
func (d *decoder) geminiBody(body *node.Node) {
	if body == nil || body.Kind != node.Map {
		return
	}
	for i := 0; i+1 < len(body.Content); i += 2 {
		k, value := body.Content[i], body.Content[i+1]
		if slices.Contains(GeminiParts(), k.Value) && !slices.Contains(notBody, k.Value) {
			d.Errorf(k, "reserved-field", "extra_body cannot set %s: arena does", k.Value)
		}
		if k.Value != "generationConfig" {
			continue
		}
		d.Each(value, k.Value, func(key string, k, _ *node.Node) {
			place, known := geminiNames[key]
			switch {
			case known && place == "":
				d.Errorf(k, "reserved-field", "extra_body cannot set %s: arena does", key)
			case known:
				d.Errorf(k, "misplaced-field", "%s has a place of its own", key).Hint = "write " + place
			}
		})
	}
}

// Thoughts is the part of the maximum output that is for thoughts; 0: not set.
func (p *Provider) Thoughts() int {
	if b := p.Gemini.ThinkingBudget; b != nil {
		return max(*b, 0)
	}
	return p.ThinkingBudget
}
