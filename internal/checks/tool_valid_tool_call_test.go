package checks

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a model sends as arguments is not always an object, and not always harmless.
func TestArgumentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	tools := fakeTools{
		"pay": {schema: json.RawMessage(`{"properties": {"amount": {"multipleOf": 0.01}}}`)},
		"odd": {schema: json.RawMessage(`{"type": "nothing"}`)},
	}
	for _, tc := range []struct {
		call Call
		want string
	}{
		{Call{Name: "pay"}, ""},
		{Call{Name: "pay", Args: map[string]any{"amount": json.Number("1e2")}}, ""},
		{Call{Name: "pay", BadArgs: "amount=5"}, `pay: the arguments are not a JSON object: "amount=5"`},
		{Call{Name: "pay", Args: map[string]any{"amount": json.Number("1e999999")}},
			`pay: the number "1e999999" is too large`},
		{Call{Name: "p\ny"}, `the project has no tool "p\ny"`},
		{Call{Name: "odd"}, "odd: "},
	} {
		got := invalidCall(tools, &tc.call)
		if !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%+v: %q, want %q", tc.call, got, tc.want)
		}
	}
}
