package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var toolArgsDef = define[toolArgsParams](Def{
	Name:         "tool_args",
	SessionNames: []string{"tool_args_session"},
	Summary:      "Some call of a tool has all the expected arguments; further arguments do not matter.",
	Scoring:      "1 when some call of the tool has all the pairs, else 0; pairs of two calls are not put together.",
	Family:       FamilyTools,
	Surfaces:     OnAssertion | OnEval,
	Needs:        NeedsCalls,
	Weighs:       CallArgs,
	Reads:        ReadsArgs,
})

type toolArgsParams struct {
	ToolName     string              `param:"tool_name,required" is:"tool" doc:"The tool."`
	ExpectedArgs map[string]anyValue `param:"expected_args,required" keys:"argument" of:"tool_name" doc:"42 equals \"42\"; null is a value."`
}

func (p toolArgsParams) Build(b *binder) Check {
	b.warnTurnedValues("expected_args")
	if len(p.ExpectedArgs) == 0 {
		b.errorf("expected_args", "empty-value", "expected_args is empty, so any call passes").Hint =
			"to ask only that the tool was called, use tools_called"
	}
	return &toolArgs{callRules{tool: p.ToolName, expected: expectedArgs(p.ExpectedArgs, false)}}
}

type toolArgs struct{ callRules }

func (*toolArgs) boundsRedacted() {}

func (c *toolArgs) Eval(_ context.Context, s *Subject) (Finding, error) {
	n, last := 0, breaches{list: []Details{}}
	for i := range s.Calls {
		call := &s.Calls[i]
		if call.Name != c.tool {
			continue
		}
		n++
		last = breaches{tool: c.tool}
		if c.arguments(s.masking, call, &last); len(last.texts) == 0 {
			return Finding{
				Score: 1, Explanation: c.tool + " was called as expected" + inTurn(s, call.Turn),
				Details: Details{"tool": c.tool, "call": i, "violations": []any{}},
			}, nil
		}
	}
	f := Finding{Details: Details{"tool": c.tool, "calls": n, "violations": last.list}}
	switch n {
	case 0:
		f.Explanation = c.tool + " was not called"
		f.Details["called_tools"] = callNames(s.Calls)
	case 1:
		f.Explanation = c.tool + ": " + say.Listed(last.texts, "; ")
	default:
		f.Explanation = "none of the " + plural.Count(n, "call") + " of " + c.tool + " fits; in the last one " +
			say.Listed(last.texts, "; ")
	}
	return f, nil
}
