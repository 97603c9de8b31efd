package providers

import (
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

func TestAnother(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, served string
		want          bool
	}{
		{"gpt-4o", "gpt-4o", false},
		{"gpt-4o", "gpt-4o-2024-08-06", false},
		{"gpt-4o", "gpt-4o-mini", true},
		{"gpt-4o", "gpt-4o-mini-2024-07-18", true},
		{"gpt-4o-2024-05-13", "gpt-4o-2024-08-06", true},
		{"gpt-4o-2024-08-06", "gpt-4o", false},
		{"gpt-4", "gpt-4-0613", false},
		{"gpt-4", "gpt-4.1", true},
		{"gpt-4", "gpt-4-32k", true},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", false},
		{"claude-3-5-sonnet", "claude-3-7-sonnet-20250219", true},
		{"claude-sonnet-4", "claude-sonnet-4-5-20250929", true},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", false},
		{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022", false},
		{"claude-3-5-sonnet@20240620", "claude-3-5-sonnet-20240620", false},
		{"models/gemini-2.5-flash", "gemini-2.5-flash", false},
		{"gemini-2.5-flash", "gemini-2.5-flash-lite", true},
		{"gemini-2.5-pro-preview", "gemini-2.5-pro-preview-05-06", false},
		{"gemini-1.5-pro", "gemini-1.5-pro-002", false},
		{"openai/gpt-4o", "gpt-4o-2024-11-20", false},
		{"openrouter/auto", "anthropic/claude-sonnet-4.5", true},
		{"llama3.2", "llama3.2:latest", false},
		{"llama3.2", "llama3.1", true},
		{"Meta-Llama-3-8B-Instruct", "meta-llama/meta-llama-3-8b-instruct", false},
		{"ft:gpt-4o-mini-2024-07-18:acme::abc", "ft:gpt-4o-mini-2024-07-18:acme::abc", false},
		{"ft:gpt-4o-mini-2024-07-18:acme::abc", "gpt-4o-mini-2024-07-18", true},
		{"gpt-4o", "", false},
		{"", "gpt-4o", false},
	} {
		if got := Another(&scenario.Provider{Type: "openai", Model: c.asked}, c.served); got != c.want {
			t.Errorf("%q answered by %q: got %v, want %v", c.asked, c.served, got, c.want)
		}
	}
	for _, spec := range []scenario.Provider{
		{Type: "azure", Model: "our-deployment"},
		{Type: "openai", Model: "our-deployment", Platform: &scenario.Platform{Type: "azure"}},
		{Type: "mock", Model: "gpt-4o"},
	} {
		if Another(&spec, "gpt-4o-mini") {
			t.Errorf("%s: a name that is none of a model is told from one", spec.Type)
		}
	}
}
