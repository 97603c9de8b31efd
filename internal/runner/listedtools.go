package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/mcp"
)

// toolServers is what a trial knows of the tools that servers and agents list.
type toolServers struct {
	known        map[string]*servedTools       // by the name of the source
	listed       map[*tools.Opener][]chat.Tool // as last listed by the source
	listErrors   map[string]error              // why tools that checks call cannot be listed
	rowNames     []*names.Served               // names that the row has filled in; see project.served
	rowArguments []*names.Argument             // arguments that the row has filled in; see project.arguments
}

// servedTools are the tools that a server has listed in a trial.
type servedTools struct {
	names []string // every tool listed so far
	fixed bool     // the list cannot change any more
	agent bool     // it is a remote agent
}

func (t *servedTools) has(n *names.Served) bool { return slices.ContainsFunc(t.names, n.ListedAs) }

// servedBy are the tools that a server has listed; nil: those of all remote agents together. It returns nil if a list
// is missing.
func (s *session) servedBy(server *scenario.Server) *servedTools {
	if server != nil && server.Image == nil {
		return s.servers.known[mcp.SourceName(server)]
	}
	if server != nil {
		return s.servedInContainers()
	}
	all, agents := &servedTools{fixed: true}, 0
	for _, one := range s.servers.known {
		if one.agent {
			agents++
			all.names = append(all.names, one.names...)
		}
	}
	if agents < len(s.trial.Project.Agents) {
		return nil
	}
	slices.Sort(all.names)
	return all
}

// servedInContainers are the tools of all servers in containers, whose tool names cannot be assigned to a server; nil:
// a list is missing.
func (s *session) servedInContainers() *servedTools {
	all := &servedTools{fixed: true}
	for _, server := range s.trial.Project.Servers {
		if server.Image == nil {
			continue
		}
		one := s.servers.known[mcp.SourceName(server)]
		if one == nil {
			return nil
		}
		all.names, all.fixed = append(all.names, one.names...), all.fixed && one.fixed
	}
	slices.Sort(all.names)
	return all
}

// maxListed limits the names of a server's tools that results keep, in bytes.
const maxListed = 64 << 10

// keepListed stores the names of listed tools in the result, for checks of a rejudged trial.
func (s *session) keepListed() {
	if s.trial.Finished != nil {
		return
	}
	for source, known := range s.servers.known {
		size := 0
		for _, name := range known.names {
			size += len(name)
		}
		if size > maxListed {
			continue
		}
		if s.out.Listed == nil {
			s.out.Listed = map[string][]string{}
		}
		s.out.Listed[source] = known.names
	}
}

// recallListed takes the listed tools of a finished trial.
func (s *session) recallListed(listed map[string][]string) {
	s.out.Listed = listed
	s.servers.known = make(map[string]*servedTools, len(listed))
	for source, names := range listed {
		isServer := slices.ContainsFunc(s.trial.Project.Servers, func(server *scenario.Server) bool {
			return mcp.SourceName(server) == source
		})
		s.servers.known[source] = &servedTools{names: names, fixed: true, agent: !isServer}
	}
}

// keepList stores the list of a source.
func (s *session) keepList(o *tools.Opener, list *cassette.ToolList) {
	if !o.Outside {
		return
	}
	if s.servers.known == nil {
		s.servers.known = map[string]*servedTools{}
	}
	known := s.servers.known[o.Name]
	if known == nil {
		known = &servedTools{}
		s.servers.known[o.Name] = known
	}
	known.fixed, known.agent = list.Fixed, o.Agent != ""
	for _, tool := range list.Tools {
		if !slices.Contains(known.names, tool.Name) {
			known.names = append(known.names, tool.Name)
		}
	}
}
