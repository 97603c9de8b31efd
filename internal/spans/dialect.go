package spans

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// NamesTool reports whether a span of an unknown operation is a tool run: it names a tool, or another convention says
// so. A missed call would let every limit on calls pass.
func NamesTool(span string, attribute func(name string) string) bool {
	if strings.HasPrefix(span, toolSpan) {
		return true
	}
	for _, name := range ToolName.Names() {
		if attribute(name) != "" {
			return true
		}
	}
	for _, f := range ofKinds {
		for _, name := range f.Names() {
			if isToolWord(attribute(name)) {
				return true
			}
		}
	}
	return false
}

// ofKinds are the fields with the kind of a span.
var ofKinds = []Field{Operation, InferenceKind, DialectKind}

// TellsTool reports whether NamesTool looks at an attribute.
func TellsTool(attribute string) bool {
	tells := func(f Field) bool { return slices.Contains(f.Names(), attribute) }
	return tells(ToolName) || slices.ContainsFunc(ofKinds, tells)
}

// NameOfTool is the name of the tool that a span ran, or else the name of the span.
func NameOfTool(span string, attribute func(name string) string) string {
	for _, f := range []Field{ToolName, DialectName} {
		for _, name := range f.Names() {
			if text := attribute(name); text != "" {
				return text
			}
		}
	}
	return strings.TrimPrefix(span, toolSpan)
}

// IsKnown reports whether arena knows this operation.
func IsKnown(operation string) bool { return kindOf(operation) != Other }

// toolSpan is how names of spans begin that are runs of tools, by the conventions for generative AI.
const toolSpan = "execute_tool "

// isToolWord reports whether a convention calls the run of a tool by this word.
func isToolWord(word string) bool {
	word = strings.Trim(word, `"`) // MLflow writes JSON
	switch jsonvalue.FoldKey(word) {
	case "tool", "tools", "toolcall", "executetool", "calltool", "tools/call", "toolrun", "runtool", "function",
		"functioncall", "ai.toolcall":
		return true
	}
	return false
}

// reportedTwice finds inferred tool runs that a span around or within them reports by its operation, such as that of an
// MCP client within the agent. They are one call.
func (t *Trace) reportedTwice() map[int]bool {
	duplicates := map[int]bool{}
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != ToolRun {
			continue
		}
		for up, n := t.parent[i], 0; up >= 0 && n < deepest; up, n = t.parent[up], n+1 {
			around := &t.Spans[up]
			if around.Kind != ToolRun || !s.Inferred && !around.Inferred || duplicates[up] || !sameTool(s, around) {
				continue
			}
			from, to := i, up
			if !s.Inferred {
				from, to = up, i
			}
			duplicates[from] = true
			if t.Spans[to].Failure == "" {
				t.Spans[to].Failure = t.Spans[from].Failure
			}
			if from == i {
				break
			}
		}
	}
	return duplicates
}

func sameTool(x, y *Span) bool {
	return len(x.Tools) == 1 && len(y.Tools) == 1 && x.Tools[0].Name == y.Tools[0].Name
}
