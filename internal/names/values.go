package names

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// checkValues compares the arguments of arena's own tools that are names with the project's: a check that forbids an
// event, an artifact or a skill that nothing is called never fails.
func (n *Checker) checkValues(check string, use *checks.NameUse) {
	what, names := n.namesFor(use.Of, use.Name)
	if what == "" {
		return
	}
	for _, v := range use.Values {
		fits := func(name string) bool { return name == v.Text }
		if v.Pattern != nil {
			fits = v.Pattern.MatchString
		}
		if slices.ContainsFunc(names, fits) {
			continue
		}
		found := fmt.Sprintf("there is no %s %q", what, v.Text)
		if v.Pattern != nil {
			found = fmt.Sprintf("no %s matches %q", what, v.Text)
		}
		n.problem(v.Pos, v.Text, "unknown-name", "%s: %s: %s: %s", check, use.Param, use.Name, found).Hint =
			diag.HintKnown(v.Text, names)
	}
}

// namesFor returns which kind of name an argument of a tool holds, and the known names; "" if it is not a name, or
// nothing is known.
func (n *Checker) namesFor(tool, arg string) (what string, names []string) {
	w := n.Project.Workflow
	flows := w != nil && w.Graph != nil
	switch {
	case flows && tool == workflow.TransitionTool && arg == "event":
		return "event", w.Graph.EventNames()
	case flows && tool == workflow.ArtifactTool && arg == "name":
		return "artifact", w.Graph.ArtifactNames()
	case slices.Contains(skill.ToolNames, tool) && (arg == "name" || arg == "skill_name") && !n.hasInstalledSkills():
		if names, there := n.Project.Has(scenario.FeatureSkills); there {
			return "skill", names
		}
	}
	return "", nil
}
