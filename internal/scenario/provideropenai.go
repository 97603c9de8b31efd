package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// Responses reports whether the provider uses OpenAI's Responses API: if its file says so, and for OpenAI models
// without any other API.
func (p *Provider) Responses() bool {
	switch {
	case p.APIMode != "":
		return p.APIMode == "responses"
	case p.Type != "openai" || p.BaseURL != "":
		return false
	}
	return strings.HasSuffix(p.Model, "-pro")
}

// openai checks the differences between the vendor's two APIs.
func (d *decoder) openai(p *providerFile) {
	if p.Responses() {
		if at := p.calls.seen["stop"]; at != nil {
			d.Errorf(at, "conflicting-fields", "the Responses API does not take stop").
				Hint = "take it out, or write api_mode: completions"
		}
		return
	}
	if at := node.Get(p.config, "reasoning_summary"); p.ReasoningSummary != "" {
		d.Warnf(at, NoEffect, "reasoning_summary has no effect without api_mode: responses")
	}
}
