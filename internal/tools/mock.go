package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// compileMock returns the function of a mock tool: its result is parts, a template over the arguments, or a fixed
// value.
func compileMock(spec *scenario.Tool) (func(context.Context, map[string]any) (chat.ToolResult, error), error) {
	if spec.MockTemplate != "" {
		t, err := parseMock(spec.ID, spec.MockTemplate)
		if err != nil {
			return nil, fmt.Errorf("mock_template: %w", err)
		}
		return (&mockTemplate{t, spec.Timeout}).answer, nil
	}
	fixed := chat.ToolResult{Parts: spec.MockParts}
	switch {
	case len(spec.MockParts) > 0:
		fixed.Content = partsText(spec.MockParts)
	case spec.MockResult != nil:
		fixed.Content = Present(spec.MockResult)
	default:
		fixed.Content = Present([]byte(`{"result":"mock result of ` + spec.ID + `"}`))
	}
	return func(context.Context, map[string]any) (chat.ToolResult, error) { return fixed, nil }, nil
}

func partsText(parts []chat.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Present formats a JSON result for the model: a string as its text, objects and lists indented by two spaces.
func Present(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return text
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

// plain turns json.Number into int or float64, so that templates can compare and print arguments.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	}
	return v
}
