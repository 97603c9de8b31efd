package keys_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// What to write in the place of a value of the wrong form is made of the value.
func TestInstead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		shape      keys.Shape
		value, say string
	}{
		{keys.Text{}, "[How long, please]", `write it: "How long, please"`},
		{keys.Text{}, "{name}", `write it: "{name}"`},
		{keys.Text{}, "{text: hello}", "write it: hello"},
		{keys.Text{}, "[a, b]", "write it: …, one text"},
		{keys.Text{}, "", "write it: …"},
		{keys.Text{}, "fine", ""},
		{keys.Bool{}, "maybe", "write it: true or it: false"},
		{keys.Span{}, "500", "write it: 500s for seconds, or 500ms for thousandths"},
		{keys.Span{}, "soon", "write it: 30s"},
		{keys.Number{Low: 0, High: 1}, "high", "write it: …, a number"},
		{keys.Number{Low: 0, High: 1}, "null", "write it: 0.5"},
		{keys.Number{Low: 0, High: 1}, "80%", "write it: 0.8"},
		{keys.Number{Low: 0, High: 9}, "80%", "write it: …, a number"},
		{keys.Number{Low: 1, High: 9, Integer: true}, "three", "write it: 3"},
		{keys.Number{Low: 1, High: 9, Integer: true}, "[4]", "write it: 4"},
		{keys.Words{"user", "other"}, "[user]", "write it: user"},
		{keys.List{Item: keys.Bool{}}, "true", "write it: [true]"},
		{keys.List{Item: keys.Text{}}, "[]", "write it: […]"},
		{keys.List{Item: keys.Text{}}, "null", "write it: […]"},
		{keys.Map{Value: keys.Any{}}, "[order_id, A-1001]", "write it: {order_id: A-1001}"},
		{keys.Map{Value: keys.Any{}}, "[{a: b}]", "write it: {a: b}"},
		{keys.Map{Value: keys.Text{}}, "text", "write it: {NAME: …}"},
		{keys.Own{Words: "regular expression"}, "[a]", "write it: …, a regular expression"},
		{keys.Own{Words: "HTTP method"}, "[a]", "write it: …, an HTTP method"},
	} {
		r := &node.Reader{File: "a.yaml", Diags: &diag.List{}}
		root := node.Parse(r, []byte("it: "+tc.value+"\n"))
		if got := keys.Instead("it", tc.shape, node.Get(root[0], "it")); got != tc.say {
			t.Errorf("%s for %s: %q, want %q", tc.value, tc.shape.Label(), got, tc.say)
		}
	}
}

// A number that is written with its unit is turned into that of the key.
func TestInsteadOfUnits(t *testing.T) {
	t.Parallel()
	decimal, whole := keys.Number{High: 1e9}, keys.Number{High: 1e9, Integer: true}
	for _, tc := range []struct {
		name  string
		shape keys.Number
		value string
		want  string
	}{
		{"max_ms", whole, "2s", "2000"}, {"max_ms", whole, "1.5 s", "1500"}, {"max_seconds", decimal, "500ms", "0.5"},
		{"max_seconds", decimal, "2m", "120"}, {"max_cost_usd", decimal, "5ct", "0.05"}, {"max_cost_usd", decimal, "$0.20", "0.2"},
		{"max_cost_usd", decimal, "3 USD", "3"}, {"max_turns", whole, "2s", "…, a number"}, {"max_turns", whole, "$3", "…, a number"},
		{"max_ms", whole, "0.1ms", "…, a number"},
	} {
		found := &node.Node{Kind: node.Scalar, Tag: "!!str", Value: tc.value}
		if got := keys.Instead(tc.name, tc.shape, found); got != "write "+tc.name+": "+tc.want {
			t.Errorf("%s: %s: %q, want %s", tc.name, tc.value, got, tc.want)
		}
	}
}
