package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// servedName is a name of a tool, or a pattern of names that ends in *, that only an MCP server or an agent elsewhere
// can tell to be right. A check that forbids a call of a tool that does not exist would never fail.
type servedName struct {
	name     string
	where    string             // tools_not_called: tools, or the like
	pos      diag.Pos           // zero: of something that stands in the file of the prompt
	server   *scenario.Server   // that is to have it; nil: one of the remote agents is
	card     bool               // it may be the name on the card of an agent
	scenario *scenario.Scenario // nil: it matters in all of them
	prompts  []*scenario.Prompt // under which it matters
	always   bool               // it matters under all of them
	check    bool               // a check has it, and is told of where the name was not compared

	compared, missed atomic.Bool // in a trial: with what was listed; not, as nothing was
}

// checkServed takes care of the name of a tool that belongs to an MCP server of the project. It is false for others.
func (n *nameChecker) checkServed(check string, use *checks.NameUse, setups []*setup) bool {
	if use.Pattern == nil && n.finished && len(n.p.Servers) > 0 && strings.HasPrefix(use.Name, scenario.ServerPrefix) {
		if why, hint := n.p.NotServed(use.Name); why != "" {
			n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, why).Hint = hint
			return true
		}
	}
	if use.Pattern != nil || anyRecorded(setups) || anyToolAllowed(setups) || slices.Contains(n.knownTools(), use.Name) {
		return false
	}
	server := n.p.ServerOf(use.Name)
	if server == nil && use.Kind == checks.ToolName {
		server = preflight.ServedBy(n.p, use.Name)
	}
	if server == nil && !strings.HasPrefix(use.Name, scenario.ServerPrefix) {
		return false
	}
	if why, hint := n.p.NotServed(use.Name); why != "" && (server == nil || server.Image == nil) {
		n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, why).Hint = hint
		return true
	}
	if server == nil {
		return false
	}
	may, does := false, false
	var prompts []*scenario.Prompt
	for _, w := range setups {
		if w.prompt != nil && server.MayServe(w.prompt.AllowedTools) {
			may, prompts = true, append(prompts, w.prompt)
			does = does || scenario.Offers(w.prompt.AllowedTools, use.Name)
		}
	}
	switch {
	case !may:
		n.problem(use.Pos, use.Name, "not-offered", "%s: %s: no prompt here offers a tool of the MCP server %q, "+
			"so the server is not asked whether it has this one", check, use.Param, server.Name).
			Hint = "list the tool under allowed_tools of the prompt"
		return true
	case !does:
		n.warnNotOffered(check, use)
	}
	n.serve(&servedName{
		name: use.Name, where: check + ": " + use.Param, pos: use.Pos, server: server, scenario: n.within, prompts: prompts,
		check: true,
	})
	return true
}

// checkAsked leaves a name that only the card of a remote agent can tell to be right to the trials. It is false for
// others. fits tells what the name means.
func (n *nameChecker) checkAsked(
	check string, use *checks.NameUse, setups []*setup, fits func(string) bool,
) bool {
	card := use.Kind == checks.AgentName && !strings.HasPrefix(use.Name, a2a.Prefix)
	if use.Pattern != nil || anyRecorded(setups) || anyToolAllowed(setups) || slices.ContainsFunc(n.knownTools(), fits) ||
		card && (len(n.p.Agents) == 0 || n.isRemoteAgent(use.Name)) || !card && !n.isAsked(use.Name) {
		return false
	}
	var prompts []*scenario.Prompt
	for _, w := range setups {
		if w.prompt != nil {
			prompts = append(prompts, w.prompt)
		}
	}
	if len(prompts) == 0 {
		n.warnNotOffered(check, use)
		return true
	}
	n.serve(&servedName{
		name: use.Name, where: check + ": " + use.Param, pos: use.Pos, card: card, scenario: n.within, prompts: prompts,
		check: true,
	})
	return true
}

// isAsked reports whether only the card of a remote agent can tell a name of a tool to be right.
func (n *nameChecker) isAsked(tool string) bool {
	_, known := slices.BinarySearch(n.knownTools(), tool)
	return strings.HasPrefix(tool, a2a.Prefix) && len(n.p.Agents) > 0 && !known
}

// serve leaves a name to the trials.
func (n *nameChecker) serve(name *servedName) { n.served = append(n.served, name) }

// serveRules leaves the names of servers' tools to the trials that stand in a scenario and its prompts.
func (n *nameChecker) serveRules(s *scenario.Scenario, prompts []*scenario.Prompt) {
	add := func(where string, pos diag.Pos, names ...string) {
		for _, name := range names {
			if server := n.serverOf(name); server != nil || n.isAsked(name) {
				n.serve(&servedName{name: name, where: where, pos: pos, server: server, scenario: s, prompts: prompts})
			}
		}
	}
	for i := range s.Turns {
		for _, rule := range s.Turns[i].More().Chaos {
			add("chaos", rule.Pos, rule.Tool)
		}
		for _, c := range s.Turns[i].More().Consent {
			add("consent_overrides", c.Pos, c.Tool)
		}
	}
	for _, prompt := range prompts {
		if prompt == nil {
			continue
		}
		in := []*scenario.Prompt{prompt}
		add := func(where string, within *scenario.Scenario, names ...string) {
			for _, name := range names {
				if server := n.serverOf(name); server != nil || n.isAsked(name) {
					n.serve(&servedName{name: name, where: where, server: server, scenario: within, prompts: in})
				}
			}
		}
		policy := s.PolicyUnder(prompt, nil)
		add("allowed_tools", nil, prompt.AllowedTools...)
		add("tool_policy.blocklist", s, policy.Blocklist...)
		if policy.ChoosesTool() {
			add("tool_policy.tool_choice", s, policy.Choice)
		}
	}
}

// serverOf is the server that is to have a tool, or tools by a pattern; nil: none, or the project has it.
func (n *nameChecker) serverOf(tool string) *scenario.Server {
	own := func(name string) bool { return scenario.Offers([]string{tool}, name) }
	if tool == "" || slices.ContainsFunc(n.knownTools(), own) {
		return nil
	}
	return preflight.ServedBy(n.p, tool)
}

// matters reports whether a name matters in a trial that stands under a prompt.
func (n *servedName) matters(t *Trial, prompt *scenario.Prompt) bool {
	return (n.scenario == nil || n.scenario == t.shared()) && (n.always || slices.Contains(n.prompts, prompt))
}

// checkServed compares the names that a trial makes use of with what servers have listed. At the end of a conversation
// no server can have more tools than it has told of; before that only some say so.
func (s *session) checkServed(atEnd bool) error {
	var wrong []string
	for _, n := range slices.Concat(s.trial.Project.served, s.rowServed) {
		known := s.servedBy(n.server)
		if known == nil || !n.matters(s.trial, s.stance.prompt) {
			if atEnd && (n.scenario == nil || n.scenario == s.trial.shared()) {
				n.missed.Store(true)
			}
			continue
		}
		n.compared.Store(true)
		if known.has(n) || !atEnd && !known.fixed {
			continue
		}
		near := known.names
		if n.server != nil && n.server.Image != nil { // the tools of the project have names of the same kind
			near = append(slices.Clip(near), s.trial.Project.tools.Names()...)
		}
		if text := n.absent(near); !slices.Contains(wrong, text) {
			wrong = append(wrong, text)
		}
	}
	wrong = append(wrong, s.wrongArguments(atEnd)...)
	if len(wrong) == 0 {
		return nil
	}
	if text := strings.Join(wrong, "\n"); !s.trial.Project.lenient {
		return errors.New(text)
	}
	for _, text := range wrong {
		s.notice(text)
	}
	return nil
}

// serveFinished leaves a name in a check of finished trials to what servers and agents told of in them.
func (n *nameChecker) serveFinished(check string, use *checks.NameUse) {
	if !n.finished || use.Pattern != nil || slices.Contains(n.knownTools(), use.Name) {
		return
	}
	server := n.p.ServerOf(use.Name)
	card := use.Kind == checks.AgentName && !strings.HasPrefix(use.Name, a2a.Prefix)
	switch {
	case server != nil || n.isAsked(use.Name):
	case !card || len(n.p.Agents) == 0 || n.isRemoteAgent(use.Name) || slices.Contains(agentNames(n.p), use.Name):
		return
	}
	n.serve(&servedName{
		name: use.Name, where: check + ": " + use.Param, pos: use.Pos, server: server, card: card, scenario: n.within,
		always: true,
	})
}

// compared are the names in checks that were compared with what servers and agents have.
func (p *Plan) compared() map[claims.Name]bool {
	met := map[claims.Name]bool{}
	for in := range p.projects() {
		for _, n := range in.served {
			if n.compared.Load() {
				met[claims.Name{Pos: n.pos, Name: n.name}] = true
			}
		}
	}
	return met
}

// claimCompared claims that the names in checks are held against something: that somebody is asked for tools in the
// trials where they matter.
func (p *Plan) claimCompared(claim claims.Maker) {
	for in := range p.projects() {
		for i, n := range in.served {
			if !n.check {
				continue
			}
			whom := "no agent was asked for its card"
			if n.server != nil {
				whom = fmt.Sprintf("the MCP server %q was not asked for its tools", n.server.Name)
			}
			one := claim("served", n.pos, fmt.Sprint(n.name, "#", i))
			one.Settle(n.compared.Load() || p.tracker.Called(n.isCalledBy), p.tracker.HasTurns() && n.missed.Load(), diag.Diagnostic{
				Severity: diag.Warning, Pos: n.pos, Width: diag.Width(n.name), Code: "never-named",
				Msg: fmt.Sprintf("%s: %q may not exist: no conversation called it, and %s",
					n.where, n.name, whom),
			})
			one.Place = fmt.Sprintf("%s %s", n.pos, n.name)
		}
	}
}

// isCalledBy reports whether a call of a tool calls what has the name.
func (n *servedName) isCalledBy(tool string) bool {
	if n.card {
		return a2a.Asks(tool, n.name)
	}
	return tool == n.name
}

// absent says that a server has no tool of a name.
func (n *servedName) absent(known []string) string {
	text := fmt.Sprintf("%s: no agent has the tool %q", n.where, n.name)
	switch {
	case n.card:
		text = fmt.Sprintf("%s: there is no agent %q", n.where, n.name)
	case n.server != nil && strings.HasSuffix(n.name, "*"):
		text = fmt.Sprintf("%s: no tool of the MCP server %q fits %q", n.where, n.server.Name, n.name)
	case n.server != nil:
		text = fmt.Sprintf("%s: the MCP server %q has no tool %q", n.where, n.server.Name,
			strings.TrimPrefix(n.name, n.server.Prefix()))
	}
	if n.pos.File != "" {
		text = n.pos.String() + ": " + text
	}
	if strings.HasSuffix(n.name, "*") {
		if len(known) == 0 {
			return text + ": it has none at all"
		}
		return text + ": it has " + strings.Join(known[:min(len(known), 20)], ", ")
	}
	if n.card { // an agent is named as its card is: the first part of the names of its tools
		cards := map[string]bool{}
		for _, tool := range known {
			card, _, _ := strings.Cut(strings.TrimPrefix(tool, a2a.Prefix), "__")
			cards[card] = true
		}
		known = slices.Sorted(maps.Keys(cards))
		if near := diag.DidYouMean(a2a.Plain(n.name), known); near != "" {
			return text + ": " + near
		}
		return text
	}
	if near := diag.DidYouMean(n.name, known); near != "" {
		return text + ": " + near
	}
	return text
}

// misnamed says that a mock calls a tool that no MCP server and no agent has: its author erred, and not a model. It is
// "" where that is not so.
func (s *session) misnamed(tool string) string {
	p := s.trial.Project
	if s.trial.Endpoint.Spec.Type != scenario.MockType || p.lenient || s.box.Has(tool) {
		return ""
	}
	server := preflight.ServedBy(p.Project, tool)
	text := tool + ": the mock calls it, but no agent has it"
	if server != nil {
		text = fmt.Sprintf("%s: the mock calls it, but the MCP server %q does not have it", tool, server.Name)
	} else if !strings.HasPrefix(tool, a2a.Prefix) || len(p.Agents) == 0 {
		return ""
	}
	if known := s.servedBy(server); known != nil {
		if near := diag.DidYouMean(tool, known.names); near != "" {
			text += ": " + near
		}
	}
	return text
}

// find makes the box hold the tools that checks call and that a server has which the prompt does not offer.
func (s *session) find(ctx context.Context, turn int, list []scenario.Placed) {
	if len(s.trial.Project.Servers) == 0 {
		return
	}
	for _, placed := range list {
		for _, use := range compiled(placed).ToolUses() {
			if s.box.Has(use.Name) || preflight.ServedBy(s.trial.Project.Project, use.Name) == nil {
				continue
			}
			if err := s.list(ctx, turn, s.box.Listing([]string{use.Name})); err != nil {
				if s.unfound == nil {
					s.unfound = map[string]error{}
				}
				s.unfound[use.Name] = err
			}
		}
	}
}
