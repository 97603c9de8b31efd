package runner

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// valueFitter tells whether the schema of a tool takes a value; see tools.Registry.
type valueFitter interface {
	Misfit(tool, argument string, v any) string
	Unmatched(tool, argument string, p *regexp.Regexp) string
}

// misfit says why no call that the schema of a tool takes can have a value.
func misfit(in valueFitter, tool, argument string, v *checks.WantUse) string {
	if v.Pattern != nil {
		return in.Unmatched(tool, argument, v.Pattern)
	}
	return in.Misfit(tool, argument, v.Value)
}

const misfitHint = "calls with other arguments are answered with an error; to forbid them all, use valid_tool_call"

// checkArgumentValues reports names within values that the schema of a tool of the project does not list, and warns of
// values that it does not take: a check that forbids one of them never fails.
func (n *nameChecker) checkArgumentValues(check string, use *checks.NameUse) {
	for i := range use.Wants {
		v := &use.Wants[i]
		if path, name, known := n.tools.Unlisted(use.Of, use.Name, v.Value); name != "" {
			n.problem(v.Pos, " ", "unknown-argument", "%s: %s: %s of the tool %s has no %q", check, use.Param, path, use.Of,
				name).Hint = diag.HintKnown(name, known) + "; a schema with additionalProperties: true takes any"
			continue
		}
		if why := misfit(n.tools, use.Of, use.Name, v); why != "" {
			n.diags.Warnf(v.Pos, 1, "bad-arguments", "%s: %s: %s %s, by the schema of %s", check, use.Param,
				use.Name, why, use.Of).Hint = misfitHint
		}
	}
}

// noteMisfits notes the values for an argument that the schema does not take that a server has listed.
func (s *session) noteMisfits(a *servedArgument) {
	for i := range a.wants {
		v := &a.wants[i]
		why := misfit(s.box, a.tool, a.name, v)
		if why == "" {
			continue
		}
		text := fmt.Sprintf("%s: %s: %s %s, by the schema of %s", v.Pos, a.where, a.name, why, a.tool)
		s.warnOnce(text)
	}
}

// warnOnce keeps a warning for the end of the trial.
func (s *session) warnOnce(text string) {
	if !slices.Contains(s.misfits, text) {
		s.misfits = append(s.misfits, text)
	}
}

// reportMisfits warns of such values: a check that forbids one of them never fails. With --strict such a trial is an
// error.
func (s *session) reportMisfits() {
	s.out.Warnings = append(s.out.Warnings, s.misfits...)
	if len(s.misfits) > 0 && s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = s.misfits[0]
	}
}
