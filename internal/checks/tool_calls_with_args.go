package checks

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var toolCallsWithArgsDef = define[toolCallsWithArgsParams](Def{
	Name:     "tool_calls_with_args",
	Summary:  "A tool was called, and every call of it has the right arguments and result.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
})

type toolCallsWithArgsParams struct {
	ToolName string `param:"tool_name,required" doc:"The tool."`

	ExpectedArgs map[string]anyValue `param:"expected_args" alias:"required_args" doc:"42 equals \"42\"; null: any value."`

	ArgsMatch      map[string]pattern `param:"args_match" doc:"Regular expressions that the arguments match."`
	ResultIncludes []string           `param:"result_includes" doc:"Texts in the result; case does not matter."`
	ResultMatches  pattern            `param:"result_matches" doc:"What the result matches."`
	NoError        bool               `param:"no_error" default:"false" doc:"The calls must not fail."`
}

func (p toolCallsWithArgsParams) Build(*binder) Check {
	c := &toolCallsWithArgs{tool: p.ToolName, noError: p.NoError}
	for _, name := range slices.Sorted(maps.Keys(p.ExpectedArgs)) {
		c.expected = append(c.expected, expectedArg{name, p.ExpectedArgs[name].v})
	}
	for _, name := range slices.Sorted(maps.Keys(p.ArgsMatch)) {
		c.matches = append(c.matches, matchedArg{name, p.ArgsMatch[name].Regexp})
	}
	c.includes, c.result = textPatterns(p.ResultIncludes), p.ResultMatches.Regexp
	return c
}

type toolCallsWithArgs struct {
	tool     string
	expected []expectedArg
	matches  []matchedArg
	includes []textPattern
	result   *regexp.Regexp // nil: anything
	noError  bool
}

type expectedArg struct {
	name  string
	value any // nil: any value
}

type matchedArg struct {
	name string
	re   *regexp.Regexp
}

func (c *toolCallsWithArgs) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := 0
	found := breaches{tool: c.tool, list: []map[string]any{}}
	for i := range s.Calls {
		if call := &s.Calls[i]; call.Name == c.tool {
			n++
			c.arguments(call, &found)
			c.outcome(call, &found)
		}
	}
	f := Finding{Details: map[string]any{"tool": c.tool, "calls": n, "violations": found.list}}
	switch {
	case n == 0:
		f.Explanation = c.tool + " was not called"
		f.Details["called_tools"] = callNames(s.Calls)
	case len(found.texts) > 0:
		f.Explanation = c.tool + ": " + listed(found.texts, "; ")
	default:
		f.Score, f.Explanation = 1, c.tool+" was called "+times(n)+" as expected"
	}
	return f, nil
}

func (c *toolCallsWithArgs) arguments(call *Call, found *breaches) {
	for _, want := range c.expected {
		got, ok := call.Args[want.name]
		switch {
		case !ok:
			found.add("missing_argument", want.name+" is missing", "argument", want.name, "expected", want.value)
		case want.value != nil && !equalArguments(want.value, got):
			found.add("value_mismatch", want.name+" is "+quote(argumentText(got))+", expected "+
				quote(argumentText(want.value)), "argument", want.name, "expected", want.value, "actual", got)
		}
	}
	for _, want := range c.matches {
		got, ok := call.Args[want.name]
		switch {
		case !ok:
			found.add("missing_argument_for_pattern", want.name+" is missing", "argument", want.name, "pattern",
				want.re.String())
		case !want.re.MatchString(argumentText(got)):
			found.add("pattern_mismatch", want.name+" is "+quote(argumentText(got))+", which does not match "+
				quote(want.re.String()), "argument", want.name, "pattern", want.re.String(), "actual", got)
		}
	}
}

func (c *toolCallsWithArgs) outcome(call *Call, found *breaches) {
	if c.noError && call.Failed() {
		found.add("tool_error", "the call failed: "+quote(call.Error), "actual", cut(call.Error, contentLimit))
	}
	if len(c.includes) == 0 && c.result == nil {
		return
	}
	text := call.Text()
	lower := strings.ToLower(text)
	for i := range c.includes {
		if p := &c.includes[i]; !strings.Contains(lower, p.folded) {
			found.add("result_missing_pattern", "the result has no "+quote(p.text), "pattern", p.text, "actual",
				cut(text, contentLimit))
		}
	}
	if c.result != nil && !c.result.MatchString(text) {
		found.add("result_pattern_mismatch", "the result does not match "+quote(c.result.String()), "pattern",
			c.result.String(), "actual", cut(text, contentLimit))
	}
}

// breaches collects what calls of a tool do wrong, for machines and in words.
type breaches struct {
	tool  string
	list  []map[string]any
	texts []string
}

func (b *breaches) add(kind, text string, pairs ...any) {
	v := map[string]any{"type": kind, "tool": b.tool}
	for i := 0; i+1 < len(pairs); i += 2 {
		v[pairs[i].(string)] = pairs[i+1]
	}
	b.list, b.texts = append(b.list, v), append(b.texts, text)
}
