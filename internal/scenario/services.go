package scenario

import (
	"regexp"
	"slices"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// mcpFile is what is looked at of an MCP server.
type mcpFile struct {
	name                 string
	command, url, source *node.Node
}

// mcpFields are the keys of an MCP server.
var mcpFields = table("an MCP server", func() rows[mcpFile] {
	return rows[mcpFile]{
		label("name", func(m *mcpFile) *string { return &m.name }).must(),
		custom("command", text, func(d *decoder, m *mcpFile, v *node.Node) { m.command = v; d.Name(v, "command") }),
		expanded[mcpFile]("args", texts),
		expanded[mcpFile]("env", textMap),
		inside[mcpFile]("working_dir", text),
		custom("url", text, func(d *decoder, m *mcpFile, v *node.Node) { m.url = v; d.expandText(v, "url") }),
		expanded[mcpFile]("headers", textMap),
		inside[mcpFile]("transport", words("", "stdio", "sse", "streamable_http")),
		custom("source", text, func(d *decoder, m *mcpFile, v *node.Node) { m.source = v; d.Name(v, "source") }),
		inside[mcpFile]("scope", words("run", "scenario", "session")),
		inside[mcpFile]("source_args", wireMap),
		inside[mcpFile]("timeout_ms", natural),
		inside[mcpFile]("tool_filter", nameFilterFields),
	}
})

var nameFilterFields = table("a filter", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("allowlist", texts),
		inside[struct{}]("blocklist", texts),
	}
})

// expanded is a field whose texts may hold ${NAME}.
func expanded[T any](name string, s keys.Shape) field[T] {
	return custom(name, s, func(d *decoder, _ *T, v *node.Node) {
		s.Check(d, v, name)
		d.expandAny(v, d.Any(v))
	})
}

// mcpServers reads a list of MCP servers.
func (d *decoder) mcpServers(n *node.Node) {
	names := map[string]int{}
	d.Items(n, "mcp_servers", func(_ int, v *node.Node) {
		var m mcpFile
		if !mcpFields.read(d, v, &m) {
			return
		}
		d.unique(names, node.Get(v, "name"), m.name, "MCP server")
		ways := 0
		for _, way := range []*node.Node{m.command, m.url, m.source} {
			if way != nil {
				ways++
			}
		}
		if ways != 1 {
			report := d.Errorf(nil, "wrong-type", "an MCP server needs exactly one of command, url and source, found %d", ways)
			report.Pos = d.Pos(v)
		}
	})
	if n.Kind == node.List && len(n.Content) > 0 {
		d.need(FeatureServers, n, Feature{Tool: "mcp__*"})
	}
}

// unique reports a name that was used before in its list.
func (d *decoder) unique(seen map[string]int, at *node.Node, name, what string) {
	if name == "" || at == nil {
		return
	}
	if line, twice := seen[name]; twice {
		d.Errorf(at, "duplicate-id", "the %s %q is already on line %d", what, name, line)
		return
	}
	seen[name] = at.Line
}

// agentFile is what is looked at of an agent behind A2A.
type agentFile struct {
	name      string
	card, url *node.Node
	skills    []skillCard
	rules     []*node.Node // skill of each response
}

type skillCard struct{ id string }

// agentFields are the keys of an agent behind A2A, simulated or remote.
var agentFields = table("an agent", func() rows[agentFile] {
	return rows[agentFile]{
		label("name", func(a *agentFile) *string { return &a.name }).must(),
		custom("card", cardFields, func(d *decoder, a *agentFile, v *node.Node) {
			a.card = v
			cardFields.read(d, v, a)
		}),
		custom("responses", listOf(responseFields), func(d *decoder, a *agentFile, v *node.Node) {
			d.Items(v, "responses", func(_ int, item *node.Node) { responseFields.read(d, item, a) })
		}),
		custom("url", text, func(d *decoder, a *agentFile, v *node.Node) { a.url = v; d.expandText(v, "url") }),
		inside[agentFile]("auth", part("auth",
			inside[struct{}]("scheme", text).must(),
			inside[struct{}]("token", text),
			inside[struct{}]("token_env", text),
		)),
		inside[agentFile]("headers", textMap),
		inside[agentFile]("headers_from_env", texts),
		inside[agentFile]("timeout_ms", natural),
		inside[agentFile]("skill_filter", nameFilterFields),
	}
})

var cardFields = table("card", func() rows[agentFile] {
	return rows[agentFile]{
		inside[agentFile]("name", text).must(),
		inside[agentFile]("description", text).must(),
		objects("skills", part("a skill",
			label("id", func(s *skillCard) *string { return &s.id }).must(),
			inside[skillCard]("name", text).must(),
			inside[skillCard]("description", text).must(),
			inside[skillCard]("tags", texts),
		), func(a *agentFile) *[]skillCard { return &a.skills }).must(),
	}
})

var responseFields = table("a response", func() rows[agentFile] {
	return rows[agentFile]{
		custom("skill", text, func(d *decoder, a *agentFile, v *node.Node) {
			if _, ok := d.Name(v, "skill"); ok {
				a.rules = append(a.rules, v)
			}
		}).must(),
		inside[agentFile]("match", part("match",
			inside[struct{}]("contains", text),
			custom("regex", text, func(d *decoder, _ *struct{}, v *node.Node) { d.regex(v, "regex") }),
		)),
		inside[agentFile]("response", part("response",
			inside[struct{}]("parts", listOf(part("a part", inside[struct{}]("text", text).must()))).must(),
		)),
		inside[agentFile]("error", text),
	}
})

func (d *decoder) regex(n *node.Node, what string) {
	s, ok := d.String(n, what)
	if !ok {
		return
	}
	if _, err := regexp.Compile(s); err != nil {
		d.Errorf(n, "bad-regex", "%s is not a regular expression: %v", what, err)
	}
}

// agents reads the list a2a_agents.
func (d *decoder) agents(n *node.Node) {
	names := map[string]int{}
	d.Items(n, "a2a_agents", func(_ int, v *node.Node) {
		var a agentFile
		if !agentFields.read(d, v, &a) {
			return
		}
		d.unique(names, node.Get(v, "name"), a.name, "agent")
		if a.card == nil && a.url == nil {
			d.Missing(v, "an agent", "url (remote) or card (simulated)")
		}
		var ids []string
		for _, s := range a.skills {
			ids = append(ids, s.id)
		}
		for _, rule := range a.rules {
			d.oneOfNames(rule, "skill", ids)
		}
	})
	if n.Kind == node.List && len(n.Content) > 0 {
		d.need(FeatureAgents, n, Feature{})
	}
}

// oneOfNames reports a name that is not among those defined nearby.
func (d *decoder) oneOfNames(n *node.Node, what string, names []string) {
	if slices.Contains(names, n.Value) {
		return
	}
	d.unknownName(n, what, names)
}
