package checks

import (
	"maps"
	"regexp"
	"slices"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// callRules are the rules for a call of one tool. A rule that is not set requires nothing.
type callRules struct {
	tool     string
	expected []expectedArg
	matches  []matchedArg
	includes []textPattern
	result   *regexp.Regexp
	noError  bool
}

// asksNothing reports whether no rule is set.
func (c *callRules) asksNothing() bool {
	return len(c.expected)+len(c.matches)+len(c.includes) == 0 && c.result == nil && !c.noError
}

// weighs reports whether a rule looks at a part of the calls of a tool.
func (c *callRules) weighs(part CallParts, tool string) bool {
	switch {
	case c.tool != tool:
		return false
	case part == CallArgs:
		return len(c.expected)+len(c.matches) > 0
	case part == CallOutcomes:
		return c.noError
	}
	return len(c.includes) > 0 || c.result != nil
}

type expectedArg struct {
	name  string
	value any
	free  bool // any value fits
}

type matchedArg struct {
	name string
	re   *regexp.Regexp
}

// expectedArgs sorts arguments by name. nullIsAny: null requires the argument, with any value.
func expectedArgs(args map[string]anyValue, nullIsAny bool) []expectedArg {
	list := make([]expectedArg, 0, len(args))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v := args[name].v
		list = append(list, expectedArg{name, v, nullIsAny && v == nil})
	}
	return list
}

func matchedArgs(args map[string]pattern) []matchedArg {
	list := make([]matchedArg, 0, len(args))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, matchedArg{name, args[name].Regexp})
	}
	return list
}

// expectedByName returns the expected arguments by name.
func (c *callRules) expectedByName() map[string]any {
	args := make(map[string]any, len(c.expected))
	for _, want := range c.expected {
		args[want.name] = want.value
	}
	return args
}

// judge adds the rules that a call breaks.
func (c *callRules) judge(mask masking, call *Call, found *breaches) {
	c.arguments(mask, call, found)
	c.outcome(mask, call, found)
}

func (c *callRules) arguments(mask masking, call *Call, found *breaches) {
	for _, want := range c.expected {
		got, ok := call.Args[want.name]
		switch {
		case !ok:
			found.add("missing_argument", want.name+" is missing", "argument", want.name, "expected", want.value)
		case !want.free && !mask.equal(want.value, got):
			found.add("value_mismatch", want.name+" is "+say.Quote(jsonvalue.Text(got))+", expected "+
				say.Quote(jsonvalue.Text(want.value)), "argument", want.name, "expected", want.value, "actual", say.Kept(got))
		}
	}
	for _, want := range c.matches {
		got, ok := call.Args[want.name]
		switch {
		case !ok:
			found.add("missing_argument_for_pattern", want.name+" is missing", "argument", want.name, "pattern",
				want.re.String())
		case mask.find(want.re, jsonvalue.Text(got)) == nil:
			found.add("pattern_mismatch", want.name+" is "+say.Quote(jsonvalue.Text(got))+", which does not match "+
				say.Quote(want.re.String()), "argument", want.name, "pattern", want.re.String(), "actual", say.Kept(got))
		}
	}
}

func (c *callRules) outcome(mask masking, call *Call, found *breaches) {
	if c.noError && call.Failed() {
		found.add("tool_error", "the call failed: "+say.Quote(call.Error), "actual", say.Content(call.Error))
	}
	if len(c.includes) == 0 && c.result == nil {
		return
	}
	text, sure := call.Text(), len(found.texts)
	result := newToolText(text, mask)
	for i := range c.includes {
		if p := &c.includes[i]; !result.has(p, false) {
			found.add("result_missing_pattern", "the result has no "+say.Quote(p.text), "pattern", p.text, "actual",
				say.Content(text))
		}
	}
	if c.result != nil && !result.matches(c.result) {
		found.add("result_pattern_mismatch", "the result does not match "+say.Quote(c.result.String()), "pattern",
			c.result.String(), "actual", say.Content(text))
	}
	if result.cut {
		found.cut += len(found.texts) - sure
	}
}

// breaches collects the rules that calls of a tool break, for details and in words.
type breaches struct {
	tool  string
	list  []Details
	texts []string
	cut   int // how many of them may be met in the part that was cut off
}

// unsure reports whether all broken rules may be met in parts of results that were cut off.
func (b *breaches) unsure() bool { return b.cut > 0 && b.cut == len(b.texts) }

func (b *breaches) add(kind, text string, pairs ...any) {
	v := Details{"type": kind, "tool": b.tool}
	for i := 0; i+1 < len(pairs); i += 2 {
		v[pairs[i].(string)] = pairs[i+1]
	}
	b.list, b.texts = append(b.list, v), append(b.texts, text)
}
