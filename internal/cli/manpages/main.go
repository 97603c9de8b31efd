// Manpages writes the manual pages of arena into a folder, for release archives. It is a program of its own so that the
// Markdown renderer behind it is not part of arena.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/arena-evals/arena/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpages DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	epoch := time.Unix(0, 0).UTC() // a fixed date: the pages are the same in every build
	head := &doc.GenManHeader{Title: "ARENA", Section: "1", Source: "arena", Date: &epoch}
	return doc.GenManTree(cli.Commands(cli.System()), head, dir)
}
