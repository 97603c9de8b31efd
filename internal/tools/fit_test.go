package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

func TestFit(t *testing.T) {
	t.Parallel()
	r, err := New([]*scenario.Tool{
		{Meta: scenario.Meta{ID: "pay"}, InputSchema: json.RawMessage(
			`{"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}`)},
		{Meta: scenario.Meta{ID: "ping"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	box := NewKit(r).Box("")
	if !r.Has("pay") || r.Has("Pay") {
		t.Error("names are not exact")
	}
	for _, tc := range []struct {
		tool, args, fits, takes string
	}{
		{"pay", `{"amount": 5}`, "", ""},
		{"pay", `{"amount": "5"}`, "amount: got string, want number", ""},
		{"pay", `{"amount": "much"}`, "amount: got string, want number", "amount: got string, want number"},
		{"pay", `{}`, "missing property 'amount'", "missing property 'amount'"},
		{"ping", `{"any": "thing"}`, "", ""},
		{"gone", `{}`, "tool not found: gone", "tool not found: gone"},
	} {
		var args map[string]any
		if err := json.Unmarshal([]byte(tc.args), &args); err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]struct {
			err  error
			want string
		}{"fits": {box.Fits(tc.tool, args), tc.fits}, "takes": {r.Takes(tc.tool, args), tc.takes}} {
			text := ""
			if got.err != nil {
				text = got.err.Error()
			}
			if (text == "") != (got.want == "") || !strings.Contains(text, got.want) {
				t.Errorf("%s %s %s: %q, want %q", tc.tool, tc.args, what, text, got.want)
			}
		}
	}
}
