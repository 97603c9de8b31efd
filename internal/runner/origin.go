package runner

import (
	"cmp"

	"github.com/arena-evals/arena/internal/scenario"
)

// origins returns the prefix of each project's trial ids: nothing in a run of one project, else its name, or its file
// if several projects have that name. All ids of a run are different.
func origins(projects []*scenario.Project) map[*scenario.Project]string {
	of := map[*scenario.Project]string{}
	if len(projects) < 2 {
		return of
	}
	named := map[string]int{}
	for _, p := range projects {
		named[cmp.Or(p.Name, p.File)]++
	}
	for _, p := range projects {
		name := cmp.Or(p.Name, p.File)
		if named[name] > 1 {
			name = cmp.Or(p.File, p.Name)
		}
		of[p] = name + ":"
	}
	return of
}

// comesFrom reports whether trials of a project may have that prefix.
func comesFrom(p *scenario.Project, origin string) bool {
	return origin == cmp.Or(p.Name, p.File)+":" || origin == p.File+":"
}
