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
	Summary: "Every tool call names a tool that there is and has arguments that fit its input_schema as the model " +
		"wrote them.",
	Scoring: "Valid calls / calls; skipped when no tool was called. An error where a call decides whose tool has a " +
		"schema that cannot be compiled, as that of a server may.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallArgs,
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
	silent := false // an argument has a duplicate key
	var unknown []error
	for i := range s.Calls {
		call := &s.Calls[i]
		problem, err := invalidCall(s.Tools, call)
		switch {
		case err != nil:
			unknown = append(unknown, err)
		case problem != "":
			silent = silent || chat.AmbiguousArgs(call.BadArgs)
			invalid = append(invalid, Details{
				"call": i, "tool": call.Name, "turn": call.Turn, "problem": say.Content(problem),
			})
			texts = append(texts, problem+inTurn(s, call.Turn))
		}
	}
	n := len(s.Calls)
	valid := n - len(invalid) - len(unknown)
	f := Finding{
		Score: textmeasure.Share(valid, n), Details: Details{"calls": n, "violations": invalid}, silent: silent,
	}
	if len(unknown) > 0 {
		f.doubt = uncheckedCalls(s, f.Score, textmeasure.Share(valid+len(unknown), n), unknown[0])
	}
	if len(invalid) == 0 {
		f.Explanation = plural.Count(n, "call") + ", each of a declared tool with arguments that fit"
	} else {
		f.Explanation = fmt.Sprintf("%d of %s invalid: %s", len(invalid), plural.Count(n, "call"), say.Listed(texts, "; "))
	}
	return f, nil
}

// uncheckedCalls is the doubt of a score if it is unknown whether the arguments of some calls fit.
func uncheckedCalls(s *Subject, low, high float64, why error) *doubt {
	if s.Stored { // arguments may be redacted too
		low, high = 0, 1
	}
	return &doubt{low: low, high: high, why: fmt.Errorf("not known: %w", why)}
}

// invalidCall returns what is wrong with a call; "": nothing. An error says why it is unknown.
func invalidCall(tools ToolCaller, call *Call) (problem string, err error) {
	if !tools.Has(call.Name) {
		return "the project has no tool " + say.Quote(call.Name), nil
	}
	if call.BadArgs != "" {
		return say.Named(call.Name) + ": " + chat.ArgsProblem(call.BadArgs) + ": " + say.Quote(call.BadArgs), nil
	}
	if n, found := chat.Unwieldy(call.Args); found { // validation would expand all its digits
		return say.Named(call.Name) + ": the number " + say.Quote(n) + " is too large", nil
	}
	switch err := tools.Fits(call); {
	case errors.Is(err, ErrUnchecked):
		return "", err
	case err != nil:
		return say.Named(call.Name) + ": " + say.Content(say.OneLine(err.Error())), nil
	}
	return "", nil
}
