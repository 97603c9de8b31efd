package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkServed compares the names that a trial uses with what servers have listed. At the end of a conversation all
// lists are complete; before that only some are.
func (s *session) checkServed(atEnd bool) error {
	var wrong []string
	for _, n := range slices.Concat(s.trial.Project.served, s.servers.rowNames) {
		known := s.servedBy(n.Server)
		if known == nil || !n.Matters(s.trial.shared(), s.stance.prompt) {
			if atEnd && (n.Scenario == nil || n.Scenario == s.trial.shared()) {
				n.Missed.Store(true)
			}
			continue
		}
		n.Compared.Store(true)
		if known.has(n) || !atEnd && !known.fixed {
			continue
		}
		near := known.names
		if n.Server != nil && n.Server.Image != nil { // the tools of the project have names of the same kind
			near = append(slices.Clip(near), s.trial.Project.tools.Names()...)
		}
		if text := n.Absent(near); !slices.Contains(wrong, text) {
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

// compared are the names in checks that were compared with what servers and agents have.
func (p *Plan) compared() map[claims.Name]bool {
	met := map[claims.Name]bool{}
	for in := range p.projects() {
		for _, n := range in.served {
			if n.Compared.Load() {
				met[n.Place()] = true
			}
		}
	}
	return met
}

// claimCompared claims that the names in checks are held against what servers and agents list.
func (p *Plan) claimCompared(claim claims.Maker) {
	for in := range p.projects() {
		for i, n := range in.served {
			n.Claim(claim, i, p.tracker)
		}
	}
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
				if s.servers.listErrors == nil {
					s.servers.listErrors = map[string]error{}
				}
				s.servers.listErrors[use.Name] = err
			}
		}
	}
}
