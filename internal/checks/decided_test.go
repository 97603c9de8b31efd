package checks

import (
	"context"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// TestEachDecisive: only the parts whose outcome matters decide a verdict.
func TestEachDecisive(t *testing.T) {
	t.Parallel()
	const (
		stop    = `{type: finish_reason, params: {reasons: [stop]}}`
		length  = `{type: finish_reason, params: {reasons: [length]}}`
		once    = `{type: contains, params: {patterns: [Once]}}`
		never   = `{type: contains, params: {patterns: [never]}}`
		skipped = `{type: finish_reason, params: {reasons: [stop]}, when: {min_tool_calls: 3}}`
	)
	of := func(name string, parts ...string) string {
		return "{type: " + name + ", params: {checks: [" + strings.Join(parts, ", ") + "]}}"
	}
	not := func(part string) string { return "{type: not, params: {check: " + part + "}}" }
	for written, want := range map[string]bool{
		stop: true, length: true, once: false,
		not(stop): true, not(length): true,
		of("any_of", stop, once): false, of("any_of", stop, never): true, of("any_of", length, once): true,
		of("any_of", skipped, once): false,
		of("all_of", length, once):  true, of("all_of", stop, never): true, of("all_of", skipped, once): false,
		of("all_of", once, of("any_of", stop, once)): false,
		not(of("any_of", stop, never)):               true, not(of("all_of", stop, once)): true,
		of("weighted", length, once): true,
	} {
		var d diag.List
		c := new(Compiler).Compile(checkOf(t, written), &d)
		if c == nil {
			t.Fatalf("%s: %v", written, d.Sorted())
		}
		s := &Subject{Messages: []chat.Message{
			{Role: chat.User, Content: "Tell"}, {Role: chat.Assistant, Content: "Once upon", FinishReason: "length"},
		}}
		v := c.Judge(context.Background(), s)
		if v.Status == result.Errored {
			t.Fatalf("%s: %s", written, v.Error)
		}
		got := false
		c.EachDecisive(&v, func(part *Compiled) { got = got || part.AskedWhyEnded(s) == 1 })
		if got != want {
			t.Errorf("%s, which %s: %t", written, v.Status, got)
		}
	}
}
