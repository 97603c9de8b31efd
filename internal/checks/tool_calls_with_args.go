package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var toolCallsWithArgsDef = define[toolCallsWithArgsParams](Def{
	Name:     "tool_calls_with_args",
	Summary:  "A tool was called, and every call of it has the right arguments and result.",
	Scoring:  "1 when the tool was called and every call of it satisfies everything asked, else 0.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallArgs | CallResults | CallOutcomes,
})

type toolCallsWithArgsParams struct {
	ToolName string `param:"tool_name,required" is:"tool" doc:"The tool."`

	ExpectedArgs map[string]anyValue `param:"expected_args" alias:"required_args" keys:"argument" of:"tool_name" doc:"42 equals \"42\"; null: any value."`

	ArgsMatch      map[string]pattern `param:"args_match" keys:"argument" of:"tool_name" any:"given" doc:"Regular expressions that the arguments match."`
	ResultIncludes []string           `param:"result_includes" is:"text" all:"to ban each of them write a check for each" doc:"Texts in the result; case does not matter."`
	ResultMatches  pattern            `param:"result_matches" any:"idle" doc:"What the result matches."`
	NoError        bool               `param:"no_error" default:"false" doc:"The calls must not fail."`
}

func (p toolCallsWithArgsParams) Build(b *binder) Check {
	b.warnTurnedValues("expected_args")
	b.asksNothing("expected_args", p.ExpectedArgs != nil && len(p.ExpectedArgs) == 0)
	b.asksNothing("args_match", p.ArgsMatch != nil && len(p.ArgsMatch) == 0)
	return &toolCallsWithArgs{callRules{
		expected: expectedArgs(p.ExpectedArgs, true), matches: matchedArgs(p.ArgsMatch),
		includes: textPatterns(p.ResultIncludes, b.turned), result: p.ResultMatches.Regexp, noError: p.NoError,
		tool: p.ToolName,
	}}
}

type toolCallsWithArgs struct{ callRules }

func (*toolCallsWithArgs) boundsRedacted() {}

func (c *toolCallsWithArgs) looksAt(part CallParts, tool string) bool { return c.weighs(part, tool) }

func (c *toolCallsWithArgs) asksEach() (of, instead string) {
	if c.asksNothing() {
		return "", ""
	}
	instead = "within a not write tool_call_chain with this one step, which looks for one such call"
	if len(c.expected) > 0 && len(c.matches)+len(c.includes) == 0 && c.result == nil && !c.noError {
		instead = "write tool_args within a not, which looks for one such call, or tool_args_excluded_session"
	}
	return "call of " + say.Named(c.tool), instead
}

func (c *toolCallsWithArgs) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := 0
	found := breaches{tool: c.tool, list: []Details{}}
	var wrong *Call // the first call that breaks a rule
	for i := range s.Calls {
		call := &s.Calls[i]
		if call.Name != c.tool {
			continue
		}
		n++
		if c.judge(s.masking, call, &found); wrong == nil && len(found.texts) > 0 {
			wrong = call
		}
	}
	f := Finding{Details: Details{"tool": c.tool, "calls": n, "violations": found.list}}
	if found.unsure() {
		f.doubt = behindCut(s, 0)
	}
	switch {
	case n == 0:
		f.Explanation = c.tool + " was not called"
		f.Details["called_tools"] = callNames(s.Calls)
	case wrong != nil:
		f.Explanation = c.tool + ": " + say.Listed(found.texts, "; ")
		f.Details["expected"], f.Details["actual"] = c.expectedByName(), say.Kept(wrong.Args)
	default:
		f.Score, f.Explanation = 1, c.tool+" was called "+say.Times(n)+" as expected"
	}
	return f, nil
}

// asksNothing refuses an empty map of arguments, because every call would fit.
func (b *binder) asksNothing(param string, empty bool) {
	if empty {
		b.errorf(param, "empty-value", "%s is empty, so any arguments pass", param).Hint =
			"name arguments, or take it out"
	}
}
