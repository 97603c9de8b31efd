package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/events"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/scenario"
)

func newSchemaCmd(app *App) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "schema [format]",
		Short: "Print the JSON Schema of a file format",
		Long: `Schema prints the JSON Schema of a file format, with which editors complete and check while you type. Without
a format it lists them. --write puts those of all files that people write into a folder, or the one that is
named, each in a file of its name; the first line of a YAML file can say which it has:
# yaml-language-server: $schema=.schemas/scenario.json`,
		Example: `  arena schema
  arena schema scenario > .vscode/scenario.schema.json
  arena schema results > results.schema.json
  arena schema --write .schemas`,
		ValidArgs: schemaNames(),
		Args: func(c *cobra.Command, args []string) error {
			if folder != "" {
				return nil
			}
			return takes(0, 1)(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case folder != "":
				return writeSchemas(app, folder, args)
			case len(args) == 0:
				return listSchemas(app)
			}
			schema, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			_, err = screen.Data(app.Out).Write(schema)
			return ifBroken(err)
		},
	}
	cmd.Flags().StringVar(&folder, "write", "", "write the schemas into this `folder`")
	return cmd
}

// writeSchemas writes schemas into a folder: the named ones, or all schemas of input files. It replaces older schemas.
// If another file is in the way, it writes nothing.
func writeSchemas(app *App, folder string, names []string) error {
	if len(names) == 0 {
		for _, k := range scenario.SchemaKinds() {
			names = append(names, k.Name)
		}
	}
	schemas := make([][]byte, len(names))
	for i, name := range names {
		var err error
		if schemas[i], err = compactSchema(name); err != nil {
			return err
		}
		if file := filepath.Join(folder, name+".json"); exists(file) && titleOf(file) != titled(schemas[i]) {
			return fmt.Errorf("%s is there, and no schema that arena wrote; nothing was written\nchoose another folder", file)
		}
	}
	if err := plainfile.MakeDir(folder); err != nil {
		return err
	}
	for i, name := range names {
		file := filepath.Join(folder, name+".json")
		if err := os.WriteFile(file, schemas[i], 0o644); err != nil { //nolint:gosec // it is meant to be read by others
			return err
		}
		if _, err := fmt.Fprintln(app.Out, "wrote", file); err != nil {
			return broken(err)
		}
	}
	return nil
}

// titleOf is the title of the schema in a file; "": no schema.
func titleOf(file string) string {
	data, _ := plainfile.Read(file) // an unreadable file has no title
	return titled(data)
}

func titled(schema []byte) string {
	var s struct{ Title string }
	_ = json.Unmarshal(schema, &s) // nor has a file that is not JSON
	return s.Title
}

// compactSchema is a schema on one line, a third of the size.
func compactSchema(name string) ([]byte, error) {
	schema, err := schemaOf(name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Compact(&b, schema)
	return append(b.Bytes(), '\n'), err
}

// resultsSchema is that of results.json.
var resultsSchema = scenario.SchemaKind{Name: "results", About: "what a run found, in results.json"}

// baselineSchema is that of arena.baseline.json.
var baselineSchema = scenario.SchemaKind{Name: "baseline", About: "how a suite did, in arena.baseline.json"}

// eventsSchema is that of one line of --events.
var eventsSchema = scenario.SchemaKind{Name: "events", About: "a line of what happens in a run, as --events writes it"}

// schemaKinds are the formats with a schema: input files and outputs.
func schemaKinds() []scenario.SchemaKind {
	return append(scenario.SchemaKinds(), resultsSchema, baselineSchema, eventsSchema, evalRequestSchema, evalResultSchema)
}

func schemaNames() []string {
	var names []string
	for _, k := range schemaKinds() {
		names = append(names, k.Name)
	}
	return names
}

func listSchemas(app *App) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 3, ' ', 0)
	for _, k := range schemaKinds() {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", k.Name, k.About); err != nil {
			return ifBroken(err)
		}
	}
	return ifBroken(w.Flush())
}

func schemaOf(name string) ([]byte, error) {
	switch name {
	case resultsSchema.Name:
		return jsonout.Schema(), nil
	case baselineSchema.Name:
		return baseline.Schema(), nil
	case eventsSchema.Name:
		return events.Schema()
	case evalRequestSchema.Name:
		return dispatchSchema(evalRequestSchema)
	case evalResultSchema.Name:
		return dispatchSchema(evalResultSchema)
	}
	schema := scenario.Schema(name, checks.Schemas())
	if schema == nil {
		err := fmt.Errorf("there is no schema %q", name)
		if near := diag.Nearest(name, schemaNames()); near != "" {
			return nil, fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return nil, fmt.Errorf("%w\n`arena schema` lists all of them", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(schema)
	return b.Bytes(), err
}
