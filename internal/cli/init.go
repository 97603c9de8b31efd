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
	"github.com/arena-evals/arena/internal/sortby"
)

type initFlags struct {
	force bool
	ci    string
	// ciGiven says that the user named ci.
	ciGiven bool
}

func newInitCmd(app *App) *cobra.Command {
	f := &initFlags{}
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write a small project that is green at once",
		Long: `Init writes a small project: an arena config, a prompt, a tool and two scenarios with mock
replies. It runs offline and green at once; point it at a model with --provider when you like.
Editors that know YAML schemas complete and check the files: each names its schema, in .schemas.
Files that exist are kept: init writes all of its files or none. A new project comes with a
workflow for GitHub, or what --ci names; in a project that is there, --ci writes that alone.`,
		Example: `  arena init demo && cd demo && arena run
  arena init --ci gitlab`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if ext := filepath.Ext(dir); ext == ".yaml" || ext == ".yml" || ext == ".json" {
				return fmt.Errorf("%s has the name of a file, and arena init writes a folder\narena init %s",
					dir, strings.TrimSuffix(strings.TrimSuffix(dir, ext), ".arena"))
			}
			if err := oneOf("ci", []string{f.ci}, template.CI...); err != nil {
				return err
			}
			f.ciGiven = c.Flags().Changed("ci")
			return f.write(app, dir)
		},
	}
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite files that exist")
	cmd.Flags().StringVar(&f.ci, "ci", template.CI[0],
		"the `service` that is to run the project on every push: github or gitlab")
	cmd.Flags().Lookup("ci").Annotations = map[string][]string{notASetting: {"the setting is of the screen"}}
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
	sortby.Func(all, func(a, b template.File) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// files are those to write.
func (f *initFlags) files(alone bool) ([]template.File, error) {
	if alone {
		return template.Pipeline(f.ci)
	}
	files, err := template.Project(f.ci)
	if err != nil {
		return nil, err
	}
	return withSchemas(files)
}

// write copies the template; where there is a project, only what --ci asks for. Nothing is written when a file would be
// overwritten.
func (f *initFlags) write(app *App, dir string) error {
	alone := f.ciGiven && exists(filepath.Join(dir, "config.arena.yaml"))
	files, err := f.files(alone)
	if err != nil {
		return broken(err)
	}
	if !f.force {
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
	app.remarkBelow(dir, files)
	if alone {
		return nil
	}
	next := "arena run"
	if dir != "." {
		next = "cd " + shellQuote(dir) + " && " + next
	}
	_, err = fmt.Fprintf(app.Out, "\nnext: %s\n", next)
	return ifBroken(err)
}
