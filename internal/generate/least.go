package generate

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// fallbackAssertions asserts something in a scenario of a conversation in which nothing had been: a test that cannot
// fail is none. It is that the same tools are called, as far as they worked; without any, that there is a reply. It
// returns assertions of the conversation, or nil after putting one on the last turn.
func (w *builder) fallbackAssertions(turns *node.Node) *node.Node {
	tools := map[string]bool{}
	for i := range w.s.Messages {
		if r := w.s.Messages[i].ToolResult; r != nil && r.Error == "" {
			tools[r.Name] = true
		}
	}
	if len(tools) == 0 {
		w.notef("there is no assertion to carry over: the scenario asks for a reply only; add some")
		last := turns.Content[len(turns.Content)-1]
		node.Put(last, "assertions", node.NewList(basic("min_length", "min", node.Number("1"))))
		return nil
	}
	w.notef("there is no assertion to carry over: the scenario asks for the same tools only; add some")
	names := node.NewList()
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		names.Content = append(names.Content, node.Str(name))
	}
	return node.NewList(basic("tools_called", "tool_names", names))
}

// basic is a check with one parameter that says of itself that nobody thought of it.
func basic(kind, param string, value *node.Node) *node.Node {
	params := node.NewMap()
	node.Put(params, param, value)
	n := node.NewMap()
	node.Put(n, "type", node.Str(kind))
	node.Put(n, "params", params)
	n.HeadComment = "# there was no assertion to carry over: say here what must be true"
	return n
}
