package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportOwnTools reports failures that a scenario injects into the calls of an agent that runs its tools itself: arena
// does not see these calls before they are made. It returns whether there are none.
func reportOwnTools(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
	if !spec.RunsTools() {
		return true
	}
	for i := range s.Turns {
		if len(s.Turns[i].More().Chaos) == 0 {
			continue
		}
		rule := &s.Turns[i].Rare.Chaos[0]
		e := d.Errorf(rule.Pos, diag.Width(rule.Tool), "own-tools",
			"chaos: the agent of provider %s calls its tools itself, so "+
				"arena cannot make %s fail", spec.ID, rule.Tool)
		e.Hint = "take the rule out, or choose another provider for scenario " + s.ID
		if spec.Program != nil {
			e.Hint += "; a program that has its tools run by arena says so with tools: arena"
		}
		return false
	}
	return true
}

// Agent reports why a provider cannot hold the conversation of a scenario, and returns whether it can. Of one without a
// turn, whose file has an error, it says nothing.
func Agent(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
	if len(s.Turns) == 0 {
		return true
	}
	if s.Skip == "" && !reportOwnTools(s, spec, d) {
		return false
	}
	if what := spec.Makes(); what != "" && s.Skip == "" && s.MostTurns() > 1 {
		d.Errorf(secondTurn(s), 1, "too-many-turns", "scenario %q has %s, and provider %s makes %ss: it is asked by one "+
			"message, and would not know what was said before", s.ID, plural.Count(s.MostTurns(), "turn"), spec.ID, what).
			Hint = "make each turn a scenario; where it is only there to be asked by the tool " + scenario.MediaTool(what) +
			", give it a group of its own, in providers of the config"
		return false
	}
	if spec.HTTP != nil && spec.Type == scenario.HTTPType && s.Skip == "" {
		return reportHTTPAgent(s, spec, d)
	}
	if spec.Program == nil || spec.Type != scenario.ProgramType || spec.Program.Lines || s.Skip != "" {
		return true
	}
	if n := s.MostTurns(); n > 1 {
		d.Errorf(secondTurn(s), 1, "too-many-turns", "scenario %q has %s, and the program of provider %s answers one "+
			"(protocol: once): it would not know what was said before", s.ID, plural.Count(n, "turn"), spec.ID).
			Hint = "write protocol: lines, which keeps the program running, or make each turn a scenario"
		return false
	}
	for _, part := range s.Turns[0].Parts {
		if part.Media != nil {
			d.Errorf(s.Turns[0].Pos, 1, "text-only", "scenario %q sends a part of type %s, and the program of provider %s gets "+
				"text alone (protocol: once)", s.ID, part.Type, spec.ID).Hint = "write protocol: lines"
			return false
		}
	}
	return true
}

// secondTurn is where the second message of the user comes from.
func secondTurn(s *scenario.Scenario) diag.Pos {
	if s.Turns[0].Most() > 1 {
		return s.Turns[0].Pos
	}
	return s.Turns[1].Pos
}

// reportRowFields reports fields of rows that an endpoint is sent and that no row of the scenario has.
func reportRowFields(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
	for _, f := range spec.HTTP.RowFields() {
		place := "{{row." + f.Name + "}}"
		switch {
		case s.Dataset == nil:
			d.Errorf(f.Pos, 1, "no-dataset", "provider %s sends %s, a field of the row of a dataset, and scenario %q has no "+
				"dataset", spec.ID, place, s.ID).Hint = "give the scenario a dataset, or send its words by {{message}}"
			return false
		case s.Dataset.Sound() && !slices.Contains(s.Dataset.Fields(), f.Name):
			hint := cmp.Or(diag.DidYouMean(f.Name, s.Dataset.Fields()), "its fields: "+strings.Join(s.Dataset.Fields(), ", "))
			d.Errorf(f.Pos, 1, "unknown-name", "provider %s sends %s, and no row of %s, the dataset of scenario %q, has a "+
				"field %q", spec.ID, place, s.Dataset.Name, s.ID, f.Name).Hint = hint
			return false
		}
	}
	return true
}

// reportHTTPAgent is Agent for an agent behind HTTP.
func reportHTTPAgent(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
	if !reportRowFields(s, spec, d) {
		return false
	}
	if n := s.MostTurns(); n > 1 && !spec.HTTP.Remembers() {
		d.Errorf(secondTurn(s), 1, "too-many-turns", "scenario %q has %s, and the endpoint of provider %s is not told to "+
			"which conversation a message belongs: it would not know what was said before", s.ID, plural.Count(n, "turn"),
			spec.ID).Hint = "send {{session}}, {{history}} or {{messages}} in its body, or make each turn a scenario"
		return false
	}
	for i := range s.Turns {
		if why, hint := unplacedMedia(s, i, spec); why != "" {
			d.Errorf(s.Turns[i].Pos, 1, "text-only", "scenario %q sends %s", s.ID, why).Hint = hint
			return false
		}
	}
	return true
}

// unplacedMedia says why the media of a turn would not reach an agent behind HTTP; "": they would.
func unplacedMedia(s *scenario.Scenario, turn int, spec *scenario.Provider) (why, hint string) {
	var kinds []string
	for _, part := range s.Turns[turn].Parts {
		if part.Media != nil {
			kinds = append(kinds, part.Type)
		}
	}
	places, most := spec.HTTP.PlacesMedia()
	switch last := turn == len(s.Turns)-1; {
	case len(kinds) == 0 || spec.ShowsMedia() && spec.HTTP.Sends("messages"):
		return "", ""
	case !places:
		return fmt.Sprintf("a part of type %s, and the body of provider %s has no place for it", kinds[0], spec.ID),
			"write {{medium.data_url}} or {{medium.data}} where the endpoint takes it; or, for media in {{messages}}, say in " +
				"capabilities what it takes: [vision]"
	case len(kinds) > most:
		return fmt.Sprintf("%s with a turn, and the body of provider %s has a place for one", plural.Of(len(kinds),
			"medium", "media"),
			spec.ID), `write the places into an item of a list, which stands there for each: images: ["{{medium.data_url}}"]`
	case !last && !spec.HTTP.Sends("session") && !spec.ShowsMedia():
		return fmt.Sprintf("a part of type %s before its last turn, and the endpoint of provider %s would not know it any "+
				"more "+
				"in the next one", kinds[0], spec.ID),
			"send {{session}}; or, for media in {{history}}, say in capabilities what it takes: [vision]"
	}
	return "", ""
}

// AgentProgram looks for what keeps the program of a provider from running: a program that is not there, variables
// that are not set. It starts nothing.
func AgentProgram(spec *scenario.Provider, getenv func(string) (string, bool), d *diag.List) (ok bool) {
	e := spec.Program
	if e == nil || spec.Type != scenario.ProgramType || len(e.Command) == 0 || getenv == nil {
		return true
	}
	before := d.Errors()
	who := "provider " + spec.ID
	if err := process.Find(e.Dir, e.Command[0]); err != nil {
		d.Errorf(e.CommandPos, diag.Width(e.Command[0]), "missing-program", "%s: %q cannot be started: %v", who,
			e.Command[0], err)
	}
	reportUnset(who, e.Env, e.EnvPos, getenv, d)
	return d.Errors() == before
}
