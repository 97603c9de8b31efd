package tools

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMisfit(t *testing.T) {
	t.Parallel()
	r, err := New([]*scenario.Tool{
		{Meta: scenario.Meta{ID: "pay"}, InputSchema: json.RawMessage(`{"type": "object", "additionalProperties": true,
			"properties": {"card": {"type": "string"}, "n": {"type": "integer"}, "sum": {"type": "number", "minimum": 1},
			"sure": {"type": "boolean"}, "in": {"enum": ["EUR", "GBP", 5]}, "only": {"const": "x"}, "any": {},
			"way": {"anyOf": [{"type": "string"}]}, "note": {"type": ["string", "null"]},
			"list": {"type": "array", "items": {"type": "integer"}},
			"to": {"type": "object", "properties": {"zip": {"type": "integer"}}}}}`)},
		{Meta: scenario.Meta{ID: "open"}, InputSchema: json.RawMessage(
			`{"type": "object", "properties": {"n": {"type": "integer"}}, "anyOf": [{"required": ["n"]}]}`)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ tool, argument, value, want string }{
		{"pay", "card", `"4111"`, ""},
		{"pay", "card", `4111`, ""}, // 4111 equals "4111"
		{"pay", "card", `null`, ""},
		{"pay", "card", `{"a": 1}`, `must be string, and not {"a":1}`},
		{"pay", "card", `["4111"]`, `must be string`},
		{"pay", "n", `"5"`, ""},
		{"pay", "n", `5.0`, ""},
		{"pay", "n", `1e400`, ""},
		{"pay", "n", `5.5`, "must be integer, and not 5.5"},
		{"pay", "n", `"many"`, `must be integer, and not "many"`},
		{"pay", "sum", `-5`, ""}, // a model may well say that
		{"pay", "sum", `true`, "must be number"},
		{"pay", "sure", `"true"`, ""},
		{"pay", "sure", `"yes"`, "must be boolean"},
		{"pay", "in", `"EUR"`, ""},
		{"pay", "in", `"eur"`, `must be "EUR" or "GBP" or 5, and not "eur"`}, // calls of eur are repaired to EUR
		{"pay", "in", `"5"`, ""},
		{"pay", "in", `"USD"`, `must be "EUR" or "GBP" or 5, and not "USD"`},
		{"pay", "only", `"y"`, `must be "x"`},
		{"pay", "any", `{"a": 1}`, ""},
		{"pay", "way", `5`, ""},
		{"pay", "note", `[1]`, "must be string or null"},
		{"pay", "list", `[1, "2"]`, ""},
		{"pay", "list", `[1, "two"]`, `item 2 must be integer`},
		{"pay", "list", `1`, "must be array"},
		{"pay", "to", `{"zip": "1010", "city": "Wien"}`, ""},
		{"pay", "to", `{"zip": "Wien"}`, "zip must be integer"},
		{"pay", "other", `{"a": 1}`, ""},
		{"open", "n", `"many"`, ""},
		{"gone", "n", `"many"`, ""},
	} {
		v, err := chat.DecodeJSON([]byte(tc.value))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Misfit(tc.tool, tc.argument, v)
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s %s=%s: %q, want %q", tc.tool, tc.argument, tc.value, got, tc.want)
		}
	}
	if got := r.Refuses("pay", "in", "eur"); got != "" { // a step of a composition is repaired
		t.Errorf("eur: %q", got)
	}
	for _, tc := range []struct {
		argument, pattern string
		matched           bool
	}{
		{"in", "^E", true}, {"in", "^U", false}, {"in", "5", true}, {"sure", "^tr", true}, {"sure", "yes", false},
		{"card", "x", true}, {"n", "x", true}, {"other", "x", true},
	} {
		if got := r.Unmatched("pay", tc.argument, regexp.MustCompile(tc.pattern)); (got == "") != tc.matched {
			t.Errorf("%s =~ %s: %q", tc.argument, tc.pattern, got)
		}
	}
}
