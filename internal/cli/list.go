package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// listable is what there is to list.
var listable = []string{"scenarios", "providers", "judges", "tools", "prompts", "workflow", "checks"}

type listFlags struct {
	config  string
	asJSON  bool
	lenient bool
	dot     bool
	mermaid bool
	online  bool
}

// listed is one row of `arena list`.
type listed struct {
	ID     string   `json:"id"`
	About  string   `json:"about"`
	Tags   []string `json:"tags,omitempty"`
	Source diag.Pos `json:"source"`
}

func newListCmd(app *App) *cobra.Command {
	f := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list " + strings.Join(listable, "|") + " [path...]",
		Short: "List what the files hold",
		Example: `  arena list scenarios
  arena list providers -c config.arena.yaml --json
  arena list tools --online
  arena list workflow --dot | dot -Tsvg > workflow.svg`,
		ValidArgs: listable,
		Args:      takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			return f.run(c.Context(), app, args[0], args[1:])
		},
	}
	cmd.Flags().StringVarP(&f.config, "config", "c", "", "arena config `file`")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.online, "online", false, "start the servers of tools, and list what they have, with schemas")
	cmd.Flags().BoolVar(&f.dot, "dot", false, "draw the workflow for Graphviz")
	cmd.Flags().BoolVar(&f.mermaid, "mermaid", false, "draw the workflow for Mermaid")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings")
	return cmd
}

func (f *listFlags) run(ctx context.Context, app *App, kind string, paths []string) error {
	if !slices.Contains(listable, kind) {
		err := fmt.Errorf("arena list cannot list %q; expected %s", kind, strings.Join(listable, ", "))
		if near := diag.Nearest(kind, listable); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		} else if exists(kind) {
			err = fmt.Errorf("%w\nwhat to list comes first: arena list scenarios %s", err, kind)
		}
		return err
	}
	if kind != "workflow" && (f.dot || f.mermaid) {
		return fmt.Errorf("--dot and --mermaid draw a workflow, and no %s", kind)
	}
	if f.online && kind != "tools" {
		return fmt.Errorf("--online asks servers for their tools, and no %s", kind)
	}
	if f.dot && f.mermaid || f.asJSON && (f.dot || f.mermaid) {
		return errors.New("--json, --dot and --mermaid exclude each other")
	}
	if kind == "checks" {
		return listChecks(app, f.asJSON)
	}
	suite, diags := checks.Load(scenario.Options{Paths: paths, Config: f.config, Lenient: f.lenient, Getenv: app.Getenv})
	app.learnSecrets(suite, diags)
	app.remarks(suite.Notes)
	if diags.Errors() > 0 {
		app.showDiags(app.Err, diags.Sorted(), suite.Files, app.useColor("auto", app.ErrTTY), "")
		return exit(result.ExitUsage)
	}
	if f.online {
		return f.listOnline(ctx, app, suite.Projects)
	}
	if kind == "workflow" {
		return f.listWorkflow(app, suite.Projects)
	}
	rows := []listed{}
	for _, p := range suite.Projects {
		rows = append(rows, rowsOf(p, kind)...)
	}
	if f.asJSON {
		return writeJSON(app, rows)
	}
	if kind == "tools" {
		app.remarkServed(suite.Projects)
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		about := r.About
		if len(r.Tags) > 0 {
			about += " [" + strings.Join(r.Tags, " ") + "]"
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", diag.Safe(r.ID), diag.Safe(about), diag.Safe(r.Source.String()))
		if err != nil {
			return broken(err)
		}
	}
	return ifBroken(w.Flush())
}

// ifBroken wraps an error with broken; nil stays nil.
func ifBroken(err error) error {
	if err == nil {
		return nil
	}
	return broken(err)
}

func rowsOf(p *scenario.Project, kind string) []listed {
	var rows []listed
	switch kind {
	case "scenarios":
		for _, s := range p.Scenarios {
			rows = append(rows, listed{s.ID, s.Description, s.Tags, s.Pos})
		}
	case "providers":
		for _, q := range p.Providers {
			rows = append(rows, listed{q.ID, strings.Trim(q.Type+" "+q.Model+groupNote(q), " "), q.Capabilities, q.Pos})
		}
	case "judges":
		for _, j := range p.Judges {
			rows = append(rows, listed{j.Name, judgeNote(p, j), nil, j.Pos})
		}
	case "tools":
		for _, t := range p.Tools {
			rows = append(rows, listed{t.ID, t.Description, nil, t.Pos})
		}
	case "prompts":
		for _, q := range p.Prompts {
			rows = append(rows, listed{q.TaskType, q.Description, nil, q.Pos})
		}
	}
	return rows
}

func judgeNote(p *scenario.Project, j scenario.Judge) string {
	for _, q := range p.Providers {
		if q.Is(j.Provider) {
			return strings.TrimSpace(j.Provider + ": " + q.Type + " " + q.Model)
		}
	}
	return j.Provider
}

func groupNote(q *scenario.Provider) string {
	if q.Group == "" || q.Group == "default" {
		return ""
	}
	return " (group " + q.Group + ")"
}
