package recording

import (
	"fmt"
	"strings"
	"testing"
)

// TestAbsurdAmounts: impossible costs, times and counts are errors with a position, in every format.
func TestAbsurdAmounts(t *testing.T) {
	t.Parallel()
	trace := func(key, typed string) string {
		span := strings.TrimSuffix(testSpan("1", "", 1, "gen_ai.operation.name", "chat", inputAttr, "user: a", outputAttr, "assistant: b"), "]}")
		return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[%s,{"key":%q,"value":{%s}}]}]}]}]}`, span, key, typed)
	}
	chatLog := func(field string) string {
		return `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b",` + field + `}]}`
	}
	forms := map[string]func(n string) (text, what string){}
	for _, key := range []string{
		"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cost",
		"gen_ai.usage.completion_tokens", "arena.cost_usd",
	} {
		forms["trace "+key] = func(n string) (string, string) { return trace(key, `"doubleValue":`+n), key }
		if strings.Contains(key, "tokens") {
			forms["trace with a text "+key] = func(n string) (string, string) { return trace(key, `"stringValue":"`+n+`"`), key }
		}
	}
	for _, key := range []string{"input_tokens", "output_tokens", "cached_tokens"} {
		if key == "cached_tokens" {
			key = `output_tokens":3,"` + key
		}
		forms["usage "+key] = func(n string) (string, string) {
			return chatLog(`"usage":{"` + key + `":` + n + `}`), key[strings.LastIndex(key, `"`)+1:]
		}
	}
	for _, key := range []string{"cost_usd", "latency_ms"} {
		forms["message "+key] = func(n string) (string, string) { return chatLog(`"` + key + `":` + n), key }
	}
	for name, form := range forms {
		for _, n := range []string{"-1", "-0.5", "1e16", "1e308", "99999999999999999999"} {
			text, what := form(n)
			_, err := open([]byte(text), Options{})
			contains(t, err, what+" cannot be "+n, "recording:1:")
			if t.Failed() {
				t.Fatal(name, text)
			}
		}
		text, _ := form("7")
		if _, err := open([]byte(text), Options{}); err != nil {
			t.Error(name, err)
		}
	}
}
