package runner

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Declared returns the names that the projects of the plan declare. For a rejudged run they are those of that run; for
// recordings, those that all recordings contain.
func (p *Plan) Declared() (all []result.Declared) {
	if p.judgedNames != nil {
		return p.judgedNames
	}
	p = p.entire()
	var seen []*project
	for i := range p.spans {
		t := &p.spans[i].Trial
		if t.Project == nil || slices.Contains(seen, t.Project) || t.Finished != nil {
			continue
		}
		seen = append(seen, t.Project)
		if t.Recorded == nil {
			in := t.Project
			all = append(all, names.Declared(in.Project, in.tools.Registry, in.prefix, p.takesAnyTool(in)))
		} else if told := p.recordedNames(t.Project); told != nil {
			told.Project, told.File = t.Project.prefix, t.Project.File
			all = append(all, *told)
		}
	}
	return all
}

// takesAnyTool reports whether agents of a project may call tools that it does not declare.
func (p *Plan) takesAnyTool(q *project) bool {
	return slices.ContainsFunc(q.Servers, func(s *scenario.Server) bool { return s.Image != nil }) ||
		slices.ContainsFunc(p.spans, func(s span) bool {
			return s.Project == q && (s.Endpoint.Spec.Type == scenario.ReplayType || s.Endpoint.Spec.RunsTools())
		})
}

// recordedNames are the declared names that every recorded conversation of a project contains; nil: one of them has
// none.
func (p *Plan) recordedNames(q *project) *result.Declared {
	var list []*result.Declared
	for i := range p.spans {
		if t := &p.spans[i].Trial; t.Project == q && t.Recorded != nil {
			list = append(list, t.Recorded.declared)
		}
	}
	return names.Join(list)
}

// ranOf returns what is known of the projects that recorded the conversations of a plan. It is nil for trials that
// still run.
func ranOf(spans []span) func(*scenario.Scenario) *result.Declared {
	return func(s *scenario.Scenario) *result.Declared {
		var list []*result.Declared
		for i := range spans {
			if t := &spans[i].Trial; s == nil || t.Scenario == s {
				if t.Recorded == nil {
					return nil
				}
				list = append(list, t.Recorded.declared)
			}
		}
		return names.Join(list)
	}
}

// finishedRan is ranOf for a rejudged run.
func finishedRan(
	p *scenario.Project, finished []Finished, declared []result.Declared,
) func(*scenario.Scenario) *result.Declared {
	return func(s *scenario.Scenario) *result.Declared {
		var list []*result.Declared
		for i := range finished {
			brief := finished[i].Brief
			if s == nil || s.Recorded != nil || s.Is(brief.Scenario) {
				list = append(list, declaredFor(p, brief, declared)...)
			}
		}
		return names.Join(list)
	}
}

// declaredBy are the names that the projects of the finished trials declared.
func declaredBy(p *scenario.Project, finished []Finished, declared []result.Declared) *result.Declared {
	return finishedRan(p, finished, declared)(nil)
}

// declaredFor returns what is known of the project of a trial; nothing when the trial is of another project than p.
func declaredFor(p *scenario.Project, brief *result.Brief, declared []result.Declared) []*result.Declared {
	prefix, _, _ := strings.Cut(brief.ID, brief.Scenario+"/")
	if prefix != "" && len(p.Evals) == 0 && !comesFrom(p, prefix) {
		return nil
	}
	return []*result.Declared{result.DeclaredOf(declared, brief.ID)}
}
