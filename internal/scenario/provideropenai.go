package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// Responses reports whether the provider is called by OpenAI's Responses API: where its file says so, and for those of
// OpenAI's own models that know no other.
func (p *Provider) Responses() bool {
	switch {
	case p.APIMode != "":
		return p.APIMode == "responses"
	case p.Type != "openai" || p.BaseURL != "":
		return false
	}
	return strings.HasSuffix(p.Model, "-pro")
}

// openai checks what its two APIs do not have in common.
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
