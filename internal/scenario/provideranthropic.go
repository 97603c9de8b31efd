package scenario

import (
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// leastThinking is the API's minimum budget for thoughts.
const leastThinking = 1024

var anthropicEfforts = []string{"low", "medium", "high", "xhigh", "max"}

// readEffort reads the effort under the vendor's name.
func readEffort(d *decoder, c *callFile, v *node.Node) {
	if first := c.seen["reasoning_effort"]; first != nil {
		d.Errorf(v, "duplicate-field", "effort and reasoning_effort on line %d set the same thing", first.Line).
			Hint = "remove one of them"
		return
	}
	c.seen["reasoning_effort"] = v
	c.ReasoningEffort, _ = d.OneOf(v, "effort", anthropicEfforts...)
}

// anthropic checks the rules of the vendor's API.
func (d *decoder) anthropic(p *providerFile) {
	c := &p.calls
	if at := c.seen["reasoning_effort"]; c.ReasoningEffort != "" && !slices.Contains(anthropicEfforts, c.ReasoningEffort) {
		d.Errorf(at, "wrong-value", "reasoning_effort cannot be %s with type anthropic", c.ReasoningEffort).
			Hint = "write low, medium, high, xhigh or max, or leave it out"
	}
	if at := c.seen["temperature"]; c.Temperature != nil && *c.Temperature > 1 {
		d.Errorf(at, "out-of-range", "temperature must be between 0 and 1 with type anthropic, found %s", at.Value)
	}
	budget := c.ThinkingBudget
	at := node.Get(p.config, "thinking_budget")
	switch {
	case budget == 0:
	case budget < leastThinking:
		d.Errorf(at, "out-of-range", "thinking_budget must be %d tokens or more, found %d", leastThinking, budget).
			Hint = "leave it out for a model that does not think"
	case c.MaxTokens != nil && *c.MaxTokens <= budget:
		d.Errorf(at, "out-of-range", "thinking_budget %d must be below max_tokens %d, of which it is a part",
			budget, *c.MaxTokens).Hint = "raise max_tokens, or lower thinking_budget"
	}
}
