package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// servedArgument is an argument that a check names, of a tool whose schema only an MCP server or an agent elsewhere can
// tell. A check that forbids an argument that the tool does not have would never fail.
type servedArgument struct {
	name, tool string
	where      string // tool_args: expected_args, or the like
	pos        diag.Pos
	scenario   *scenario.Scenario // nil: it matters in all of them
	prompts    []*scenario.Prompt // under which it matters
	wants      []checks.WantUse   // that it is compared with
}

// serveArgument leaves the name of an argument to the trials.
func (n *nameChecker) serveArgument(check string, use *checks.NameUse, setups []*setup) {
	if anyRecorded(setups) || anyToolAllowed(setups) || !mayBeListed(n.p, use.Of) {
		return
	}
	var prompts []*scenario.Prompt
	for _, w := range setups {
		if w.prompt != nil {
			prompts = append(prompts, w.prompt)
		}
	}
	n.arguments = append(n.arguments, &servedArgument{
		name: use.Name, tool: use.Of, where: check + ": " + use.Param, pos: use.Pos, scenario: n.within, prompts: prompts,
		wants: use.Wants,
	})
}

// checkGiven compares the arguments that a check gives to tools with their schemas. Those of agents may have others,
// which go along with the query.
func (n *nameChecker) checkGiven(c *checks.Compiled, setups []*setup) {
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

// unlistedWithin adds which names within the values for an argument the tool does not list.
func (s *session) unlistedWithin(a *servedArgument, add func(text string)) {
	for i := range a.wants {
		if path, name, known := s.box.Unlisted(a.tool, a.name, a.wants[i].Value); name != "" {
			add(fmt.Sprintf("%s: %s: %s of the tool %s has no %q: %s", a.wants[i].Pos, a.where, path, a.tool,
				name, diag.HintKnown(name, known)))
		}
	}
}

// wrongArguments says which arguments that checks name the tools do not have that servers have listed.
func (s *session) wrongArguments(atEnd bool) (wrong []string) {
	add := func(text string) {
		if !slices.Contains(wrong, text) {
			wrong = append(wrong, text)
		}
	}
	for _, a := range slices.Concat(s.trial.Project.arguments, s.rowArguments) {
		if a.scenario != nil && a.scenario != s.trial.Scenario || !slices.Contains(a.prompts, s.stance.prompt) {
			continue
		}
		known := s.served[s.box.Origin(a.tool)]
		mayChange := !atEnd && known != nil && !known.fixed
		args, listed := s.box.Arguments(a.tool)
		if !listed || slices.Contains(args, a.name) {
			if !mayChange {
				s.unlistedWithin(a, add)
			}
			s.noteMisfits(a)
			continue
		}
		if mayChange {
			continue
		}
		add(fmt.Sprintf("%s: %s: the tool %s has no argument %q: %s", a.pos, a.where, a.tool, a.name,
			cmp.Or(diag.DidYouMean(a.name, args), diag.HintKnown(a.name, args))))
	}
	return wrong
}
