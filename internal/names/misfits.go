package names

import (
	"regexp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
)

// ValueFitter tells whether the schema of a tool accepts a value; see tools.Registry.
type ValueFitter interface {
	Misfit(tool, argument string, v any) string
	Unmatched(tool, argument string, p *regexp.Regexp) string
}

// Misfit says why no valid call of a tool can have this value.
func Misfit(in ValueFitter, tool, argument string, v *checks.ExpectedUse) string {
	if v.Pattern != nil {
		return in.Unmatched(tool, argument, v.Pattern)
	}
	return in.Misfit(tool, argument, v.Value)
}

const misfitHint = "calls with other arguments are answered with an error; to forbid them all, use valid_tool_call"

// checkArgumentValues reports names within values that the schema of a tool of the project does not list, and warns of
// values that it does not take: a check that forbids one of them never fails.
func (n *Checker) checkArgumentValues(check string, use *checks.NameUse) {
	for i := range use.Wants {
		v := &use.Wants[i]
		if path, name, known := n.Tools.Unlisted(use.Of, use.Name, v.Value); name != "" {
			n.problem(v.Pos, " ", "unknown-argument", "%s: %s: %s of the tool %s has no %q", check, use.Param, path, use.Of,
				name).Hint = diag.HintKnown(name, known) + "; a schema with additionalProperties: true takes any"
			continue
		}
		if why := Misfit(n.Tools, use.Of, use.Name, v); why != "" {
			n.Diags.Warnf(v.Pos, 1, "bad-arguments", "%s: %s: %s %s, by the schema of %s", check, use.Param,
				use.Name, why, use.Of).Hint = misfitHint
		}
	}
}
