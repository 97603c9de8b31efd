package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestArgumentsThatDoNotFit: arguments of a model are not always an object, and not always harmless.
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
		got, err := invalidCall(tools, &tc.call)
		if err != nil || !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%+v: %q, want %q", tc.call, got, tc.want)
		}
	}
}

// unsureTools are tools of which one has an unreadable schema.
type unsureTools struct{ fakeTools }

func (u unsureTools) Fits(call *Call) error {
	if call.Name == "odd" {
		return fmt.Errorf("%w: the schema of odd cannot be compiled", ErrUnchecked)
	}
	return u.fakeTools.Fits(call)
}

// TestCallsThatCannotBeJudged: if it is unknown whether a call fits, the check is an error unless other calls decide.
func TestCallsThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	tools := unsureTools{fakeTools{"odd": {}, "pay": {schema: json.RawMessage(`{"required": ["amount"]}`)}}}
	odd, bad, good := Call{Name: "odd"}, Call{Name: "pay"}, Call{Name: "pay", Args: map[string]any{"amount": 1}}
	for _, tc := range []struct {
		name     string
		calls    []Call
		low, top *float64
		want     result.Status
	}{
		{"it alone", []Call{odd}, nil, nil, result.Errored},
		{"beside a good one", []Call{good, odd}, nil, nil, result.Errored},
		{"beside a bad one", []Call{bad, odd}, nil, nil, result.Failed},
		{"enough good ones", []Call{good, odd}, new(0.5), nil, result.Passed},
		{"not enough whatever it is", []Call{bad, bad, odd}, new(0.5), nil, result.Failed},
		{"turned round", []Call{odd}, nil, new(0.0), result.Errored},
		{"turned round, with a good one", []Call{good, odd}, nil, new(0.0), result.Failed},
	} {
		c := &Compiled{
			Spelling: &Spelling{Def: validToolCallDef, Type: "valid_tool_call"}, Check: &validToolCall{},
			Terms: &Terms{MinScore: tc.low, MaxScore: tc.top},
		}
		s := replied("x")
		s.Tools, s.Calls = tools, tc.calls
		v := c.Judge(t.Context(), s)
		if v.Status != tc.want || v.Status == result.Errored && !strings.Contains(v.Error, "the schema of odd cannot") {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
}
