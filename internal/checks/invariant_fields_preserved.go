package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var invariantFieldsPreservedDef = plain[invariantFieldsPreserved](Def{
	Name: "invariant_fields_preserved",
	Summary: "An argument that a tool was once called with is there in its later calls too, whatever its value; the " +
		"score is the share of the fields that were kept.",
	Scoring:  "Fields kept / fields; 1 with fewer than two calls.",
	Family:   FamilyMeta,
	Surfaces: OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallArgs,
	Reads:    ReadsNothing,
})

type invariantFieldsPreserved struct {
	Tool   string   `param:"tool,required" is:"tool" doc:"The tool."`
	Fields []string `param:"fields,required" is:"argument" of:"tool" doc:"Names of its arguments."`
}

func (c *invariantFieldsPreserved) Eval(_ context.Context, s *Subject) (Finding, error) {
	violations := []Details{}
	var texts []string
	for _, field := range c.Fields {
		if n, turn := c.lost(s.Calls, field); n > 0 {
			violations = append(violations, Details{"field": field, "call_index": n - 1})
			texts = append(texts, fmt.Sprintf("%s is missing in call %d%s", field, n, inTurn(s, turn)))
		}
	}
	n := 0
	for i := range s.Calls {
		if s.Calls[i].Name == c.Tool {
			n++
		}
	}
	f := Finding{
		Score:       textmeasure.Share(len(c.Fields)-len(violations), len(c.Fields)),
		Explanation: c.Tool + ": " + say.Listed(texts, "; "),
		Details:     Details{"tool": c.Tool, "calls": n, "violations": violations},
	}
	if len(violations) == 0 {
		f.Explanation = c.Tool + " was called " + say.Times(n) + ", nothing was lost on the way"
	}
	return f, nil
}

// lost returns the number, from 1, of the tool's first call that lacks a field of an earlier call, and its turn; 0 when
// no call does.
func (c *invariantFieldsPreserved) lost(calls []Call, field string) (number, turn int) {
	n, had := 0, false
	for i := range calls {
		call := &calls[i]
		if call.Name != c.Tool {
			continue
		}
		n++
		_, has := call.Args[field]
		if had && !has {
			return n, call.Turn
		}
		had = had || has
	}
	return 0, 0
}
