package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var toolsCalledDef = define[toolsCalled](Def{
	Name:         "tools_called",
	Aliases:      []string{"tool_called"},
	SessionNames: []string{"tools_called_session"},
	Summary:      "Every named tool was called; the score is the share that was.",
	Scoring:      "Tools called at least min_calls times / tools named; 0 when one was called more than max_calls times.",
	Family:       FamilyTools,
	Surfaces:     Everywhere,
	Needs:        NeedsCalls,
	Weighs:       CallArgs | CallOutcomes,
	Reads:        ReadsNothing,
	Shares:       true,
})

type toolsCalled struct {
	ToolNames []string `param:"tool_names,required" alias:"tools,tool_name,name" is:"tool" all:"to ban each of them use tools_not_called without the not" doc:"Tools to be called, in any order."`

	MinCalls         int  `param:"min_calls" default:"1" min:"0" doc:"Successful calls that each tool needs."`
	MaxCalls         *int `param:"max_calls" min:"0" doc:"Calls that no tool may exceed; beyond it the score is 0."`
	IgnoreValidation bool `param:"ignore_validation" default:"false" doc:"Count calls whose arguments were refused."`
	RequireArgs      bool `param:"require_args" default:"false" doc:"Leave out calls without arguments."`
}

func (p toolsCalled) Build(b *binder) Check {
	if p.MaxCalls != nil && *p.MaxCalls < p.MinCalls {
		report := b.errorf
		if b.read["min_calls"] == nil {
			report = b.warnf
		}
		d := report("max_calls", "out-of-range", "max_calls %d is below min_calls %d, so nothing passes", *p.MaxCalls,
			p.MinCalls)
		d.Hint = "to forbid a tool, use tools_not_called, or add min_calls: 0"
	}
	if p.MinCalls == 0 && p.MaxCalls == nil {
		b.noteVacuous("min_calls", scoreIsFixed, "there are always that many calls")
	}
	return &p
}

func (c *toolsCalled) Eval(_ context.Context, s *Subject) (Finding, error) {
	found, over := 0, []string{}
	missing := []string{}
	var good, bad []string
	for _, name := range c.ToolNames {
		counted, all := c.calls(s.Calls, name)
		text := name + " " + c.counts(counted, all)
		switch {
		case c.MaxCalls != nil && counted > *c.MaxCalls:
			over = append(over, name)
			text += fmt.Sprintf(", at most %d allowed", *c.MaxCalls)
		case counted < c.MinCalls:
			missing = append(missing, name)
			if c.MinCalls > 1 {
				text += fmt.Sprintf(", at least %d needed", c.MinCalls)
			}
		default:
			found++
			good = append(good, text)
			continue
		}
		bad = append(bad, text)
	}
	f := Finding{Score: textmeasure.Share(found, len(c.ToolNames)), Explanation: say.Listed(good, "; ")}
	if len(bad) > 0 {
		f.Explanation = say.Listed(bad, "; ")
	}
	if len(over) > 0 {
		f.Score = 0
	}
	f.Details = Details{
		"found": found, "expected": c.ToolNames, "missing_tools": missing, "over_limit": over,
		"called_tools": callNames(s.Calls),
	}
	return f, nil
}

// calls counts the calls of a tool that qualify, and all its calls.
func (c *toolsCalled) calls(calls []Call, name string) (counted, all int) {
	for i := range calls {
		call := &calls[i]
		if call.Name != name {
			continue
		}
		all++
		failed := call.Failed() && !(c.IgnoreValidation && call.ErrorType == chat.ErrorValidation)
		if !failed && !(c.RequireArgs && len(call.Args) == 0) {
			counted++
		}
	}
	return counted, all
}

// counts is the number of calls that qualify, with the number of all calls when that differs.
func (c *toolsCalled) counts(counted, all int) string {
	if counted == all {
		if all == 0 {
			return "was not called"
		}
		return "was called " + say.Times(all)
	}
	why := "successfully"
	if c.RequireArgs {
		why = "successfully with arguments"
	}
	return fmt.Sprintf("was called %s, %s %s", say.Times(all), say.Times(counted), why)
}

// callNames returns the names of the tools called, each once, in order.
func callNames(calls []Call) []string {
	names, seen := []string{}, map[string]bool{}
	for i := range calls {
		if name := calls[i].Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func (c *toolsCalled) looksAt(part CallParts, tool string) bool {
	return (part != CallArgs || c.RequireArgs) && slices.Contains(c.ToolNames, tool)
}
