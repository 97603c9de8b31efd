package cli

import (
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/cli/template"
)

// remarkBelow warns of a CI file that no service reads, because the project is not at the root of the repository: its
// gate would never run.
func (a *App) remarkBelow(dir string, files []template.File) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	root := resolved(whole)
	for whole = root; !exists(filepath.Join(root, ".git")); root = filepath.Dir(root) {
		if root == filepath.Dir(root) {
			return
		}
	}
	below, err := filepath.Rel(root, whole)
	if err != nil || below == "." {
		return
	}
	for _, pipeline := range []string{".github/workflows/arena.yml", ".gitlab-ci.yml"} {
		if slices.ContainsFunc(files, func(f template.File) bool { return f.Path == pipeline }) {
			a.remark("%s is read only at the root of the repository: move %s there, and let it run in %s", pipeline,
				filepath.ToSlash(filepath.Join(dir, pipeline)), filepath.ToSlash(below))
		}
	}
}
