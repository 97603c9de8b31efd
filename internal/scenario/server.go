package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Server is an MCP server with tools for agents. It has one of Command, URL and Image. In its texts ${NAME} is replaced
// by an environment variable; see Expand.
type Server struct {
	Name string
	Pos  diag.Pos // of the name

	Command string // against Dir, or a name to look up in PATH
	Args    []string
	Env     []string // NAME=value
	Dir     string   `digest:"-"` // where the program runs
	Below   string   // working_dir, as the file has it

	URL       string
	Transport string // sse or streamable_http; "": the latter, with the former as fallback
	Headers   map[string]string

	Image *ServerImage // nil: it runs in no container

	WayPos  diag.Pos // of command, url or source
	Scope   string   // run, scenario or session
	Timeout time.Duration
	Tools   NameFilter // applied to the server's own names
}

// ServerImage is the container that an MCP server runs in.
type ServerImage struct {
	Name   string
	Env    []string // NAME=value
	Mounts []ServerMount
	Port   int // that it listens on
}

// ServerMount is a folder that is mounted into a container.
type ServerMount struct {
	Source, Target string
	ReadOnly       bool
}

// ServerPrefix begins the names of the tools of MCP servers.
const ServerPrefix = "mcp__"

// Prefix begins the names of the server's tools. It is "" for a server in a container.
func (s *Server) Prefix() string {
	if s.Image != nil {
		return ""
	}
	return ServerPrefix + s.Name + "__"
}

// MayServe reports whether a prompt with these allowed tools may get a tool of the server, judged by names only.
func (s *Server) MayServe(allowed []string) bool {
	if prefix := s.Prefix(); prefix != "" {
		return Offers(allowed, prefix+"*")
	}
	return slices.ContainsFunc(allowed, func(a string) bool { return a == "*" || !strings.Contains(a, "__") })
}

// ServerOf returns the server of a tool name or pattern that ends in *; nil: none.
func (p *Project) ServerOf(tool string) (of *Server) {
	for _, s := range p.Servers {
		prefix := s.Prefix()
		if prefix != "" && strings.HasPrefix(tool, prefix) && (of == nil || len(prefix) > len(of.Prefix())) {
			of = s
		}
	}
	return of
}

// InContainer reports whether a tool may be one of a server in a container. These tools have the server's own names.
func (p *Project) InContainer(tool string) bool {
	return !strings.Contains(tool, "__") &&
		slices.ContainsFunc(p.Servers, func(s *Server) bool { return s.Image != nil })
}

// serverFile is an MCP server as written in a file.
type serverFile struct {
	*Server
	command, url, source *node.Node
	args, env, dir       *node.Node
	transport, headers   *node.Node
	image                *node.Node
}

// serverFields are the keys of an MCP server.
var serverFields = table("an MCP server", func() rows[serverFile] {
	return rows[serverFile]{
		custom("name", text, func(d *decoder, s *serverFile, v *node.Node) {
			s.Pos = d.Pos(v)
			if s.Name, _ = d.Name(v, "name"); strings.Contains(s.Name, "*") {
				d.Errorf(v, "wrong-name", "%q cannot be the name of a server: it becomes part of the names of its tools", s.Name)
			}
		}).must().
			doc("Stands in the names of its tools: mcp__<name>__<tool>."),
		custom("command", text, func(d *decoder, s *serverFile, v *node.Node) {
			s.command = v
			s.Command, _ = d.Name(v, "command")
		}).
			asIs().doc("The program that is started: a path below the config, or a name to look up in PATH; " +
			"${NAME} stands for the environment."),
		custom("args", texts, func(d *decoder, s *serverFile, v *node.Node) {
			s.args = v
			s.Args, _ = d.Strings(v, "args")
		}).
			asIs().doc("Its arguments; ${NAME} stands for the environment."),
		custom("env", textMap, func(d *decoder, s *serverFile, v *node.Node) { s.env, s.Env = v, d.variables(v, "env") }).
			asIs().doc("Variables that it sees beside those that every program needs; ${NAME} stands for the environment."),
		custom("working_dir", text, func(d *decoder, s *serverFile, v *node.Node) {
			s.dir = v
			s.Below, _ = d.Name(v, "working_dir")
		}).
			doc("Where it runs; the folder of the config when left out."),
		custom("url", text, func(d *decoder, s *serverFile, v *node.Node) {
			s.url = v
			s.URL, _ = d.Name(v, "url")
			d.serverAddress(v, s.URL)
		}).
			asIs().doc("The address of a server behind HTTP; ${NAME} stands for the environment."),
		custom("headers", textMap, func(d *decoder, s *serverFile, v *node.Node) {
			s.headers = v
			s.Headers, _ = d.headerMap(v, "headers")
			for name := range s.Headers {
				if protocolHeader(name) {
					d.Errorf(node.Get(v, name), "wrong-name", "the header %s belongs to the protocol and cannot be set", name)
				}
			}
		}).
			asIs().doc("Sent with every request; ${NAME} stands for the environment."),
		custom("transport", transports, func(d *decoder, s *serverFile, v *node.Node) {
			s.transport = v
			s.Transport, _ = d.OneOf(v, "transport", transports...)
		}).
			doc("How a server behind HTTP is spoken to; streamable_http when left out, then sse."),
		custom("source", words("docker"), func(d *decoder, s *serverFile, v *node.Node) {
			s.source = v
			d.OneOf(v, "source", "docker")
		}).
			doc("A container, by the docker program."),
		word("scope", serverScopes, func(s *serverFile) *string { return &s.Scope }).
			doc("Who shares the server: all trials, those of a scenario, or nobody."),
		custom("source_args", imageFields, func(d *decoder, s *serverFile, v *node.Node) {
			s.image, s.Image = v, &ServerImage{Port: defaultImagePort}
			imageFields.read(d, v, s.Image)
		}).
			asIs().doc("The container."),
		custom("timeout_ms", natural, func(d *decoder, s *serverFile, v *node.Node) {
			s.Timeout = d.callLimit(v, "30 seconds")
		}).
			doc("How long a call may take, in milliseconds. Left out: 30000."),
		custom("tool_filter", nameFilterFields, func(d *decoder, s *serverFile, v *node.Node) { d.nameFilter(v, &s.Tools) }).
			doc("Which of its tools there are, by the names that the server has for them."),
	}
})

var (
	transports   = words("", "stdio", "sse", "streamable_http")
	serverScopes = words("run", "scenario", "session")
)

const defaultImagePort = 8080

var ports = keys.Number{Low: 1, High: 65535, Integer: true}

// imageFields are the settings of a server in a container.
var imageFields = table("source_args", func() rows[ServerImage] {
	return rows[ServerImage]{
		label("image", func(i *ServerImage) *string { return &i.Name }).must().
			doc("The image of the container."),
		custom("env", textMap, func(d *decoder, i *ServerImage, v *node.Node) { i.Env = d.variables(v, "env") }).
			doc("Variables that it sees; ${NAME} stands for the environment."),
		objects("mounts", part("a mount",
			label("source", func(m *ServerMount) *string { return &m.Source }).must().doc("The folder, against the config."),
			label("target", func(m *ServerMount) *string { return &m.Target }).must().doc("Where the container sees it."),
			flag("read_only", func(m *ServerMount) *bool { return &m.ReadOnly }).doc("It cannot write there."),
		), func(i *ServerImage) *[]ServerMount { return &i.Mounts }).
			doc("Folders that it sees."),
		custom("port", ports, func(d *decoder, i *ServerImage, v *node.Node) {
			if port, ok := d.Int(v, "port", int(ports.Low), int(ports.High)); ok {
				i.Port = port
			}
		}).
			doc("Where it listens for HTTP; 8080 when left out."),
	}
})

// variables reads a map of environment variables, as NAME=value, sorted.
func (d *decoder) variables(v *node.Node, what string) (list []string) {
	m, _ := d.StringMap(v, what)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name == "" || strings.ContainsAny(name, " \t\n\x00$=") {
			d.Errorf(v, "wrong-name", "%s: %q is not the name of an environment variable", what, name)
		}
		list = append(list, name+"="+m[name])
	}
	return list
}

// protocolHeader reports whether a header is set by the protocol.
func protocolHeader(name string) bool {
	name = strings.ToLower(name)
	return name == "accept" || name == "content-type" || name == "host" || strings.HasPrefix(name, "mcp-") ||
		name == "last-event-id"
}

// serverAddress checks the address of a server, as far as it does not depend on the environment.
func (d *decoder) serverAddress(v *node.Node, address string) {
	filled := Expand(address, d.getenv)
	if address == "" || len(filled.Unset) > 0 {
		return // the planner checks variables
	}
	if u, err := url.Parse(filled.Text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		d.Errorf(v, "wrong-value", "%q is not an HTTP address", address).Hint = "it must start with http:// or https://"
	}
}

// servers reads a list of MCP servers.
func (d *decoder) servers(n *node.Node) (list []*Server) {
	d.Items(n, "mcp_servers", func(_ int, v *node.Node) {
		s := serverFile{Server: &Server{Scope: "run"}}
		if serverFields.read(d, v, &s) && d.serverWay(v, &s) {
			list = append(list, s.Server)
		}
	})
	return list
}

// serverWay checks that a server has exactly one way to reach it, and that its other keys fit.
func (d *decoder) serverWay(v *node.Node, s *serverFile) bool {
	ways := slices.DeleteFunc([]*node.Node{s.command, s.url, s.source}, func(w *node.Node) bool { return w == nil })
	if len(ways) != 1 {
		report := d.Errorf(nil, "wrong-type", "an MCP server needs exactly one of command, url and source, found %d",
			len(ways))
		report.Pos = d.Pos(v)
		return false
	}
	s.WayPos = d.Pos(ways[0])
	d.left(s.url, &leaving{what: "url", filled: true})
	d.left(s.headers, &leaving{what: "headers", filled: true})
	d.left(node.Get(s.image, "env"), &leaving{what: "env", filled: true})
	d.leftOfProgram(s.Command, s.args, s.env, &leaving{what: "args", filled: true})
	way := cmp.Or(map[*node.Node]string{s.url: "url", s.source: "source"}[ways[0]], "command")
	for _, key := range []struct {
		name, of string
		at       *node.Node
	}{
		{"args", "command", s.args}, {"env", "command", s.env}, {"working_dir", "command", s.dir},
		{"headers", "url", s.headers}, {"source_args", "source", s.image},
	} {
		if key.at != nil && key.of != way {
			d.Errorf(key.at, "wrong-value", "%s is for servers with %s, and this one has %s", key.name, key.of, way).Hint =
				"take it out"
		}
	}
	if remote := s.Transport == "sse" || s.Transport == "streamable_http"; s.Transport != "" && remote != (way == "url") {
		d.Errorf(s.transport, "wrong-value", "transport cannot be %s for a server with %s", s.Transport, way).Hint =
			"take it out"
	}
	switch {
	case way == "source" && s.image == nil:
		d.Missing(v, "a server with source", "source_args")
		return false
	case way != "source":
		s.Image = nil
	}
	return true
}

// settleServers resolves the folders and programs of the servers, once the project's base folders are known.
func (b *build) settleServers() {
	d := b.l.decoder(b.in.config, b.places, b.getenv)
	for i, s := range b.p.Servers {
		same := func(other *Server) bool { return other.Name == s.Name && s.Name != "" }
		if first := slices.IndexFunc(b.p.Servers[:i], same); first >= 0 {
			where := fmt.Sprintf("on line %d", b.p.Servers[first].Pos.Line)
			if file := b.p.Servers[first].Pos.File; file != s.Pos.File {
				where += " of " + file
			}
			b.serverProblem(s, "duplicate-id", "the MCP server %q is already %s", s.Name, where)
		}
		switch {
		case s.Image != nil:
			for k := range s.Image.Mounts {
				m := &s.Image.Mounts[k]
				if written := m.Source; !d.mount(m) && written != "" {
					b.serverProblem(s, "missing-file", "mounts: there is no file or folder %q", written)
				}
			}
		case s.Command != "":
			s.Dir = b.places.fs.access(b.places.run)
			if s.Below != "" {
				path, found := d.runtimePath(s.Below)
				if s.Dir = b.places.fs.access(path); !found || !b.places.fs.isDir(path) {
					b.serverProblem(s, "missing-file", "working_dir: there is no folder %q", s.Below)
				}
			}
			d.serverProgram(s)
		}
	}
}

func (b *build) serverProblem(s *Server, code, format string, args ...any) {
	b.l.diags.Errorf(s.Pos, len([]rune(s.Name)), code, format, args...)
}

// mount resolves a mounted folder, and reports whether it exists: docker would create an empty one.
func (d *decoder) mount(m *ServerMount) (found bool) {
	path, found := d.runtimePath(m.Source)
	if found, err := filepath.Abs(d.places.fs.access(path)); err == nil { // as the docker program wants it
		m.Source = found
	}
	return found
}

// serverProgram resolves the program of a server: below the config folder, else below the working directory,
// independent of the folder in which it runs.
func (d *decoder) serverProgram(s *Server) {
	path := s.Command
	inPlace := s.Below == "" && d.places.fs.exists(filepath.Join(d.places.run, path))
	if filepath.Base(path) == path || filepath.IsAbs(path) || inPlace {
		return
	}
	if found, there := d.runtimePath(path); there {
		if found, err := filepath.Abs(d.places.fs.access(found)); err == nil {
			s.Command = found
		}
	}
}
