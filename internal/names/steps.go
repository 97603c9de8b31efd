package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkSteps compares the steps that a check names with those of the project's compositions. They must be of the kind
// that the check looks at, and a branch must be able to lead where it is expected to.
func (n *Checker) checkSteps(check string, names []checks.NameUse) {
	branch := "" // the branch whose direction is expected
	for i := range names {
		use := &names[i]
		if use.Kind != checks.StepName {
			continue
		}
		if use.Param == "branch" {
			branch = use.Name
		}
		n.checkStep(check, use, branch)
	}
}

func (n *Checker) checkStep(check string, use *checks.NameUse, branch string) {
	if len(n.Project.Compositions) == 0 {
		return // reported, or the conversation may be of another project
	}
	var kinds []composition.Kind
	switch use.Param {
	case "branch":
		kinds = []composition.Kind{composition.Branch}
	case "parallel":
		kinds = []composition.Kind{composition.Parallel}
	case "step":
		kinds = []composition.Kind{composition.Prompt, composition.Agent, composition.Tool, composition.Parallel}
	default:
		n.checkTarget(check, use, branch)
		return
	}
	var fitting []string
	other := composition.Kind("")
	for s := range stepsOf(n.Project) {
		if slices.Contains(kinds, s.Kind) {
			fitting = append(fitting, s.ID)
		} else if s.ID == use.Name {
			other = s.Kind
		}
	}
	switch {
	case slices.Contains(fitting, use.Name):
	case other != "":
		n.problem(use.Pos, use.Name, "unknown-name",
			"%s: %s: %q is a %s step, and this check looks at other kinds of steps", check, use.Param, use.Name,
			other).Hint = knownSteps(use.Name, fitting)
	default:
		n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: there is no %s %q", check, use.Param, stepWord(use.Param),
			use.Name).Hint = knownSteps(use.Name, fitting)
	}
}

// checkTarget reports a step to which a branch never leads.
func (n *Checker) checkTarget(check string, use *checks.NameUse, branch string) {
	var ways []string
	found := false
	for s := range stepsOf(n.Project) {
		if s.ID == branch && s.Kind == composition.Branch {
			found = true
			ways = append(ways, s.Then)
			if s.Else != "" {
				ways = append(ways, s.Else)
			}
		}
	}
	if !found || slices.Contains(ways, use.Name) {
		return
	}
	n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: the branch %q never leads to %q", check, use.Param, branch,
		use.Name).Hint = fmt.Sprintf("it leads to %s", strings.Join(slices.Compact(ways), " or to "))
}

func stepWord(param string) string {
	if param == "parallel" {
		return "parallel step"
	}
	return param
}

func knownSteps(name string, fitting []string) string {
	if len(fitting) == 0 {
		return "the compositions of this project have none"
	}
	return diag.HintKnown(name, fitting)
}

// stepsOf yields the steps of all compositions of a project.
func stepsOf(p *scenario.Project) func(yield func(*composition.Step) bool) {
	return func(yield func(*composition.Step) bool) {
		for _, c := range p.Compositions {
			for s := range c.All() {
				if !yield(s) {
					return
				}
			}
		}
	}
}
