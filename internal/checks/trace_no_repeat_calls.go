package checks

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var noRepeatCallsDef = plain[noRepeatCalls](Def{
	Name:     "no_repeat_calls",
	Summary:  "In the whole conversation no tool is called twice with the same arguments; 1 and \"1\" are not the same.",
	Scoring:  "0 when a call is repeated, else 1.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsCalls,
	Weighs:   CallArgs,
	Reads:    ReadsArgs,
	Clean:    Bans,
})

type noRepeatCalls struct{}

func (*noRepeatCalls) Eval(_ context.Context, s *Subject) (Finding, error) {
	seen := map[string][]int{} // what is called → the numbers of its calls
	var order []string
	for i := range s.Calls {
		key := callKey(&s.Calls[i])
		if seen[key] == nil {
			order = append(order, key)
		}
		seen[key] = append(seen[key], i)
	}
	repeated := []Details{}
	var texts []string
	for _, key := range order {
		at := seen[key]
		if len(at) < 2 {
			continue
		}
		call := &s.Calls[at[0]]
		repeated = append(repeated, Details{"tool": call.Name, "args": say.Kept(call.Args), "calls": at})
		texts = append(texts, say.Named(call.Name)+" was called "+say.Times(len(at))+" with "+givenArgs(call))
	}
	f := Finding{Score: 1, Explanation: plural.Count(len(s.Calls), "call") + ", none repeated"}
	if len(repeated) > 0 {
		f.Score, f.Explanation = 0, say.Listed(texts, "; ")
	}
	f.Details = Details{"repeated": repeated, "total_calls": len(s.Calls)}
	return f, nil
}

func givenArgs(c *Call) string {
	switch {
	case c.BadArgs != "":
		return say.Quote(c.BadArgs)
	case len(c.Args) == 0:
		return "no arguments"
	}
	return say.Shown(c.Args)
}

// callKey is equal for equal calls: of the same tool, with arguments that are equal as JSON.
func callKey(c *Call) string {
	key := strconv.AppendQuote(nil, c.Name)
	if c.BadArgs != "" {
		return string(strconv.AppendQuote(key, c.BadArgs))
	}
	return string(appendCanonical(key, c.Args))
}

// appendCanonical writes a JSON value so that equal ones are equal text: keys sorted, numbers in their shortest form.
func appendCanonical(b []byte, v any) []byte {
	switch x := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for _, key := range slices.Sorted(maps.Keys(x)) {
			b = append(strconv.AppendQuote(b, key), ':')
			b = append(appendCanonical(b, x[key]), ',')
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, item := range x {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case string:
		return strconv.AppendQuote(b, x)
	}
	if text, ok := jsonvalue.NumberText(v); ok {
		return append(b, text...)
	}
	if text, err := json.Marshal(v); err == nil {
		return append(b, text...)
	}
	return append(b, "null"...)
}
