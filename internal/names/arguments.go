package names

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Argument is an argument in a check, of a tool whose schema only an MCP server or a remote agent knows. A check that
// forbids an argument that the tool does not have would never fail.
type Argument struct {
	Name, Tool string
	Where      string // tool_args: expected_args, or the like
	Pos        diag.Pos
	Scenario   *scenario.Scenario   // nil: it matters in all of them
	Prompts    []*scenario.Prompt   // under which it matters
	Expected   []checks.ExpectedUse // that it is compared with
}

// serveArgument leaves the name of an argument to the trials.
func (n *Checker) serveArgument(check string, use *checks.NameUse, setups []*setup) {
	if anyRecorded(setups) || anyToolAllowed(setups) || !mayBeListed(n.Project, use.Of) {
		return
	}
	var prompts []*scenario.Prompt
	for _, w := range setups {
		if w.prompt != nil {
			prompts = append(prompts, w.prompt)
		}
	}
	n.arguments = append(n.arguments, &Argument{
		Name: use.Name, Tool: use.Of, Where: check + ": " + use.Param, Pos: use.Pos, Scenario: n.within, Prompts: prompts,
		Expected: use.Wants,
	})
}

// checkGiven compares the arguments that a check gives to tools with their schemas. Those of agents may have others,
// which go along with the query.
func (n *Checker) checkGiven(c *checks.Compiled, setups []*setup) {
	for _, use := range c.ToolUses() {
		if strings.HasPrefix(use.Name, a2a.Prefix) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(use.Args)) {
			n.checkArgument("tool_exec", &checks.NameUse{
				Kind: checks.ArgumentName, Name: name, Of: use.Name, Param: "args", Pos: use.Pos,
			}, setups)
		}
	}
}
