package names

import (
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

// Served is a name of a tool, or a pattern of names that ends in *, that only an MCP server or an agent elsewhere
// can tell to be right. A check that forbids a call of a tool that does not exist would never fail.
type Served struct {
	Name     string
	Server   *scenario.Server   // that is to have it; nil: one of the remote agents is
	Card     bool               // it may be the name on the card of an agent
	Scenario *scenario.Scenario // nil: it matters in all of them

	where   string             // tools_not_called: tools, or the like
	pos     diag.Pos           // zero: of something that stands in the file of the prompt
	prompts []*scenario.Prompt // under which it matters
	always  bool               // it matters under all of them
	inCheck bool               // a check has it, and is told of where the name was not compared

	Compared, Missed atomic.Bool // in a trial: with what was listed; not, as nothing was
}

// checkServed takes care of the name of a tool that belongs to an MCP server of the project. It is false for others.
func (n *Checker) checkServed(check string, use *checks.NameUse, setups []*setup) bool {
	if use.Pattern == nil && n.Finished && len(n.Project.Servers) > 0 &&
		strings.HasPrefix(use.Name, scenario.ServerPrefix) {
		if why, hint := n.Project.NotServed(use.Name); why != "" {
			n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, why).Hint = hint
			return true
		}
	}
	if use.Pattern != nil || anyRecorded(setups) || anyToolAllowed(setups) || slices.Contains(n.knownTools(), use.Name) {
		return false
	}
	server := n.Project.ServerOf(use.Name)
	if server == nil && use.Kind == checks.ToolName {
		server = preflight.ServedBy(n.Project, use.Name)
	}
	if server == nil && !strings.HasPrefix(use.Name, scenario.ServerPrefix) {
		return false
	}
	if why, hint := n.Project.NotServed(use.Name); why != "" && (server == nil || server.Image == nil) {
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
	n.serve(&Served{
		Name: use.Name, where: check + ": " + use.Param, pos: use.Pos, Server: server, Scenario: n.within, prompts: prompts,
		inCheck: true,
	})
	return true
}

// checkAsked leaves a name that only the card of a remote agent can confirm to the trials. It returns false for other
// names. fits reports whether a listed tool has the name.
func (n *Checker) checkAsked(
	check string, use *checks.NameUse, setups []*setup, fits func(string) bool,
) bool {
	card := use.Kind == checks.AgentName && !strings.HasPrefix(use.Name, a2a.Prefix)
	if use.Pattern != nil || anyRecorded(setups) || anyToolAllowed(setups) || slices.ContainsFunc(n.knownTools(), fits) ||
		card && (len(n.Project.Agents) == 0 || n.isRemoteAgent(use.Name)) || !card && !n.isAsked(use.Name) {
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
	n.serve(&Served{
		Name: use.Name, where: check + ": " + use.Param, pos: use.Pos, Card: card, Scenario: n.within, prompts: prompts,
		inCheck: true,
	})
	return true
}

// isAsked reports whether only the card of a remote agent can tell a name of a tool to be right.
func (n *Checker) isAsked(tool string) bool {
	_, known := slices.BinarySearch(n.knownTools(), tool)
	return strings.HasPrefix(tool, a2a.Prefix) && len(n.Project.Agents) > 0 && !known
}

// serve leaves a name to the trials.
func (n *Checker) serve(name *Served) { n.served = append(n.served, name) }

// serveRules leaves the names of servers' tools to the trials that stand in a scenario and its prompts.
func (n *Checker) serveRules(s *scenario.Scenario, prompts []*scenario.Prompt) {
	add := func(where string, pos diag.Pos, names ...string) {
		for _, name := range names {
			if server := n.serverOf(name); server != nil || n.isAsked(name) {
				n.serve(&Served{Name: name, where: where, pos: pos, Server: server, Scenario: s, prompts: prompts})
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
					n.serve(&Served{Name: name, where: where, Server: server, Scenario: within, prompts: in})
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
func (n *Checker) serverOf(tool string) *scenario.Server {
	own := func(name string) bool { return scenario.Offers([]string{tool}, name) }
	if tool == "" || slices.ContainsFunc(n.knownTools(), own) {
		return nil
	}
	return preflight.ServedBy(n.Project, tool)
}

// Matters reports whether a name matters in a trial of a scenario while it stands under a prompt.
func (n *Served) Matters(s *scenario.Scenario, prompt *scenario.Prompt) bool {
	return (n.Scenario == nil || n.Scenario == s) && (n.always || slices.Contains(n.prompts, prompt))
}

// serveFinished compares a name in a check of finished trials with the tools that servers and agents listed in them.
func (n *Checker) serveFinished(check string, use *checks.NameUse) {
	if !n.Finished || use.Pattern != nil || slices.Contains(n.knownTools(), use.Name) {
		return
	}
	server := n.Project.ServerOf(use.Name)
	card := use.Kind == checks.AgentName && !strings.HasPrefix(use.Name, a2a.Prefix)
	switch {
	case server != nil || n.isAsked(use.Name):
	case !card || len(n.Project.Agents) == 0 || n.isRemoteAgent(use.Name) ||
		slices.Contains(agentNames(n.Project), use.Name):
		return
	}
	n.serve(&Served{
		Name: use.Name, where: check + ": " + use.Param, pos: use.Pos, Server: server, Card: card, Scenario: n.within,
		always: true,
	})
}

// ListedAs reports whether a listed tool has the name.
func (n *Served) ListedAs(tool string) bool {
	return scenario.Offers([]string{n.Name}, tool) || n.Card && a2a.Asks(tool, n.Name)
}

// Claim claims that the name was compared: that a server or an agent listed its tools in the relevant trials. key
// distinguishes it from other names of the project. A name without a check claims nothing.
func (n *Served) Claim(claim claims.Maker, key int, tracker *claims.Tracker) {
	if !n.inCheck {
		return
	}
	whom := "no agent was asked for its card"
	if n.Server != nil {
		whom = fmt.Sprintf("the MCP server %q was not asked for its tools", n.Server.Name)
	}
	one := claim("served", n.pos, fmt.Sprint(n.Name, "#", key))
	one.Settle(n.Compared.Load() || tracker.Called(n.isCalledBy), tracker.HasTurns() && n.Missed.Load(), diag.Diagnostic{
		Severity: diag.Warning, Pos: n.pos, Width: diag.Width(n.Name), Code: "never-named",
		Msg: fmt.Sprintf("%s: %q may not exist: no conversation called it, and %s",
			n.where, n.Name, whom),
	})
	one.Place = fmt.Sprintf("%s %s", n.pos, n.Name)
}

// Place is the name with its place.
func (n *Served) Place() claims.Name { return claims.Name{Pos: n.pos, Name: n.Name} }

// isCalledBy reports whether a tool call calls the named tool or agent.
func (n *Served) isCalledBy(tool string) bool {
	if n.Card {
		return a2a.Asks(tool, n.Name)
	}
	return tool == n.Name
}

// Absent says that a server has no tool with the name.
func (n *Served) Absent(known []string) string {
	text := fmt.Sprintf("%s: no agent has the tool %q", n.where, n.Name)
	switch {
	case n.Card:
		text = fmt.Sprintf("%s: there is no agent %q", n.where, n.Name)
	case n.Server != nil && strings.HasSuffix(n.Name, "*"):
		text = fmt.Sprintf("%s: no tool of the MCP server %q fits %q", n.where, n.Server.Name, n.Name)
	case n.Server != nil:
		text = fmt.Sprintf("%s: the MCP server %q has no tool %q", n.where, n.Server.Name,
			strings.TrimPrefix(n.Name, n.Server.Prefix()))
	}
	if n.pos.File != "" {
		text = n.pos.String() + ": " + text
	}
	if strings.HasSuffix(n.Name, "*") {
		if len(known) == 0 {
			return text + ": it has none at all"
		}
		return text + ": it has " + strings.Join(known[:min(len(known), 20)], ", ")
	}
	if n.Card { // an agent is named as its card is: the first part of the names of its tools
		cards := map[string]bool{}
		for _, tool := range known {
			card, _, _ := strings.Cut(strings.TrimPrefix(tool, a2a.Prefix), "__")
			cards[card] = true
		}
		known = slices.Sorted(maps.Keys(cards))
		if near := diag.DidYouMean(a2a.Plain(n.Name), known); near != "" {
			return text + ": " + near
		}
		return text
	}
	if near := diag.DidYouMean(n.Name, known); near != "" {
		return text + ": " + near
	}
	return text
}
