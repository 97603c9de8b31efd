package runner

import "testing"

// TestMisspelled distinguishes models of one family from misspelled names.
func TestMisspelled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, near string
		want        bool
	}{
		{"smal", "small", true},
		{"gpt4o", "gpt-4o", true},
		{"GPT-4o-mini", "gpt-4o-mini", true},
		{"claude-sonet-4", "claude-sonnet-4", true},
		{"claude-sonnet-4", "claude-haiku-4", false},
		{"claude-3-5-sonnet", "claude-3-7-sonnet", false},
		{"gpt-4o-mini", "gpt-4o", false},
		{"gpt-4o-mini", "gpt-4o-nano", false},
		{"anything", "", false},
	} {
		if got := misspelled(c.model, c.near); got != c.want {
			t.Errorf("%s, %s: %t", c.model, c.near, got)
		}
	}
}
