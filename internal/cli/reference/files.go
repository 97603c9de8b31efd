package main

import (
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/arena-evals/arena/internal/filedoc"
)

const filesOpening = `# Files

<!-- Written by ´make generate´ from internal/filedoc. Changes made here are lost. -->

Every kind of file that a project may have: an example that runs, and every key with its value, its default and its
meaning. A key that nobody knows is an error with the nearest name, and one that has no effect is told.
´arena docs KIND´ shows a page in the terminal; ´arena schema KIND´ prints the JSON Schema of a kind of file, with which
editors complete and check while you type.

Most files have an envelope: ´kind´ says what the file is, ´metadata´ how it is called, and the keys stand under ´spec´.
The same keys may also stand by themselves, as other tools write them, with ´id´ for the name. Several documents in one
YAML file are as many files. Paths start from the folder of the file that names them. Text may be written as a number or
as true and false, which are then read as they are written. A time span is a number with a unit, such as ´90s´,
´1m30s´ or ´250ms´. Where a list of text is wanted, a single text stands for a list of it.

| Page | What it describes |
|---|---|
`

// filesIndex lists the pages about files.
func filesIndex() (string, error) {
	var b strings.Builder
	b.WriteString(ticks(filesOpening))
	for _, p := range filedoc.Pages() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", p.Name, p.Name, escaped(p.About))
	}
	return b.String(), nil
}

// withFiles adds the pages about files to others.
func withFiles(all map[string]func() (string, error)) map[string]func() (string, error) {
	all = maps.Clone(all)
	all["files/README.md"] = filesIndex
	for _, p := range filedoc.Pages() {
		all[path.Join("files", p.Name+".md")] = func() (string, error) { return filedoc.Text(p.Name) }
	}
	return all
}
