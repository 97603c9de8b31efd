package runner

import (
	"cmp"

	"github.com/arena-evals/arena/internal/scenario"
)

// origins are what the ids of the trials of each project begin with: nothing in a run of one project, else its name, or
// its file where several have the same name. No two trials of a run have the same id.
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

// comesFrom reports whether trials of a project may have that origin, whichever others there were in their run.
func comesFrom(p *scenario.Project, origin string) bool {
	return origin == cmp.Or(p.Name, p.File)+":" || origin == p.File+":"
}
