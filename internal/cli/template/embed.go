// Package template holds the project that arena init writes.
package template

import (
	"embed"
	"io/fs"
)

//go:embed all:project
var files embed.FS

// Project is the new project: the root of the file system is the project's folder, every file is written as it is.
func Project() (fs.FS, error) { return fs.Sub(files, "project") }
