package names

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools/memory"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// stepProblem is something wrong with the arguments of a tool step.
type stepProblem struct {
	code, text, hint string
}

// argumentProblems looks for unknown arguments of a tool, and for values that it does not accept. The placeholders in
// args are filled in; values with references are known only in the run.
func (u *toolUses) argumentProblems(c *scenario.Composition, tool string, args map[string]any) (found []stepProblem) {
	if !u.tools.Has(tool) {
		return u.ownArgumentProblems(c, tool, args)
	}
	if known, listed := u.tools.Arguments(tool); listed {
		if found = unknownArguments(tool, args, known); found != nil {
			return found
		}
	}
	if !composition.Refers(args) {
		if err := u.tools.Takes(tool, args); err != nil {
			found = append(found, stepProblem{"bad-arguments", tool + " does not take these arguments: " + err.Error(), ""})
		}
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if composition.Refers(args[name]) {
			continue
		}
		if why := u.tools.Refuses(tool, name, args[name]); why != "" {
			found = append(found, stepProblem{"bad-arguments", tool + " does not take this: " + name + " " + why, ""})
		}
	}
	for _, name := range u.tools.Required(tool) {
		if _, given := args[name]; !given {
			found = append(found, stepProblem{"bad-arguments", tool + " needs the argument " + name, ""})
		}
	}
	return found
}

func unknownArguments(tool string, args map[string]any, known []string) (found []stepProblem) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			found = append(found, stepProblem{
				"unknown-argument", "the tool " + tool + " has no argument " + jsonvalue.Compact(name), diag.HintKnown(name, known),
			})
		}
	}
	return found
}

// ownArgumentProblems is argumentProblems for a tool of arena's own, as the states offer it that run the composition.
func (u *toolUses) ownArgumentProblems(
	c *scenario.Composition, tool string, args map[string]any,
) (found []stepProblem) {
	names, words := u.ownArguments(c, tool)
	switch {
	case len(names) == 0 && own.Needs[tool] != nil:
		return []stepProblem{{"not-offered", "no state that runs the composition " + c.Name + " offers " + tool, ""}}
	case len(names) == 0: // of a server, or an unknown tool, which is reported elsewhere
		return nil
	}
	if found = unknownArguments(tool, args, names); found != nil {
		return found
	}
	for _, name := range own.Needs[tool] {
		if _, given := args[name]; !given {
			found = append(found, stepProblem{"bad-arguments", tool + " needs the argument " + name, ""})
		}
	}
	if len(found) == 0 && strings.HasPrefix(tool, memory.Prefix) && !composition.Refers(args) {
		if _, err := memory.Signature(tool).Take(args); err != nil {
			found = append(found, stepProblem{"bad-arguments", tool + " does not take these arguments: " + err.Error(), ""})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := args[name]
		text, isText := value.(string)
		switch {
		case !isText && value != nil && own.Signatures()[tool] != nil && !composition.Refers(value):
			found = append(found, stepProblem{"bad-arguments",
				tool + " does not take this: " + name + " must be a text, found " + jsonvalue.Compact(value), ""})
		case composition.Refers(value) || words[name] == nil:
		case !isText || !slices.Contains(words[name], text):
			found = append(found, stepProblem{"unknown-name", tool + ": " + name + ": a state that runs the composition " +
				c.Name + " has no " + jsonvalue.Compact(value), diag.HintKnown(text, words[name])})
		}
	}
	return found
}

// ownArguments are the arguments of a tool of arena's own in the states that run a composition, and the values of those
// that take only some.
func (u *toolUses) ownArguments(c *scenario.Composition, tool string) (names []string, words map[string][]string) {
	words = map[string][]string{}
	for _, offered := range u.ownOffers(c) {
		doc, err := chat.DecodeJSON(offered.Schema)
		schema, isObject := doc.(map[string]any)
		if offered.Name != tool || err != nil || !isObject {
			continue
		}
		all, _ := scenario.Arguments(schema)
		names = append(names, all...)
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			property, _ := property.(map[string]any)
			list, _ := property["enum"].([]any)
			for _, word := range list {
				if text, ok := word.(string); ok {
					words[name] = append(words[name], text)
				}
			}
		}
	}
	slices.Sort(names)
	for name := range words {
		slices.Sort(words[name])
		words[name] = slices.Compact(words[name])
	}
	return slices.Compact(names), words
}

// ownOffers are the tools of arena's own that the states offer which run a composition.
func (u *toolUses) ownOffers(c *scenario.Composition) (list []chat.Tool) {
	for _, state := range u.p.Workflow.States {
		if state.Mode != workflow.Composed || state.Composition != c.Name {
			continue
		}
		if !state.Ends() {
			list = append(list, own.Transition(u.p.Workflow.Graph, state))
		}
		if len(state.Artifacts) > 0 {
			list = append(list, own.SetArtifact(state))
		}
		if filter, err := skill.NewFilter(state.Skills); u.p.Skills != nil && err == nil {
			list = append(list, own.Skills(u.p.Skills.Allowed(filter))...)
		}
	}
	if u.p.Memory {
		list = append(list, memory.Tools()...)
	}
	for what := range own.MediaMakers(u.p) {
		list = append(list, own.Media()[what])
	}
	return list
}
