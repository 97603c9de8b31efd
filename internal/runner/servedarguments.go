package runner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/names"
)

// unlistedWithin adds which names within the values for an argument the tool does not list.
func (s *session) unlistedWithin(a *names.Argument, add func(text string)) {
	for i := range a.Expected {
		if path, name, known := s.box.Unlisted(a.Tool, a.Name, a.Expected[i].Value); name != "" {
			add(fmt.Sprintf("%s: %s: %s of the tool %s has no %q: %s", a.Expected[i].Pos, a.Where, path, a.Tool,
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
	for _, a := range slices.Concat(s.trial.Project.arguments, s.servers.rowArguments) {
		if a.Scenario != nil && a.Scenario != s.trial.Scenario || !slices.Contains(a.Prompts, s.stance.prompt) {
			continue
		}
		known := s.servers.known[s.box.Origin(a.Tool)]
		mayChange := !atEnd && known != nil && !known.fixed
		args, listed := s.box.Arguments(a.Tool)
		if !listed || slices.Contains(args, a.Name) {
			if !mayChange {
				s.unlistedWithin(a, add)
			}
			s.noteMisfits(a)
			continue
		}
		if mayChange {
			continue
		}
		add(fmt.Sprintf("%s: %s: the tool %s has no argument %q: %s", a.Pos, a.Where, a.Tool, a.Name,
			cmp.Or(diag.DidYouMean(a.Name, args), diag.HintKnown(a.Name, args))))
	}
	return wrong
}
