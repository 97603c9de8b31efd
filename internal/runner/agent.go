package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Agents of their own: programs and endpoints that hold the conversation themselves, in the place of a model.

// endAgent ends what the agent of the trial keeps running, and reports whether it ended well. One that did not makes
// the trial an error: what it said may not be all. Only the first call does anything.
func (s *session) endAgent(ctx context.Context) bool {
	notices, err := s.agent.End(context.WithoutCancel(ctx))
	for _, text := range notices {
		s.notice(text)
	}
	if err == nil {
		return true
	}
	if s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = err.Error()
	}
	return false
}

// ran reports whether the calls of the last reply were made already, by the agent itself: always, or, of one that has
// its tools run, those of which its traces tell.
func (s *session) ran() bool {
	spec := s.trial.Endpoint.Spec
	return spec.RunsTools() || spec.IsAgent() && len(s.toolResults) > 0
}

// told records the calls that an agent made itself, with what it says came of them. Nobody was asked whether they may
// be made, so that no policy and no consent has a say.
func (l *toolLoop) told(calls []chat.ToolCall, results []chat.ToolResult) error {
	if err := l.limits(len(calls)); err != nil {
		return err
	}
	round := l.s.emit.toolRound(calls)
	for i, call := range calls {
		at := slices.IndexFunc(results, func(r chat.ToolResult) bool { return r.ID == call.ID })
		res := chat.ToolResult{ID: call.ID, Name: call.Name}
		if at >= 0 {
			res = unmarked(results[at])
		}
		round.started(i)
		round.done(i, &res)
		if f := l.fault(call, 0).rule; f != nil {
			l.s.warnOnce(fmt.Sprintf("turn %d: the agent called %s itself: chaos could not make it fail (%s)", l.at.number+1,
				call.Name, f.Mode))
		}
		l.record(call, res, true)
	}
	l.calls += len(calls)
	l.s.called(make([]string, len(calls)))
	return nil
}

// keepTaken keeps the calls that a guardrail took out of the last reply, of an agent that had made them already. They
// have no place in the transcript, and checks count them.
func (l *toolLoop) keepTaken() {
	for _, call := range l.s.ranCalls {
		res := chat.ToolResult{ID: call.ID, Name: call.Name}
		if at := slices.IndexFunc(l.s.toolResults, func(r chat.ToolResult) bool { return r.ID == call.ID }); at >= 0 {
			res = l.s.toolResults[at]
		}
		l.keep(call, &res, false)
	}
	l.s.ranCalls = nil
}

// ReportAgents reports scenarios that the agents of a project cannot take part in, whatever the flags of a run.
func ReportAgents(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	var aside diag.List // what selecting finds is told elsewhere
	m := newMatrix(PlanOptions{}, &aside)
	defer m.close()
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		chosen := m.selectProviders(p, s)
		for _, spec := range chosen {
			reportAgent(s, spec, d)
		}
		reportWindow(p, s, chosen, defaultRegion, d)
	}
}

// reportAgent reports why a provider cannot hold the conversation of a scenario, and returns whether it can.
func reportAgent(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
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

// reportHTTPAgent is reportAgent for an agent behind HTTP.
func reportHTTPAgent(s *scenario.Scenario, spec *scenario.Provider, d *diag.List) bool {
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

// preflightAgent looks for what keeps the program of a provider from running: a program that is not there, variables
// that are not set. It starts nothing.
func preflightAgent(spec *scenario.Provider, getenv func(string) (string, bool), d *diag.List) (ok bool) {
	e := spec.Program
	if e == nil || spec.Type != scenario.ProgramType || len(e.Command) == 0 || getenv == nil {
		return true
	}
	before := d.Errors()
	who := "provider " + spec.ID
	if err := process.Find(e.Dir, e.Command[0]); err != nil {
		d.Errorf(e.CommandPos, width(e.Command[0]), "missing-program", "%s: %q cannot be started: %v", who, e.Command[0], err)
	}
	preflightEnv(who, e.Env, e.EnvPos, getenv, d)
	return d.Errors() == before
}
