package spans

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// NamesTool reports whether a span whose operation is none that arena knows is the run of a tool all the same: because
// it names one, or because another convention calls it so. A call that is not seen would hold every limit on calls.
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

// ofKinds are what says of which kind a span is.
var ofKinds = []Field{Operation, InferenceKind, DialectKind}

// TellsTool reports whether NamesTool looks at an attribute.
func TellsTool(attribute string) bool {
	tells := func(f Field) bool { return slices.Contains(f.Names(), attribute) }
	return tells(ToolName) || slices.ContainsFunc(ofKinds, tells)
}

// NameOfTool is the name of the tool whose run a span is, by the name of the span where nothing else tells it.
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

// IsKnown reports whether arena knows what a span with this operation is.
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

// reportedTwice finds runs of tools that are inferred from a name, and of which a span around it or within it tells by
// its operation, as of a client of MCP within the agent that uses it. They are one call.
func (t *Trace) reportedTwice() map[int]bool {
	twice := map[int]bool{}
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != ToolRun {
			continue
		}
		for up, n := t.parent[i], 0; up >= 0 && n < deepest; up, n = t.parent[up], n+1 {
			around := &t.Spans[up]
			if around.Kind != ToolRun || !s.Inferred && !around.Inferred || twice[up] || !sameTool(s, around) {
				continue
			}
			from, to := i, up
			if !s.Inferred {
				from, to = up, i
			}
			twice[from] = true
			if t.Spans[to].Failure == "" {
				t.Spans[to].Failure = t.Spans[from].Failure
			}
			if from == i {
				break
			}
		}
	}
	return twice
}

func sameTool(x, y *Span) bool {
	return len(x.Tools) == 1 && len(y.Tools) == 1 && x.Tools[0].Name == y.Tools[0].Name
}
