package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var toolCallChainDef = define[toolCallChainParams](Def{
	Name: "tool_call_chain",
	Summary: "Tools were called in an order, each with the right arguments and result; the score is the share of the " +
		"steps that were done.",
	Scoring:  "Steps done before the first that was not / steps; a later call of the tool may do what one did not.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallArgs | CallResults | CallOutcomes,
	AnyOf:    []string{"chain", "steps"},
})

type toolCallChainParams struct {
	Chain []string    `param:"chain" is:"tool" doc:"Names of tools in their order; other calls may come between."`
	Steps []chainStep `param:"steps" doc:"The same, with what each call must keep to."`
}

type chainStep struct {
	Tool           string             `param:"tool,required" is:"tool" doc:"The tool."`
	ArgsMatch      map[string]pattern `param:"args_match" keys:"argument" of:"tool" any:"given" doc:"Regular expressions that the arguments match."`
	ResultIncludes []string           `param:"result_includes" is:"text" doc:"Texts in the result; case does not matter."`
	ResultMatches  pattern            `param:"result_matches" any:"idle" doc:"What the result matches."`
	NoError        bool               `param:"no_error" default:"false" doc:"The call must not fail."`
}

func (p toolCallChainParams) Build(b *binder) Check {
	if p.Chain != nil && p.Steps != nil {
		b.errorf("chain", "conflicting-parameters", "chain and steps are two ways to say the same").Hint =
			"keep one of the two"
	}
	var c toolCallChain
	for _, name := range p.Chain {
		c = append(c, callRules{tool: name})
	}
	for _, step := range p.Steps {
		c = append(c, callRules{
			tool: step.Tool, matches: matchedArgs(step.ArgsMatch), includes: textPatterns(step.ResultIncludes, false),
			result: step.ResultMatches.Regexp, noError: step.NoError,
		})
	}
	return c
}

type toolCallChain []callRules

func (toolCallChain) boundsRedacted() {}

// Eval finds for each step the first later call of its tool that fits the rules, so that a retry can correct a failed
// attempt.
func (c toolCallChain) Eval(_ context.Context, s *Subject) (Finding, error) {
	done, unsure := 0, false
	var broken *breaches // of the latest call of the current step's tool
	for i := range s.Calls {
		if done == len(c) {
			break
		}
		call, step := &s.Calls[i], &c[done]
		if call.Name != step.tool {
			continue
		}
		found := &breaches{tool: step.tool}
		if step.judge(s.masking, call, found); len(found.texts) > 0 {
			broken, unsure = found, unsure || found.unsure()
			continue
		}
		done, broken = done+1, nil
	}
	f := Finding{
		Score:       textmeasure.Share(done, len(c)),
		Explanation: plural.Count(len(c), "step") + " done: " + say.Chained(c.tools()),
		Details:     Details{"completed_steps": done, "total_steps": len(c)},
	}
	if done < len(c) {
		if unsure {
			f.doubt = behindCut(s, f.Score)
		}
		c.open(&f, done, broken, namesOf(s.Calls))
	}
	return f, nil
}

// open says why a step has no fitting call.
func (c toolCallChain) open(f *Finding, step int, broken *breaches, called []string) {
	tool := c[step].tool
	reason := tool + " was not called"
	if step > 0 {
		reason += " after " + c[step-1].tool
	}
	if broken != nil {
		reason = tool + ": " + say.Listed(broken.texts, "; ")
		f.Details["violations"] = broken.list
	}
	f.Explanation = fmt.Sprintf("step %d of %d: %s", step+1, len(c), reason)
	f.Details["step_index"], f.Details["tool"], f.Details["reason"] = step, tool, reason
	f.Details["actual_tools"] = called
}

func (c toolCallChain) tools() []string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].tool
	}
	return names
}

func (c toolCallChain) looksAt(part CallParts, tool string) bool {
	return slices.ContainsFunc(c, func(step callRules) bool { return step.weighs(part, tool) })
}
