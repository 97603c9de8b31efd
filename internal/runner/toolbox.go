package runner

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/a2a"
	"github.com/arena-evals/arena/internal/tools/mcp"
	"github.com/arena-evals/arena/internal/tools/open"
)

// newKit makes the tools of a project: those in its files, and those of its sources. It starts nothing. remembering is
// the source of the memory, which has an own state for each trial; nil: none.
func newKit(p *scenario.Project, w open.World) (kit *tools.Kit, remembering *tools.Opener, err error) {
	registry, err := open.Registry(p, w)
	if err != nil {
		return nil, nil, err
	}
	var sources []*tools.Opener
	if p.Memory {
		remembering = memoryOpener()
		sources = append(sources, remembering)
	}
	if o := paintOpener(p); o != nil {
		sources = append(sources, o)
	}
	for _, agent := range p.Agents {
		sources = append(sources, a2a.New(agent, w.HTTP, p.Getenv))
	}
	for _, server := range p.Servers {
		sources = append(sources, mcp.New(server, mcp.Host{Getenv: p.Getenv, HTTP: w.HTTP, OnStderr: w.OnStderr}))
	}
	return tools.NewKit(registry, sources...), remembering, nil
}

// kits are the tools of the projects of a plan.
func (p *Plan) kits() (all []*tools.Kit) {
	for i := range p.spans {
		if k := p.spans[i].Project.tools; k != nil && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// expectTools announces the trials that will be run to the tools that scenarios share.
func (p *Plan) expectTools(kept func(index int) bool) {
	for i := range p.spans {
		s := &p.spans[i]
		if s.Project.tools == nil || !s.Project.tools.Scoped() {
			continue
		}
		n := s.count
		for at := s.Index; kept != nil && at < s.Index+s.count; at++ {
			if kept(at) {
				n--
			}
		}
		s.Project.tools.Expect(s.Scenario.ID, n)
	}
}

// closeTools ends what the trials of a plan shared.
func closeTools(kits []*tools.Kit) {
	for _, k := range kits {
		_ = k.Close() // all trials are over, and their verdicts are final
	}
}

// closeBox ends the tools that only this trial has. No check is left that could call them.
func (s *session) closeBox() {
	if err := s.box.Close(); err != nil {
		s.notice(err.Error())
	}
}

// claimRedacted claims that replies of a tool have the fields to redact: one that is misspelt redacts nothing.
func (p *Plan) claimRedacted(claim claims.Maker) {
	for in := range p.projects() {
		if in.tools == nil {
			continue
		}
		for _, t := range in.Tools {
			if t.HTTP == nil {
				continue
			}
			unmet, answered := in.tools.Unredacted(t.ID)
			for _, field := range t.HTTP.Redact {
				met := answered && !slices.Contains(unmet, field)
				claim("redact", t.HTTP.RedactPos, t.ID+"."+field).Settle(met, answered, diag.Diagnostic{
					Severity: diag.Warning, Pos: t.HTTP.RedactPos, Width: 1, Code: "never-named",
					Msg: fmt.Sprintf("redact: no reply of the tool %s had a field %q, so nothing was taken out", t.ID, field),
				})
			}
		}
	}
}
