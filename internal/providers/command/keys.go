package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/process"
)

// messageKeys are the keys of the messages that a program writes, beside type. A log may have others.
var messageKeys = map[string][]string{
	"delta":       {"text"},
	"tool_call":   {"id", "name", "args"},
	"tool_result": {"id", "result", "error"},
	"usage":       {"input_tokens", "output_tokens", "cost_usd"},
	"reply":       {"text", "parts", "finish_reason"},
	"error":       {"text"},
}

// otherWords are words of other protocols for these keys.
var otherWords = map[string]string{
	"arguments": "args", "input": "args", "parameters": "args", "content": "text", "message": "text", "output": "result",
	"err": "error", "cost": "cost_usd", "tool": "name", "tool_name": "name", "call_id": "id", "tool_call_id": "id",
	"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "stop_reason": "finish_reason",
}

// misspelt reports unknown keys of a message, whose values would be ignored.
func misspelt(kind string, fields map[string]json.RawMessage, line []byte) error {
	known, checked := messageKeys[kind]
	if !checked {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "type" || slices.Contains(known, key) {
			continue
		}
		hint := "expected " + strings.Join(known, ", ")
		if meant := nearestKey(key, known); meant != "" {
			hint = fmt.Sprintf("did you mean %s?", meant)
		}
		return fmt.Errorf("its %s has the unknown key %q (%s): %s", kind, key, hint, process.Excerpt(line))
	}
	return nil
}

// nearestKey is the nearest known key; "": none is similar.
func nearestKey(key string, known []string) string {
	if word := otherWords[strings.ToLower(key)]; slices.Contains(known, word) {
		return word
	}
	for _, name := range known {
		if jsonvalue.FoldKey(name) == jsonvalue.FoldKey(key) {
			return name
		}
	}
	return diag.Nearest(key, known)
}

// nearlyMessage reports a message whose type is under another key.
func nearlyMessage(fields map[string]json.RawMessage, line []byte) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		var word string
		if json.Unmarshal(fields[key], &word) != nil || messageKeys[word] == nil {
			continue
		}
		if strings.EqualFold(key, "type") || slices.Contains([]string{"event", "kind"}, strings.ToLower(key)) {
			return fmt.Errorf("it wrote a message with %q in place of \"type\": %s", key, process.Excerpt(line))
		}
	}
	return nil
}

// withinLine finds a message within a line: after the text of a logger, in a list, or as a part of JSON over several
// lines.
var withinLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[{,])\s*["']type["']\s*:\s*["'](delta|tool_call|tool_result|usage|reply)["']`)
})

// hiddenMessage reports a line that contains a message and would be ignored.
func hiddenMessage(line []byte) error {
	found := withinLine().FindSubmatch(bytes.ReplaceAll(line, []byte(`\`), nil))
	if found == nil {
		return nil
	}
	return fmt.Errorf("it wrote a %s within other text: a message is a line of JSON by itself, and logs go to stderr: %s",
		found[1], process.Excerpt(line))
}

// isNull reports whether a value is left out or null.
func isNull(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) == 0 || string(v) == "null"
}

// isObject reports whether a value is an object.
func isObject(v json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(v), []byte("{")) }
