package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManCmd writes the man pages for release archives.
func newManCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages",
		Hidden: true,
		Args:   takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			epoch := time.Unix(0, 0).UTC() // a fixed date: the pages are the same in every build
			head := &doc.GenManHeader{Title: "ARENA", Section: "1", Source: "arena", Date: &epoch}
			return doc.GenManTree(c.Root(), head, args[0])
		},
	}
}
