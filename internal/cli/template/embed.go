// Package template holds the project that arena init writes, and the files by which CI services run it.
package template

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/arena-evals/arena/internal/sortby"
)

//go:embed all:project all:ci
var files embed.FS

// CI are the services for which there is a file that runs arena on every push; the first one is that of a new project.
var CI = []string{"github", "gitlab"}

// File is one file of the project.
type File struct {
	Path string // from the project's folder, with slashes
	Data []byte
}

// Project lists the files of a project that one of CI runs, sorted by path.
func Project(service string) ([]File, error) {
	own, err := below("project")
	if err != nil {
		return nil, err
	}
	of, err := Pipeline(service)
	all := append(of, own...)
	sortby.Func(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

// Pipeline lists the files by which one of CI runs the project.
func Pipeline(service string) ([]File, error) { return below("ci/" + service) }

func below(root string) (all []File, err error) {
	err = fs.WalkDir(files, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		all = append(all, File{strings.TrimPrefix(path, root+"/"), data})
		return err
	})
	return all, err
}
