package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

var llmJudgeToolCallsDef = define[llmJudgeToolCallsParams](Def{
	Name:     "llm_judge_tool_calls",
	Summary:  "A language model grades how the tools were used, by criteria in words. Skipped when no tool was called.",
	Scoring:  gradeScoring,
	Family:   FamilyJudge,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls | NeedsModel,
	Weighs:   CallArgs | CallResults,
	Reads:    ReadsShown,
	Prompt:   Prompt{System: llmJudgeToolCallsSystem},
})

const llmJudgeToolCallsSystem = `You are an experienced and impartial evaluator of AI agents. You get criteria,
sometimes a rubric, and the tool calls of an agent in the order in which it made them, each with its arguments and
what came back. Grade how the agent used its tools: 1 means that the calls meet all criteria in every respect, 0
that they meet none of them, and what lies between is in proportion to what is met and how much that matters. A call
that fails speaks against the agent only where its arguments are to blame, or where the agent goes on as if it had
not failed.` + grading.Rules

type llmJudgeToolCallsParams struct {
	mustCriteria
	Tools nameFilter `param:"tools" is:"tool" doc:"Tools whose calls count; all when left out."`
	judgeParams
}

func (p llmJudgeToolCallsParams) Build(b *binder) Check {
	g := b.grader(&p.judgeParams, p.Criteria)
	if g == nil {
		return nil
	}
	return &llmJudgeToolCalls{g, p.Tools}
}

type llmJudgeToolCalls struct {
	*grader
	tools nameFilter
}

func (c *llmJudgeToolCalls) Eval(ctx context.Context, s *Subject) (Finding, error) {
	calls := slices.DeleteFunc(slices.Clone(s.Calls), func(call Call) bool { return !c.tools.keeps(call.Name) })
	if len(calls) == 0 {
		if len(c.tools) > 0 {
			return Finding{}, fmt.Errorf("%w: no call of %s", ErrNotApplicable, say.Quoted(c.tools))
		}
		return Finding{}, fmt.Errorf("%w: no tool was called", ErrNotApplicable)
	}
	f, err := c.grade(ctx, s, callExhibits(calls))
	if err == nil {
		f.Details["tool_calls_sent"] = len(calls)
	}
	return f, err
}

// callExhibits are tool calls for judges. The result comes last, because it may contain anything.
func callExhibits(calls []Call) []grading.Exhibit {
	exhibits := make([]grading.Exhibit, len(calls))
	for i := range calls {
		c := &calls[i]
		text := "tool: " + say.Named(c.Name) + "\narguments: "
		if c.BadArgs != "" {
			text += badArgs(c.BadArgs)
		} else {
			text += jsonvalue.Compact(c.arguments())
		}
		if c.Error != "" {
			text += "\nerror: " + say.OneLine(c.Error)
		}
		if result := c.Text(); result != "" {
			text += "\nresult: " + result
		}
		exhibits[i] = grading.Show(fmt.Sprintf("tool call %d (turn %d)", i+1, c.Turn+1), text)
	}
	return exhibits
}

// badArgs are arguments for judges that are not an object, or have a duplicate key.
func badArgs(text string) string { return "no JSON object: " + say.OneLine(text) }

// arguments returns the arguments, never nil.
func (c *Call) arguments() map[string]any {
	if c.Args == nil {
		return map[string]any{}
	}
	return c.Args
}

func (c *llmJudgeToolCalls) looksAt(_ CallParts, tool string) bool { return c.tools.keeps(tool) }
