package result

import (
	"slices"
	"strings"
)

// Declared lists the names that a project of a run declared. A later judgement compares names in checks with them: a
// name that was added since cannot have occurred in the trials.
type Declared struct {
	Project string `json:"project,omitempty"` // prefix of the ids of its trials; "" in a run of one project
	File    string `json:"file,omitempty"`    // its config
	// Names are the names by kind, sorted. A missing kind is not known; an empty list says that the project had none.
	Names map[string][]string `json:"names"`
}

// The kinds of names in Declared.
const (
	DeclaredTools      = "tool" // missing if agents could call other tools too
	DeclaredServers    = "server"
	DeclaredAgents     = "agent"
	DeclaredSkills     = "skill"
	DeclaredStates     = "state"
	DeclaredEntered    = "entered state" // entered by a transition
	DeclaredEnds       = "terminal state"
	DeclaredWays       = "transition" // as Way writes it
	DeclaredEvents     = "event"
	DeclaredArtifacts  = "artifact"
	DeclaredGuardrails = "guardrail"
	DeclaredSteps      = "step"

	// The definitions of tools and skills: the name of each, with a sum of what the model is told and what it does.
	DeclaredToolSums  = "definition of a tool"
	DeclaredSkillSums = "definition of a skill"

	declaredArgument = "argument of "  // a tool
	declaredTarget   = "target of "    // a branch
	declaredRule     = "guardrail of " // a prompt, by its task type
	declaredFill     = "values of "    // a scenario, which are filled into guardrails
)

// DeclaredArguments is the kind of the arguments of a tool. It is not there when the tool takes any.
func DeclaredArguments(tool string) string { return declaredArgument + tool }

// DeclaredTargets is the kind of the steps to which a branch leads.
func DeclaredTargets(branch string) string { return declaredTarget + branch }

// DeclaredRules is the kind of the guardrails of a prompt: the type of each, with a hash of its parameters.
func DeclaredRules(prompt string) string { return declaredRule + prompt }

// DeclaredFill is the kind of the values that a scenario fills into guardrails: a sum of them.
func DeclaredFill(scenario string) string { return declaredFill + scenario }

// Way writes a transition for people. It has no event when it is the redirect of a state that is full.
func Way(from, event, to string) string {
	if event == "" {
		return from + " → " + to + " (redirect)"
	}
	return from + " —" + event + "→ " + to
}

// KnownAbsent reports whether the project is known not to have declared this name.
func (d *Declared) KnownAbsent(kind, name string) bool {
	names, known := d.Names[kind]
	return known && !slices.Contains(names, name)
}

// Of reports whether the trial with this id belongs to the project.
func (d *Declared) Of(trial string) bool { return strings.HasPrefix(trial, d.Project) }

// Map returns a copy with f applied to every name.
func (d *Declared) Map(f func(string) string) Declared {
	out := Declared{Project: f(d.Project), File: f(d.File), Names: make(map[string][]string, len(d.Names))}
	for kind, names := range d.Names {
		list := make([]string, len(names))
		for i := range names {
			list[i] = f(names[i])
		}
		out.Names[kind] = list
	}
	return out
}

// DeclaredOf returns what the project of a trial declared; nil: not known.
func DeclaredOf(all []Declared, trial string) *Declared {
	var found *Declared
	for i := range all {
		if d := &all[i]; d.Of(trial) && (found == nil || len(d.Project) > len(found.Project)) {
			found = d
		}
	}
	return found
}
