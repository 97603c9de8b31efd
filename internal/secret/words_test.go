package secret

import "testing"

// TestIsWords distinguishes names by people from generated values.
func TestIsWords(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"customer", "shipping", "refund", "lm-studio", "eu-west-1", "acme-2024", "customerService", "SHOP", "gpt-4o",
		"get_order", "scenarios/refunds.v2", "PromptArena",
	} {
		if !IsWords(name) {
			t.Errorf("%q is no name", name)
		}
	}
	for _, value := range []string{
		"hunter2hunter2", "sk-abc123456789", "12345678", "20251123", "aBcDeFgHiJkL", "deadbeef0123", "p@ssword", "", "1-2",
		"qwertyuiopasdfghjklzxcvbnm", "AKIAIOSFODNN7EXAMPLE", "größer",
	} {
		if IsWords(value) {
			t.Errorf("%q is a name", value)
		}
	}
}
