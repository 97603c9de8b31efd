package runner

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// EvalMetrics returns the metrics of the evals that can run, each once, in the order of the plan.
func (p *Plan) EvalMetrics() []*result.Metric {
	type place struct {
		project *project
		prompt  *scenario.Prompt
	}
	var list []*result.Metric
	visited, seen := map[place]bool{}, map[*evals.Definition]bool{}
	for t := range p.Groups() {
		at := place{t.Project, t.Prompt}
		if visited[at] {
			continue
		}
		visited[at] = true
		for _, e := range t.Project.stance(t.Prompt).evals {
			if !seen[e.Definition] {
				seen[e.Definition] = true
				list = append(list, e.Metric)
			}
		}
	}
	return list
}

// Labels returns the names of the labels of the scenarios in the plan, sorted.
func (p *Plan) Labels() []string {
	names := map[string]bool{}
	for t := range p.Groups() {
		for name := range t.Scenario.Labels {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
