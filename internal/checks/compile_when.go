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

// odd reports a condition that probably is a mistake, and returns whether it is one.
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
