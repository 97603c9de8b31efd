// Reference writes the references of checks, files, events and metrics, docs/checks.md and so on, from what these know
// about themselves. It is a program of its own so that its texts are not part of arena.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// pages are the documents that are made here, by the names of their files.
var pages = withFiles(map[string]func() (string, error){
	"checks.md":  page,
	"events.md":  eventsPage,
	"metrics.md": metricsPage,
})

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference FOLDER")
		os.Exit(2)
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if err := write(os.Args[1], name); err != nil {
			fmt.Fprintln(os.Stderr, "reference:", err)
			os.Exit(1)
		}
	}
}

// write makes one document anew.
func write(folder, name string) error {
	text, err := pages[name]()
	if err != nil {
		return err
	}
	file := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
