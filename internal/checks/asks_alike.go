package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// CalledAlike describes a call whose name differs only slightly from the tool of the check, such as pay for Pay or
// functions.pay. Agents that run their own tools may name them freely. It is "" when there is no such call.
func (c *Compiled) CalledAlike(s *Subject) (text string) {
	if c.session {
		s = s.Conversation()
	}
	for _, use := range c.Names() {
		if use.Kind != ToolName && use.Kind != CalledTool {
			continue
		}
		for i := range s.Calls {
			called := s.Calls[i].Name
			if called == use.Name || !sameTool(called, use.Name) || s.Tools != nil && s.Tools.Has(called) {
				continue
			}
			return fmt.Sprintf("%s looks for calls of %s, and the agent called %s, which is another tool to it: give both one "+
				"name", c.Type, say.Quote(use.Name), say.Quote(called))
		}
	}
	return ""
}

// sameTool reports whether the name of a call is that of a tool except for case, separators and a prefix.
func sameTool(called, tool string) bool {
	fold := func(name string) string { return strings.ReplaceAll(jsonvalue.FoldKey(name), "-", "") }
	last := called
	for _, mark := range []string{".", "/", ":", "__"} {
		if at := strings.LastIndex(last, mark); at >= 0 {
			last = last[at+len(mark):]
		}
	}
	return fold(called) == fold(tool) || fold(last) == fold(tool)
}
