package checks

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

// When holds the conditions under which a check applies. All that are set must hold over the calls in scope.
type When struct {
	Tool     string         // a call has exactly this name; "" is no condition
	Pattern  *regexp.Regexp // matches the name of a call; nil is no condition
	AnyTool  bool           // there is a call
	MinCalls int            // calls, repeated and failed ones included
}

// when compiles the conditions; nil when there are none.
func (k *compilation) when() *When {
	spec := k.spec.When
	if spec == nil {
		return nil
	}
	w := &When{Tool: spec.ToolCalled, AnyTool: spec.AnyToolCalled, MinCalls: spec.MinToolCalls}
	if spec.MinToolCalls < 0 {
		k.r.Diags.Errorf(k.spec.Pos, 1, "out-of-range", "%s: when: min_tool_calls must be at least 0, found %d",
			k.spec.Type, spec.MinToolCalls)
	}
	if text := spec.ToolCalledPattern; text != "" {
		re, err := k.c.regexp(text)
		if err != nil {
			at := spec.PatternPos
			if at.Line == 0 {
				at = k.spec.Pos
			}
			d := k.r.Diags.Errorf(at, utf8.RuneCountInString(text), "bad-regex",
				"%s: when: tool_called_pattern is not a regular expression: %s", k.spec.Type, regexpProblem(err))
			d.Hint = regexpHint(text)
		}
		w.Pattern = re
	}
	if *w == (When{}) {
		return nil
	}
	return w
}

// unmet says why the check does not apply; "" when it does.
func (w *When) unmet(calls []Call) string {
	if w == nil {
		return ""
	}
	named := func(match func(name string) bool) bool {
		return slices.ContainsFunc(calls, func(c Call) bool { return match(c.Name) })
	}
	switch {
	case w.Tool != "" && !named(func(name string) bool { return name == w.Tool }):
		return fmt.Sprintf("tool %q was not called", w.Tool)
	case w.Pattern != nil && !named(w.Pattern.MatchString):
		return fmt.Sprintf("no tool that matches %q was called", w.Pattern)
	case w.AnyTool && len(calls) == 0:
		return "no tool was called"
	case len(calls) < w.MinCalls:
		return fmt.Sprintf("%s, at least %d needed", count(len(calls), "tool call"), w.MinCalls)
	}
	return ""
}
