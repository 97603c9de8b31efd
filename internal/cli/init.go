package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/cli/template"
	"github.com/arena-evals/arena/internal/plainfile"
)

func newInitCmd(app *App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write a small project that is green at once",
		Long: `Init writes a small project: an arena config, a prompt, a tool and two scenarios with mock
replies. It runs offline and green at once; point it at a model with --provider when you like.
Files that exist are kept: init writes all of its files or none.`,
		Example: `  arena init demo && cd demo && arena run`,
		Args:    takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return initProject(app, dir, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite files that exist")
	return cmd
}

// initProject copies the template. Nothing is written when a file would be overwritten.
func initProject(app *App, dir string, force bool) error {
	files, err := template.Files()
	if err != nil {
		return broken(err)
	}
	if !force {
		var there []string
		for _, f := range files {
			if path := filepath.Join(dir, f.Path); exists(path) {
				there = append(there, path)
			}
		}
		if len(there) > 0 {
			return fmt.Errorf("already there: %s\nnothing was written; choose another folder, or pass --force to overwrite",
				strings.Join(there, ", "))
		}
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Path)
		if err := plainfile.MakeDir(filepath.Dir(path)); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil { //nolint:gosec // a project is meant to be read by others
			return err
		}
		if _, err := fmt.Fprintln(app.Out, "wrote", path); err != nil {
			return broken(err)
		}
	}
	next := "arena run"
	if dir != "." {
		next = "cd " + shellQuote(dir) + " && " + next
	}
	_, err = fmt.Fprintf(app.Out, "\nnext: %s\n", next)
	return ifBroken(err)
}
