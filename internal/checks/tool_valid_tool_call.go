package checks

import (
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var validToolCallDef = plain[validToolCall](Def{
	Name: "valid_tool_call",
	Summary: "Every tool call names a tool of the project and has arguments that fit its input_schema as the model " +
		"wrote them.",
	Scoring:  "Valid calls / calls; skipped when no tool was called.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsArgs,
})

type validToolCall struct{}

func (*validToolCall) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Tools == nil {
		return Finding{}, errors.New("the tools of the project are not known")
	}
	if len(s.Calls) == 0 {
		return Finding{}, fmt.Errorf("%w: no tool was called", ErrNotApplicable)
	}
	invalid := []Details{}
	var texts []string
	silent := false // an argument may have one of two values
	for i := range s.Calls {
		call := &s.Calls[i]
		if problem := invalidCall(s.Tools, call); problem != "" {
			silent = silent || chat.AmbiguousArgs(call.BadArgs)
			invalid = append(invalid, Details{
				"call": i, "tool": call.Name, "turn": call.Turn, "problem": say.Content(problem),
			})
			texts = append(texts, problem+inTurn(s, call.Turn))
		}
	}
	n := len(s.Calls)
	f := Finding{
		Score: textmeasure.Share(n-len(invalid), n), Details: Details{"calls": n, "violations": invalid}, silent: silent,
	}
	if len(invalid) == 0 {
		f.Explanation = plural.Count(n, "call") + ", each of a declared tool with arguments that fit"
	} else {
		f.Explanation = fmt.Sprintf("%d of %s invalid: %s", len(invalid), plural.Count(n, "call"), say.Listed(texts, "; "))
	}
	return f, nil
}

// invalidCall returns what is wrong with a call; "" when nothing is.
func invalidCall(tools ToolCaller, call *Call) string {
	if !tools.Has(call.Name) {
		return "the project has no tool " + say.Quote(call.Name)
	}
	if call.BadArgs != "" {
		return say.Named(call.Name) + ": " + chat.ArgsProblem(call.BadArgs) + ": " + say.Quote(call.BadArgs)
	}
	args := call.Args
	if args == nil {
		args = map[string]any{}
	}
	if n, found := chat.Unwieldy(args); found { // a schema would compute with all its digits
		return say.Named(call.Name) + ": the number " + say.Quote(n) + " is too large"
	}
	if err := tools.Fits(call.Name, args); err != nil {
		return say.Named(call.Name) + ": " + say.Content(say.OneLine(err.Error()))
	}
	return ""
}
