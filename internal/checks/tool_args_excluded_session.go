package checks

import (
	"context"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

var toolArgsExcludedDef = define[toolArgsExcludedParams](Def{
	Name:     "tool_args_excluded_session",
	Aliases:  []string{"tools_not_called_with_args"},
	Summary:  "In the whole conversation no call of a tool has any of the excluded arguments.",
	Scoring:  "0 when some call has one of the excluded pairs, else 1.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsCalls,
	Weighs:   CallArgs,
	Reads:    ReadsArgs,
	AnyOf:    []string{"excluded_args", "forbidden_args"},
	Clean:    Bans,
	Opposite: "to ask for the arguments use tool_args",
})

type toolArgsExcludedParams struct {
	ToolName      string              `param:"tool_name,required" is:"tool" doc:"The tool."`
	ExcludedArgs  map[string]anyValue `param:"excluded_args" keys:"argument" of:"tool_name" doc:"Arguments with the value that they must not have."`
	ForbiddenArgs map[string]anyValue `param:"forbidden_args" keys:"argument" of:"tool_name" each:"true" doc:"Arguments with a value, or a list of values."`
}

func (p toolArgsExcludedParams) Build(b *binder) Check {
	c := &toolArgsExcluded{tool: p.ToolName}
	if p.ExcludedArgs != nil {
		if p.ForbiddenArgs != nil {
			b.warnf("forbidden_args", "ignored-parameter", `"forbidden_args" is ignored because "excluded_args" is given too`)
		}
		c.exclude(b, "excluded_args", p.ExcludedArgs, false)
		return c
	}
	c.exclude(b, "forbidden_args", p.ForbiddenArgs, true)
	return c
}

type toolArgsExcluded struct {
	tool     string
	excluded []expectedArg
}

// exclude adds forbidden pairs; with lists, each item of a list is a value.
func (c *toolArgsExcluded) exclude(b *binder, param string, args map[string]anyValue, lists bool) {
	if len(args) == 0 {
		b.errorf(param, "empty-value", "%s is empty, so nothing is excluded", param)
	}
	if !b.turned {
		b.warnBannedValues(b.read[param], b.name+": "+param)
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		values, isList := args[name].v.([]any)
		if isList && !lists {
			b.r.Warnf(node.Get(b.read[param], name), "looks-like-slip", "%s: %s.%s is a list, which equals only a list",
				b.name, param, name).Hint = "to exclude each of its values, write forbidden_args"
		}
		if !lists || !isList {
			values = []any{args[name].v}
		}
		if len(values) == 0 {
			b.r.Errorf(node.Get(b.read[param], name), "empty-value", "%s: %s.%s is empty, so nothing is excluded",
				b.name, param, name)
		}
		for _, v := range values {
			if v == nil && !b.turned {
				b.r.Warnf(node.Get(b.read[param], name), "looks-like-slip", "%s: %s.%s: null excludes null alone, and no other "+
					"value", b.name, param, name).Hint = "to exclude whatever value it has, write not, and in it " +
					"tool_call_chain with one step and args_match: {" + name + `: ""}`
			}
			c.excluded = append(c.excluded, expectedArg{name: name, value: v})
		}
	}
}

func (*toolArgsExcluded) boundsRedacted() {}

func (c *toolArgsExcluded) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := 0
	found := breaches{tool: c.tool, list: []Details{}}
	for i := range s.Calls {
		call := &s.Calls[i]
		if call.Name != c.tool {
			continue
		}
		n++
		for _, out := range c.excluded {
			if got, ok := call.Args[out.name]; ok && s.masking.equal(out.value, got) {
				found.add("excluded_argument", out.name+" was "+say.Quote(jsonvalue.Text(got))+inTurn(s, call.Turn),
					"argument", out.name, "value", say.Kept(got), "turn", call.Turn)
			}
		}
	}
	f := Finding{Score: 1, Details: Details{"tool": c.tool, "calls": n, "violations": found.list}}
	switch {
	case len(found.texts) > 0:
		f.Score, f.Explanation = 0, c.tool+": "+say.Listed(found.texts, "; ")
	case n == 0:
		f.Explanation = c.tool + " was not called"
	default:
		f.Explanation = c.tool + " was called " + say.Times(n) + " without an excluded argument"
	}
	return f, nil
}
