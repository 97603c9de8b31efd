// Package template holds the project that arena init writes.
package template

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:project
var project embed.FS

// File is one file of the project.
type File struct {
	Path string // from the project's folder, with slashes
	Data []byte
}

// Files lists the project's files, sorted by path.
func Files() ([]File, error) {
	var files []File
	err := fs.WalkDir(project, "project", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := project.ReadFile(path)
		files = append(files, File{strings.TrimPrefix(path, "project/"), data})
		return err
	})
	return files, err
}
