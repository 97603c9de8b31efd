package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Without a mock file, a turn without a scripted reply gets a generic text. It says nothing about the agent, and no
// check that forbids texts can fail on it. So it always causes a warning: before the run if other turns of the scenario
// have replies, otherwise when the text is used, since a guardrail may answer instead.

// genericReplies warns before the run.
type genericReplies struct {
	diags    *diag.List
	reported map[*scenario.Scenario]bool
}

// unaided reports whether a provider is a mock without a reply file.
func unaided(p *scenario.Project, spec *scenario.Provider) bool {
	return spec.Type == scenario.MockType && spec.Mock == nil && p.Mock == nil
}

// warnGenericReplies warns of planned turns without a reply.
func (m *matrix) warnGenericReplies(p *scenario.Project, spans []span) {
	g := genericReplies{diags: m.diags, reported: map[*scenario.Scenario]bool{}}
	for i := range spans {
		if t := &spans[i].Trial; t.Recorded == nil && t.Finished == nil && unaided(p, t.Endpoint.Spec) {
			g.scenario(t.Scenario)
		}
	}
}

// ReportGenericReplies warns of turns without a mock reply in scenarios where other turns have one, as far as the files
// show which providers are mocks.
func ReportGenericReplies(p *scenario.Project, d *diag.List) {
	mocked := func(q *scenario.Provider) bool { return unaided(p, q) }
	if d.Errors() > 0 || p.Mock != nil || len(p.Providers) > 0 && !slices.ContainsFunc(p.Providers, mocked) {
		return
	}
	g := genericReplies{diags: d, reported: map[*scenario.Scenario]bool{}}
	for _, s := range p.Scenarios {
		g.scenario(s)
	}
}

// scenario warns once of the turns of a scenario without a reply, if other turns have one.
func (g *genericReplies) scenario(s *scenario.Scenario) {
	if s.Skip != "" || g.reported[s] {
		return
	}
	g.reported[s] = true
	var bare []int
	first := -1
	for i := range s.Turns {
		switch {
		case s.Turns[i].Most() > 1: // its replies are counted when they come
		case len(s.Turns[i].Inline()) == 0:
			bare = append(bare, i)
		case first < 0:
			first = i
		}
	}
	if len(bare) == 0 || first < 0 {
		return
	}
	g.diags.Warnf(s.Turns[bare[0]].Pos, 1, "missing-reply",
		"%s no mock reply in scenario %q, and a mock answers with a generic text", turnsHave(bare), s.ID).Hint =
		"write mock: on each turn, as on turn " + strconv.Itoa(first+1) + ", or name a mock_config with the replies"
}

// turnsHave names turns: "turn 2 has", "turns 2, 4 have".
func turnsHave(turns []int) string {
	if len(turns) == 1 {
		return "turn " + strconv.Itoa(turns[0]+1) + " has"
	}
	numbers := make([]string, len(turns))
	for i, at := range turns {
		numbers[i] = strconv.Itoa(at + 1)
	}
	return "turns " + strings.Join(numbers, ", ") + " have"
}

// warnGeneric warns of the first generic text of a conversation, unless there was a warning before the run.
func (s *session) warnGeneric(at *chat.Origin) {
	sc := s.trial.Scenario
	if s.pending.generic || at.Persona != "" || at.Script() >= len(sc.Turns) {
		return
	}
	if !unaided(s.trial.Project.Project, s.trial.Endpoint.Spec) {
		return
	}
	if slices.ContainsFunc(sc.Turns, func(t scenario.Turn) bool { return len(t.Inline()) > 0 }) {
		return
	}
	s.pending.generic = true
	d := diag.Diagnostic{
		Pos:  sc.Turns[at.Script()].Pos,
		Msg:  fmt.Sprintf("turn %d of scenario %q has no mock reply: it got a generic text", at.Script()+1, sc.ID),
		Hint: "write mock: on each turn, or name a mock_config with the replies",
	}
	s.warnOnce(d.Advice())
}

// genericTool is the warning about a tool that answers with a generic text.
func (p *project) genericTool(name string) string {
	d := diag.Diagnostic{
		Pos: p.toolPos(name), Msg: "the tool " + name + " has no mock_result: it answers with a generic text",
		Hint: "write mock_result, what the scenario needs of it",
	}
	return d.Advice()
}

// toolPos is the position of a tool in the files; zero: not in a file.
func (p *project) toolPos(name string) diag.Pos {
	for _, t := range p.Tools {
		if t.ID == name {
			return t.Pos
		}
	}
	return diag.Pos{}
}
