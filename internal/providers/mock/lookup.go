package mock

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// find picks the reply for a call, by the first of these that has one:
//
//   - an agent's call: in a step of a composition the step's replies in the file, counted within the step; then the
//     turn's inline replies, counted within the turn or the step; then in the file the numbered reply of the scenario,
//     the scenario's default. The number is one more than the assistant messages so far, so that rounds of tool calls
//     count. In a file that comes first the numbered reply wins over the inline ones;
//   - a generated user message: the persona's numbered reply and default; for a persona that the file does not have,
//     the scenario's, with a doubt. Such a request has the roles swapped, so the number is counted in the same way and
//     is one more than the user messages so far;
//   - a summary: the scenario's summary of that number in the file, and nothing else;
//   - a judge: the judge's reply of that number in which it is asked about a turn, then its default;
//   - for the others the default of the file.
//
// Nothing found: without a file a generic text, which is no verdict of a judge; with one an error, unless lenient.
// doubt says that the generic text is none of the user's, for what nobody warned of before the run.
func (p *Provider) find(req *chat.Request) (canned *scenario.MockReply, doubt string, err error) {
	at := &req.Origin
	if at.Summary > 0 {
		return p.summary(at)
	}
	if rounds, ok := p.step(at); ok {
		if at.Reply < len(rounds) {
			return &rounds[at.Reply], "", nil
		}
		return p.missing(at, fmt.Sprintf("%s has %s for step %q of scenario %q, and reply %d was requested",
			p.File.File, plural.Of(len(rounds), "reply", "replies"), at.Step, at.Scenario, at.Reply+1))
	}
	n := 1 + at.Before + assistants(req.Messages)
	if at.Judge != "" {
		n = 1 + at.Turn
	}
	if canned = p.first(at, n); canned != nil {
		return canned, "", nil
	}
	if inline := p.inline(at); inline != nil {
		if n := at.Earlier + at.Reply; n < len(inline) {
			return &inline[n], "", nil
		}
		return p.missing(at, fmt.Sprintf("turn %d of scenario %q has %s, and reply %d was requested",
			at.Script()+1, at.Scenario, plural.Of(len(inline), "reply", "replies"), at.Earlier+at.Reply+1))
	}
	switch {
	case p.File == nil && at.Judge != "":
		return nil, "", &providers.Error{
			Kind: providers.BadReply, Provider: p.ID, Final: true,
			Msg: fmt.Sprintf("the judge %q has no mock reply; write judges: {%s: '{\"score\": 1}'} into the file of "+
				"--mock-config, or of the provider's mock_config", at.Judge, at.Judge),
		}
	case p.File == nil && at.Persona != "":
		return generic(), fmt.Sprintf("of the persona %s is a generic text: the provider %s has no mock replies",
			at.Persona, p.ID), nil
	case p.File == nil:
		return generic(), "", nil
	}
	if canned = p.fromFile(at, n); canned != nil {
		return canned, p.borrowed(at), nil
	}
	return p.missing(at, p.describe(at, n))
}

// summary is the summary for a context policy.
func (p *Provider) summary(at *chat.Origin) (*scenario.MockReply, string, error) {
	if p.File == nil {
		return generic(), fmt.Sprintf("was given for a summary that is a generic text: the provider %s has no mock replies",
			p.ID), nil
	}
	var list []scenario.MockReply
	if section := p.scenario(at); section != nil {
		list = section.Summaries
	}
	if at.Summary <= len(list) {
		return &list[at.Summary-1], "", nil
	}
	return p.missing(at, fmt.Sprintf("%s has %s for scenario %q below summaries, and summary %d was requested",
		p.File.File, plural.Of(len(list), "summary", "summaries"), at.Scenario, at.Summary))
}

// missing is the outcome if the user's files have replies, but none for this call.
func (p *Provider) missing(at *chat.Origin, what string) (*scenario.MockReply, string, error) {
	if p.Lenient && at.Judge == "" {
		return generic(), "is a generic text: " + what, nil
	}
	return nil, "", &providers.Error{Kind: providers.BadReply, Provider: p.ID, Msg: what, Final: true}
}

// step are the replies to the rounds of a step of a composition; ok is false where the file has none for it.
func (p *Provider) step(at *chat.Origin) (rounds []scenario.MockReply, ok bool) {
	if at.Step == "" || at.Judge != "" || at.Persona != "" || p.File == nil {
		return nil, false
	}
	if section := p.scenario(at); section != nil {
		rounds, ok = section.Steps[at.Step]
	}
	return rounds, ok
}

// first is the agent's numbered reply in a file that comes before the inline replies; nil: none.
func (p *Provider) first(at *chat.Origin, n int) *scenario.MockReply {
	if at.Judge != "" || at.Persona != "" || p.File == nil || !p.File.First {
		return nil
	}
	return p.scenario(at).At(n)
}

// inline is nil when the place of the call has no inline replies.
func (p *Provider) inline(at *chat.Origin) []scenario.MockReply {
	if p.Inline == nil || at.Judge != "" || at.Persona != "" {
		return nil
	}
	if inline := p.Inline(at.Scenario, at.Script()); len(inline) > 0 {
		return inline
	}
	return nil
}

func assistants(messages []chat.Message) (n int) {
	for i := range messages {
		if messages[i].Role == chat.Assistant {
			n++
		}
	}
	return n
}

func (p *Provider) fromFile(at *chat.Origin, n int) *scenario.MockReply {
	switch {
	case at.Judge != "":
		if r := numbered(p.File.Judges[at.Judge], n); r != nil {
			return r
		}
		return text(p.File.Default)
	case at.Persona != "":
		if own := p.persona(at); own != nil {
			return numbered(own, n)
		}
	}
	section := p.scenario(at)
	if r := numbered(section, n); r != nil {
		return r
	}
	return text(p.File.Default)
}

// borrowed says that a persona without its own replies uses those of the agent; "": it does not.
func (p *Provider) borrowed(at *chat.Origin) string {
	if at.Persona == "" || p.persona(at) != nil {
		return ""
	}
	return fmt.Sprintf("of the persona %s is one that is meant for the agent: %s has nothing for it below selfplay",
		at.Persona, p.File.File)
}

func (p *Provider) scenario(at *chat.Origin) *scenario.MockScenario {
	if s := p.File.Scenarios[at.Scenario]; s != nil || at.ScenarioAlias == "" {
		return s
	}
	return p.File.Scenarios[at.ScenarioAlias]
}

func (p *Provider) persona(at *chat.Origin) *scenario.MockScenario {
	if s := p.File.SelfPlay[at.Persona]; s != nil || at.PersonaAlias == "" {
		return s
	}
	return p.File.SelfPlay[at.PersonaAlias]
}

// numbered is the n-th reply of a section, else its default.
func numbered(s *scenario.MockScenario, n int) *scenario.MockReply {
	if s == nil {
		return nil
	}
	if r := s.At(n); r != nil {
		return r
	}
	return text(s.Default)
}

func text(s *string) *scenario.MockReply {
	if s == nil {
		return nil
	}
	return &scenario.MockReply{Content: *s}
}

// describe says which reply was looked for, and which exist.
func (p *Provider) describe(at *chat.Origin, n int) string {
	what, name, sections := "scenario", at.Scenario, p.File.Scenarios
	section := p.scenario(at)
	switch {
	case at.Judge != "":
		what, name, sections, section = "judge", at.Judge, p.File.Judges, p.File.Judges[at.Judge]
	case at.Persona != "":
		what, name, sections, section = "persona", at.Persona, p.File.SelfPlay, p.persona(at)
	}
	if at.Step != "" && section != nil {
		return fmt.Sprintf("%s has nothing for step %q of scenario %q: no reply %d, and no defaultResponse",
			p.File.File, at.Step, name, n)
	}
	if section == nil {
		return fmt.Sprintf("%s has nothing for %s %q and no defaultResponse; %s",
			p.File.File, what, name, known(what, name, sections))
	}
	if at.Judge != "" && n == 0 {
		return fmt.Sprintf("%s has no defaultResponse for judge %q, which is asked about a whole conversation: "+
			"what stands below turns answers only for turns", p.File.File, name)
	}
	return fmt.Sprintf("%s has no reply %d for %s %q; it has %s and no defaultResponse",
		p.File.File, n, what, name, numbers(section.Turns))
}

// known names the sections of a kind, the likely one first.
func known(what, name string, sections map[string]*scenario.MockScenario) string {
	names := slices.Sorted(maps.Keys(sections))
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	if len(names) == 0 {
		return "it names no " + what
	}
	const most = 8
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(sections)-most))
	}
	return fmt.Sprintf("it names %s", strings.Join(names, ", "))
}

// numbers writes the indexes of the replies as ranges: "replies 1-3, 5".
func numbers(turns []scenario.MockTurn) string {
	if len(turns) == 0 {
		return "no numbered reply"
	}
	var ranges []string
	for i := 0; i < len(turns); {
		j := i
		for j+1 < len(turns) && turns[j+1].Index == turns[j].Index+1 {
			j++
		}
		if i == j {
			ranges = append(ranges, fmt.Sprint(turns[i].Index))
		} else {
			ranges = append(ranges, fmt.Sprintf("%d-%d", turns[i].Index, turns[j].Index))
		}
		i = j + 1
	}
	if len(turns) == 1 {
		return "reply " + ranges[0]
	}
	return "replies " + strings.Join(ranges, ", ")
}
