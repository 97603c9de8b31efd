package names

import (
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/open"
)

// OpenToolUses is ToolUses for a project whose tools are not opened yet.
func OpenToolUses(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	registry, err := open.Registry(p, open.World{})
	if err != nil {
		d.Errorf(diag.Pos{File: p.File}, 1, "bad-tool", "%v", err)
		return
	}
	ToolUses(p, registry, chosen, d)
}

// ToolUses reports tool calls of checks and steps that cannot work: the project does not have the tool, or its schema
// refuses the arguments. It warns of states of a workflow that nobody can leave.
func ToolUses(p *scenario.Project, registry *tools.Registry, chosen []*scenario.Scenario, d *diag.List) {
	(&toolUses{p, registry, d}).report(chosen)
}

// toolUses reports tool calls of checks that cannot work.
type toolUses struct {
	p     *scenario.Project
	tools *tools.Registry
	diags *diag.List
}

func (u *toolUses) report(chosen []*scenario.Scenario) {
	u.reportSteps(chosen)
	u.reportStuck(chosen)
	preflight.RaisedLimits(u.p, chosen, u.diags)
	inventory.EachCheck(u.p, chosen, func(c *checks.Compiled) {
		for _, use := range c.ToolUses() {
			u.check(c.Type, use)
		}
	})
}

func (u *toolUses) check(check string, use *checks.ToolUse) {
	width := utf8.RuneCountInString(use.Name)
	if !u.tools.Has(use.Name) && mayBeListed(u.p, use.Name) {
		return // the trial finds out
	}
	if slices.Contains(u.p.OwnTools(), use.Name) && !u.tools.Has(use.Name) {
		u.diags.Errorf(use.Pos, width, "unknown-tool", "%s: only the agent can call %s", check, use.Name).Hint =
			"judge its calls, such as with tools_called"
		return
	}
	if !u.tools.Has(use.Name) {
		u.diags.Errorf(use.Pos, width, "unknown-tool", "%s: there is no tool %q to call", check, use.Name).Hint =
			u.hint(use.Name)
		return
	}
	if err := u.tools.Takes(use.Name, use.Args); err != nil {
		u.diags.Errorf(use.Pos, width, "bad-arguments", "%s: %s does not take these arguments: %v", check, use.Name, err)
	}
}

// hint says what to do about a tool that cannot be called.
func (u *toolUses) hint(name string) string {
	for _, t := range u.p.Tools {
		if t.Is(name) {
			return "this version of arena cannot run tools of mode " + t.Mode + " yet"
		}
	}
	if hint := diag.DidYouMean(name, u.tools.Names()); hint != "" {
		return hint
	}
	return "list its file under tools in the arena config"
}
