package names

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/workflow"
)

// mistyped is what a name of a tool in an example is turned into, in front of it: the names of nothing, also those that
// look like tools of arena's own or of a server that the project does not have.
var mistyped = []string{"zz_", "memory__", "workflow__", "mcp__other__", "other__", "a2a__other__"}

// TestMistypedTools: in no parameter of any check, nor of a check within it, does a tool or an agent pass that the
// project does not have. The parameters come from the examples of the checks.
func TestMistypedTools(t *testing.T) {
	t.Parallel()
	shapes := map[string]*scenario.Project{
		"plain":           {},
		"with a server":   {Servers: []*scenario.Server{{Name: "srv", Command: "x"}}},
		"with a memory":   {Memory: true},
		"with a workflow": {Workflow: &scenario.Workflow{Graph: &workflow.Graph{}}},
	}
	met := map[string]bool{}
	for _, def := range checks.Builtin() {
		for _, spec := range examplesOf(t, def) {
			var problems diag.List
			compiled := (&checks.Compiler{}).Compile(spec, &problems)
			if compiled == nil {
				continue
			}
			names := toolNames(compiled)
			if len(names) == 0 {
				continue
			}
			met[def.Name] = true
			for _, prefix := range mistyped {
				for shape, p := range shapes {
					tryMistyped(t, spec, prefix, names, shape, *p)
				}
			}
		}
	}
	for _, name := range []string{"tools_not_called", "tool_exec", "agent_not_invoked", "not", "tool_no_repeat"} {
		if !met[name] {
			t.Errorf("no example of %s names a tool", name)
		}
	}
}

// tryMistyped mistypes the names in one check of a project that has the right ones.
func tryMistyped(t *testing.T, spec *scenario.Check, prefix string, names []string, shape string, p scenario.Project) {
	t.Helper()
	var problems, found diag.List
	wrong := *spec
	wrong.Params = renamed(spec.Params, prefix, names)
	bad := (&checks.Compiler{}).Compile(&wrong, &problems)
	if bad == nil {
		return // it is refused as a name
	}
	for _, name := range names {
		p.Tools = append(p.Tools, &scenario.Tool{Meta: scenario.Meta{ID: name}, InputSchema: []byte(`{"type":"object"}`)})
	}
	p.Scenarios = []*scenario.Scenario{{
		Meta: scenario.Meta{ID: "s"}, Conversation: []scenario.Placed{{Compiled: bad}},
	}}
	Report(&p, p.Scenarios, false, &found)
	OpenToolUses(&p, p.Scenarios, &found)
	for _, name := range toolNames(bad) {
		if !strings.HasPrefix(name, prefix) {
			continue // of an argument that has the same name
		}
		if !slices.ContainsFunc(found.Sorted(), func(d diag.Diagnostic) bool {
			refused := d.Code == "no-workflow" && shape != "with a workflow"
			return d.Severity == diag.Error && (refused || strings.Contains(d.Msg, `"`+name+`"`))
		}) {
			t.Errorf("%s (%s): %s passes: %v", spec.Pos, shape, name, found.Sorted())
		}
	}
}

// examplesOf are the examples of a check that can be judged.
func examplesOf(t *testing.T, def *checks.Def) (specs []*scenario.Check) {
	t.Helper()
	file := filepath.Join("..", "checks", "testdata", def.Name+".yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &node.Reader{File: file, Diags: &diag.List{}}
	for _, n := range node.Parse(r, data)[0].Content {
		params, name := node.Get(n, "params"), def.Name
		if other := node.Get(n, "type"); other != nil {
			name = other.Value
		}
		if params != nil && node.Get(n, "want") != nil {
			specs = append(specs, &scenario.Check{Type: name, Pos: r.Pos(n), Params: params, ParamsPos: r.Pos(n)})
		}
	}
	return specs
}

// toolNames are the names of tools and agents for which a check and those within it ask.
func toolNames(c *checks.Compiled) (names []string) {
	for _, use := range c.Names() {
		if use.Kind == checks.ToolName || use.Kind == checks.AgentName {
			names = append(names, use.Name)
		}
	}
	for _, use := range c.ToolUses() {
		names = append(names, use.Name)
	}
	for _, part := range c.Nested() {
		names = append(names, toolNames(part)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// renamed is a copy of parameters with some names misspelled.
func renamed(n *node.Node, prefix string, names []string) *node.Node {
	out := *n
	if n.Kind == node.Scalar && slices.Contains(names, n.Value) {
		out.Value = prefix + n.Value
	}
	out.Content = nil
	for _, inner := range n.Content {
		out.Content = append(out.Content, renamed(inner, prefix, names))
	}
	return &out
}
