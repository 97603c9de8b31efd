package checks

import (
	"strings"
	"testing"
)

// TestNamesElsewhere: every hint names a check of arena, and no name of arena is taken for a foreign one.
func TestNamesElsewhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"not_contains", "not-contains", "does_not_contain", "icontains", "icontains-any", "is-json", "schema", "exact_match",
		"matches", "llm-rubric", "g-eval", "similar", "latency", "cost", "max_words", "answer-relevance", "context-recall",
		"context-precision", "context-relevance", "groundedness", "function_call", "tool_correctness", "refusal",
	} {
		word := elsewhere(name)
		if _, ok := Lookup(word); !ok {
			t.Errorf("%s: there is no check %q", name, word)
		}
	}
	if word, _, _ := strings.Cut(elsewhere("not-regex"), ","); word != "regex" {
		t.Error(word)
	}
	for _, d := range Builtin() {
		for _, name := range d.Names() {
			if word := elsewhere(name); word != "" {
				t.Errorf("%s is taken for %s", name, word)
			}
		}
	}
}
