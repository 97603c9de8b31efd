package checks

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
)

// When holds the conditions under which a check applies. All conditions that are set must hold for the calls in scope.
type When struct {
	Tool     string         // a call has exactly this name; "" is no condition
	Pattern  *regexp.Regexp // matches the name of a call; nil is no condition
	AnyTool  bool           // there is a call
	MinCalls int            // the least number of calls, including repeated and failed ones
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
	if name := spec.ToolCalled; name != "" && !k.odd("tool_called", name, spec.ToolPos, node.OddName(name, false)) {
		k.uses = append(k.uses, NameUse{Kind: ToolName, Name: name, Param: "when: tool_called", Pos: k.at(spec.ToolPos)})
	}
	if text := spec.ToolCalledPattern; text != "" {
		w.Pattern = k.toolPattern(text, spec.PatternPos)
	}
	if *w == (When{}) {
		return nil
	}
	return w
}

func (k *compilation) toolPattern(text string, pos diag.Pos) *regexp.Regexp {
	const key = "tool_called_pattern"
	if k.odd(key, text, pos, node.OddPattern(text)) {
		return nil
	}
	re, err := k.c.regexp(text)
	if err != nil {
		k.r.Diags.Errorf(k.at(pos), utf8.RuneCountInString(text), "bad-regex",
			"%s: when: %s is not a regular expression: %s", k.spec.Type, key, regexpProblem(err)).Hint =
			regexpHint(text, regexpProblem(err))
		return nil
	}
	k.uses = append(k.uses, NameUse{Kind: ToolPattern, Name: text, Pattern: re, Param: "when: " + key, Pos: k.at(pos)})
	return re
}

// at is a position within the check, where it is known.
func (k *compilation) at(pos diag.Pos) diag.Pos {
	if pos.Line == 0 {
		return k.spec.Pos
	}
	return pos
}

// odd reports a condition that is probably a mistake, and returns whether it is one.
func (k *compilation) odd(key, text string, pos diag.Pos, o node.Oddity) bool {
	if o == (node.Oddity{}) {
		return false
	}
	k.r.Diags.Errorf(k.at(pos), 1, "odd-condition", "%s: when: %s: %q %s", k.spec.Type, key, text, o.Text).Hint = o.Hint
	return true
}

// unmet returns why the check does not apply; "" when it does.
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
		return fmt.Sprintf("%s, at least %d needed", plural.Count(len(calls), "tool call"), w.MinCalls)
	}
	return ""
}

// HoldsFor reports whether calls of tools with these names meet the conditions.
func (w *When) HoldsFor(tools []string) bool {
	calls := make([]Call, len(tools))
	for i, name := range tools {
		calls[i].Name = name
	}
	return w.unmet(calls) == ""
}

// askedOfCalls is a check that requires calls. metBy reports whether every conversation that meets the conditions also
// meets the check, if the calls succeed.
type askedOfCalls interface{ metBy(w *When) bool }

// warnMet warns of a check that applies only if its requirement is already met.
func (k *compilation) warnMet(check Check, w *When, name written) {
	asks, ok := check.(askedOfCalls)
	if w == nil || !ok || k.limits.max != nil || !asks.metBy(w) {
		return
	}
	k.r.Diags.Warnf(k.at(k.spec.When.ToolPos), 1, "cannot-fail",
		"%s: when: this is asked only where those calls came for which it asks, and so says nothing where they did not",
		name.name).Hint = "take the when out, or name in it what must come before"
}

// calls reports whether the conditions say that a tool was called at least n times; "" is any tool.
func (w *When) calls(tool string, n int) bool {
	if tool == "" {
		return n <= max(w.MinCalls, 1) && (w.MinCalls > 0 || w.AnyTool || w.Tool != "" || w.Pattern != nil)
	}
	return w.Tool == tool && n <= 1
}

func (c *toolsCalled) metBy(w *When) bool {
	return c.MaxCalls == nil && !c.RequireArgs &&
		!slices.ContainsFunc(c.ToolNames, func(name string) bool { return !w.calls(name, c.MinCalls) })
}

func (c *toolCallCount) metBy(w *When) bool {
	return c.Max == nil && c.Min != nil && w.calls(c.Tool, *c.Min)
}

func (c *toolCallSequence) metBy(w *When) bool {
	return len(c.Sequence) == 1 && w.calls(c.Sequence[0], 1)
}

func (c *toolOrder) metBy(w *When) bool { return len(c.Order) == 1 && w.calls(c.Order[0], 1) }

func (c *agentInvoked) metBy(w *When) bool {
	return len(c.AgentNames) == 1 && w.calls(c.AgentNames[0], 1)
}
