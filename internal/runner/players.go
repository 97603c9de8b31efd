package runner

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// player is the model that plays the user in a turn.
type player struct {
	role     string
	persona  *scenario.Persona
	endpoint *Endpoint
}

// players are the players of a scenario, by turn; nil: no user is played.
type players []*player

// at is the player in a turn of the scenario; nil: the turn is scripted.
func (p players) at(script int) *player {
	if script >= len(p) {
		return nil
	}
	return p[script]
}

// endpoints are the endpoints of the players, each once.
func (p players) endpoints() (list []*Endpoint) {
	met := map[*Endpoint]bool{}
	for _, one := range p {
		if one != nil && !met[one.endpoint] {
			met[one.endpoint] = true
			list = append(list, one.endpoint)
		}
	}
	return list
}

// Simulated reports whether no model of the trial is called at a server. Then the clock advances by simulated
// latencies, and the trial repeats byte for byte.
func (t *Trial) Simulated() bool {
	for _, one := range t.players {
		if one != nil && !one.endpoint.Simulated {
			return false
		}
	}
	return t.Endpoint.Simulated && (t.summarizer == nil || t.summarizer.Simulated)
}

// others are the endpoints of models other than the agent that take part in the trial, each once.
func (t *Trial) others() []*Endpoint {
	list := t.players.endpoints()
	if t.summarizer != nil && !slices.Contains(list, t.summarizer) {
		list = append(list, t.summarizer)
	}
	for _, e := range t.painters {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// playersOf opens the players of a scenario. It reports problems; ok is false then.
func (m *matrix) playersOf(p *scenario.Project, s *scenario.Scenario) (all players, ok bool) {
	if s.Skip != "" {
		return nil, true
	}
	ok = true
	for i := range s.Turns {
		turn := &s.Turns[i]
		persona, role := p.PersonaOf(turn), p.RoleOf(turn)
		if persona == nil || role == nil { // loading reports unknown names
			if turn.Persona() != "" && turn.Role != "user" {
				m.diags.Errorf(turn.Pos, 1, "unknown-name", "scenario %q: nobody plays the role %q", s.ID, turn.Role)
				ok = false
			}
			continue
		}
		one := m.player(p, s, turn, persona, role)
		if one == nil {
			ok = false
			continue
		}
		if all == nil {
			all = make(players, len(s.Turns))
		}
		all[i] = one
	}
	return all, ok
}

// player opens the provider of a role for a turn; nil: it cannot play the user, which is reported.
func (m *matrix) player(
	p *scenario.Project, s *scenario.Scenario, turn *scenario.Turn, persona *scenario.Persona, role *scenario.Role,
) *player {
	spec := providerOf(p, role.Provider)
	if spec == nil {
		m.diags.Errorf(role.Pos, diag.Width(role.ID), "unknown-name", "the role %q has no provider %q", role.ID,
			role.Provider)
		return nil
	}
	if reason, hint := unableToPlay(spec); reason != "" && !m.opts.MockProvider {
		m.refuseOnce(role.Pos, diag.Width(role.ID), "cannot-play",
			fmt.Sprintf("the role %q cannot be played by provider %s: %s", role.ID, spec.ID, reason), hint)
		return nil
	}
	endpoint := m.endpoint(p, spec)
	if endpoint == nil {
		return nil
	}
	one := &player{role: role.ID, persona: persona, endpoint: endpoint}
	if !endpoint.Simulated && !m.userFits(p, s, turn, one) {
		return nil
	}
	return one
}

// refuseOnce reports an error at a position once, for any number of scenarios.
func (m *matrix) refuseOnce(at diag.Pos, wide int, code, text, hint string) {
	if m.first(text) {
		m.diags.Errorf(at, wide, code, "%s", text).Hint = hint
	}
}

// unableToPlay says why a provider cannot play a user; "": it can.
func unableToPlay(spec *scenario.Provider) (reason, hint string) {
	switch {
	case spec.Role != "" && spec.Role != "llm":
		return "its own role is " + spec.Role, "name a provider of role llm"
	case spec.Type == scenario.ProgramType && spec.Program != nil && !spec.Program.Lines:
		return "its program answers one message (protocol: once) and would not know what was said before",
			"write protocol: lines, which keeps the program running"
	case spec.Type == scenario.HTTPType && spec.HTTP != nil && !spec.HTTP.Remembers():
		return "its endpoint is not told to which conversation a message belongs",
			"send {{session}}, {{history}} or {{messages}} in its body"
	}
	return "", ""
}

// userFits refuses parameters that the API of the player would refuse in every call.
func (m *matrix) userFits(p *scenario.Project, s *scenario.Scenario, turn *scenario.Turn, one *player) bool {
	spec, kind := one.endpoint.Spec, scenario.ProviderTypeOf(one.endpoint.Spec.Type)
	who := fmt.Sprintf("scenario %q: the persona %q", s.ID, one.persona.ID)
	params := userParameters(one.persona, turn)
	if t := params.temperature; kind.MaxTemperature > 0 && t > kind.MaxTemperature && !leavesOut(spec, "temperature") &&
		spec.ThinkingBudget == 0 {
		m.diags.Errorf(turn.Pos, 1, "out-of-range", "%s has the temperature %g, above the limit of provider %s, %g", who, t,
			spec.ID, kind.MaxTemperature).Hint = "lower user_temp in the turn, or defaults.temperature of the persona"
		return false
	}
	if budget := spec.Thoughts(); budget > 0 && params.maxTokens <= budget {
		m.diags.Errorf(turn.Pos, 1, "out-of-range",
			"%s has max_tokens %d, which must be above the thinking_budget %d of provider %s, which is a part of it", who,
			params.maxTokens, budget, spec.ID).Hint = "raise defaults.max_tokens of the persona"
		return false
	}
	seed := firstSet(m.opts.Calls.Seed, turn.More().Seed, one.persona.Seed)
	if seed != nil && kind.SmallSeed && !leavesOut(spec, "seed") {
		return m.takesSeed(p, s, spec, *seed)
	}
	return true
}

// userCall is the parameters of the calls of a model that plays a user.
type userCall struct {
	temperature float64
	seed        int64
	maxTokens   int
}

func userParameters(q *scenario.Persona, turn *scenario.Turn) userCall {
	c := userCall{scenario.UserTemperature, scenario.UserSeed, scenario.UserTokens}
	if turn.MayEnd() {
		c.maxTokens = scenario.UserTokensWithEnd
	}
	if t := firstSet(turn.More().SelfPlay.Temperature, q.Temperature); t != nil {
		c.temperature = *t
	}
	if seed := firstSet(turn.More().Seed, q.Seed); seed != nil {
		c.seed = *seed
	}
	if q.MaxTokens != nil {
		c.maxTokens = *q.MaxTokens
	}
	return c
}

// paysUsers reports whether models that play users are called, by clients that have a price.
func (t *Trial) paysUsers() bool {
	if t.Recorded != nil || t.Finished != nil {
		return false
	}
	for _, e := range t.players.endpoints() {
		if e.Spec.Type != scenario.ReplayType {
			return true
		}
	}
	return false
}

// paysContext reports whether the context policy calls models that have a price.
func (t *Trial) paysContext() bool {
	if t.Recorded != nil || t.Finished != nil {
		return false
	}
	return t.summarizer != nil || t.relevanceModel() != nil
}

// otherSources is sourceOf for the models other than the agent, by endpoint.
func (t *Trial) otherSources() map[*Endpoint]string {
	list := t.others()
	if len(list) == 0 {
		return nil
	}
	out := make(map[*Endpoint]string, len(list))
	for _, e := range list {
		out[e] = sourceOf(e)
	}
	return out
}

// providerOf is the provider of a project with a name; nil: none.
func providerOf(p *scenario.Project, name string) *scenario.Provider {
	if at := slices.IndexFunc(p.Providers, func(q *scenario.Provider) bool { return q.Is(name) }); at >= 0 {
		return p.Providers[at]
	}
	return nil
}

// notePlayers notes models that play users and are also tested, which is rarely intended, and models that are called
// although the agents under test are simulated.
func (m *matrix) notePlayers(spans []span) {
	var tested, playing []*Endpoint
	for i := range spans {
		tested = append(tested, spans[i].Endpoint)
		playing = append(playing, spans[i].players.endpoints()...)
	}
	simulated := !slices.ContainsFunc(tested, func(e *Endpoint) bool { return e != nil && !e.Simulated })
	alone := !slices.ContainsFunc(tested, func(e *Endpoint) bool { return e != nil && !slices.Contains(playing, e) })
	for _, e := range playing {
		if slices.Contains(tested, e) && !alone && !e.Spec.Grouped && !slices.ContainsFunc(m.providers.Words, e.Spec.Is) {
			m.note("provider %q plays users, and is tested too; so that it only plays, write group: users beside its file",
				e.Spec.ID)
		}
		if simulated && !e.Simulated {
			m.note("the agents are simulated, but provider %q, which plays users, is called; --mock-provider simulates it too",
				e.Spec.ID)
		}
	}
}
