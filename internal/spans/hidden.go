package spans

import "strings"

// HidesCalls reports whether a model ended its reply to call tools, and no span tells which.
func (t *Trace) HidesCalls() bool {
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind == Model && endsInCalls(s.Finish) && !t.recordsCalls(i) {
			return true
		}
	}
	return false
}

// endsInCalls reports whether a finish reason says that a model waits for tools, in the words of any vendor.
func endsInCalls(finish string) bool {
	word := strings.ToLower(finish)
	return strings.Contains(word, "tool_call") || strings.Contains(word, "tool_use") ||
		strings.Contains(word, "function_call")
}

// recordsCalls reports whether the tool calls of a model call are known: from its span, from another span of the same
// model call, or from the span of a tool after it.
func (t *Trace) recordsCalls(i int) bool {
	if len(t.Spans[i].Tools) > 0 {
		return true
	}
	if up := t.modelAround(i); up >= 0 && len(t.Spans[up].Tools) > 0 {
		return true
	}
	for n := i + 1; n < len(t.Spans); n++ {
		s := &t.Spans[n]
		within := s.Kind == Model && t.modelAround(n) == i
		switch {
		case s.Kind == ToolRun || within && len(s.Tools) > 0:
			return true
		case s.Kind == Model && !within:
			return false
		}
	}
	return false
}
