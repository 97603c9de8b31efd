package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
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
Editors that know YAML schemas complete and check the files: each names its schema, in .schemas.
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

// schemaLine is how a file names its schema for editors.
const schemaLine = "# yaml-language-server: $schema="

// withSchemas adds the schemas that the files name.
func withSchemas(files []template.File) ([]template.File, error) {
	var schemas []template.File
	for _, f := range files {
		line, _, _ := strings.Cut(string(f.Data), "\n")
		at, ok := strings.CutPrefix(line, schemaLine)
		at = path.Join(path.Dir(f.Path), at)
		if !ok || slices.ContainsFunc(schemas, func(s template.File) bool { return s.Path == at }) {
			continue
		}
		schema, err := compactSchema(strings.TrimSuffix(path.Base(at), ".json"))
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, template.File{Path: at, Data: schema})
	}
	all := append(schemas, files...)
	slices.SortFunc(all, func(a, b template.File) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// initProject copies the template. Nothing is written when a file would be overwritten.
func initProject(app *App, dir string, force bool) error {
	files, err := template.Files()
	if err == nil {
		files, err = withSchemas(files)
	}
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
