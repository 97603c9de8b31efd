package scenario

import (
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

// oneOfNames reports a name that is not among those defined nearby.
func (d *decoder) oneOfNames(n *node.Node, what string, names []string) {
	if slices.Contains(names, n.Value) {
		return
	}
	d.unknownName(n, what, names)
}
