package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Doubts are what to tell of a check that passed: that it was so by texts within other words, or beside calls with
// nearly the arguments that it forbids. The subject is the one that was judged.
func (c *Compiled) Doubts(s *Subject) (texts []string) {
	if c.session {
		s = s.Conversation()
	}
	c.doubts(s, false, &texts)
	return texts
}

// doubts adds those of a check, which passes where it is not met when turned is true.
func (c *Compiled) doubts(s *Subject, turned bool, texts *[]string) {
	if c.MaxScore != nil && c.MinScore == nil && *c.MaxScore < 1 {
		turned = !turned
	}
	add := func(format string, args ...any) {
		*texts = append(*texts, c.Type+" "+fmt.Sprintf(format, args...))
	}
	switch check := c.Check.(type) {
	case *negation:
		check.parts[0].doubts(s, !turned, texts)
	case *conjunction:
		for _, part := range check.parts {
			if !turned {
				part.doubts(s, turned, texts)
			}
		}
	case *modelGraded:
		if kind := check.unseenMedia(s); kind != "" {
			add("asks about what is in the %s, and its judge gets the words alone: ask by exec_eval or rest_eval, or of what "+
				"the words say", kind)
		}
	case *toolArgsExcluded:
		if !turned {
			check.nearCalls(s, add)
		}
	case *toolArgs:
		check.nearCalls(s, turned, add)
	case *toolCallsWithArgs:
		check.nearCalls(s, turned, add)
	case interface{ withinWords(*Subject) []wordAround }:
		if turned || s.masking != unmasked {
			return
		}
		for _, in := range check.withinWords(s) {
			add("found %s only within %s: to find it as a word of its own use regex with %s", say.Quote(in.text),
				say.Quote(in.word),
				alone(in.text))
		}
	}
}

// nearCalls tells of calls with nearly an excluded argument.
func (c *toolArgsExcluded) nearCalls(s *Subject, add func(format string, args ...any)) {
	for i := range s.Calls {
		call := &s.Calls[i]
		if call.Name != c.tool {
			continue
		}
		for _, out := range c.excluded {
			if got, ok := call.Args[out.name]; ok {
				out.tellNear(call, got, add)
			}
		}
	}
}

// nearCalls tells of calls that have nearly all of the arguments which must not come.
func (c *callRules) nearCalls(s *Subject, banned bool, add func(format string, args ...any)) {
	if !banned || len(c.expected) == 0 {
		return
	}
	for i := range s.Calls {
		call := &s.Calls[i]
		var near []expectedArg
		differs := call.Name != c.tool || slices.ContainsFunc(c.matches, func(m matchedArg) bool {
			got, ok := call.Args[m.name]
			return !ok || s.masking.find(m.re, jsonvalue.Text(got)) == nil
		})
		for _, want := range c.expected {
			got, ok := call.Args[want.name]
			switch {
			case ok && (want.free || s.masking.equal(want.value, got)):
			case ok && differsLittle(want.value, got) != "":
				near = append(near, want)
			default:
				differs = true
			}
		}
		if differs {
			continue
		}
		for _, want := range near {
			want.tellNear(call, call.Args[want.name], add)
		}
	}
}

// tellNear tells of a value that nearly is what must not come.
func (a *expectedArg) tellNear(call *Call, got any, add func(format string, args ...any)) {
	how := differsLittle(a.value, got)
	if how == "" || maskedIn(got) {
		return
	}
	add("forbids %s as %s of %s, which was called with %s; that %s", say.Shown(a.value), a.name, call.Name,
		say.Shown(got), how)
}

// differsLittle says why a value is another one than a forbidden one that most people would take for the same; "" where
// it is equal or wholly different.
func differsLittle(forbidden, got any) string {
	switch want := forbidden.(type) {
	case string:
		text, isText := got.(string)
		switch {
		case !isText && want == "*":
			return "is another value: a * stands for itself alone; to forbid any value, use not around tool_call_chain " +
				"with an args_match of \".*\""
		case !isText || text == want || strings.TrimSpace(want) == "":
		case strings.EqualFold(text, want):
			return "is another value to it by its case: forbid both"
		case strings.EqualFold(strings.TrimSpace(text), strings.TrimSpace(want)):
			return "is another value to it by the spaces around: forbid both, or use not around tool_call_chain with args_match"
		}
	case map[string]any:
		has, isMap := got.(map[string]any)
		if isMap && len(want) > 0 && len(has) > 0 && !jsonvalue.EqualTexts(want, has) && holds(has, want) {
			return "is another value to it by its further keys: use not around tool_call_chain with args_match"
		}
	}
	return ""
}

// holds reports whether a map has all pairs of another one; maps within may have more keys, too.
func holds(has, want map[string]any) bool {
	for key, v := range want {
		got, there := has[key]
		inner, isMap := v.(map[string]any)
		other, bothMaps := got.(map[string]any)
		switch {
		case !there:
			return false
		case isMap && bothMaps:
			if !holds(other, inner) {
				return false
			}
		case !jsonvalue.EqualTexts(v, got):
			return false
		}
	}
	return true
}
