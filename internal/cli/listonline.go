package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// listedTool is a row of `arena list tools --online`.
type listedTool struct {
	ID     string          `json:"id"`
	From   string          `json:"from"`
	About  string          `json:"about"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Source *diag.Pos       `json:"source,omitempty"` // nil: no file declares it
}

// listOnline lists the tools of projects, with those of their servers. It starts the servers. If one cannot be asked,
// the others are still listed.
func (f *listFlags) listOnline(ctx context.Context, app *App, projects []*scenario.Project) error {
	ctx, interrupted := app.interruptible(ctx, runner.Stop(), func() { app.remark("stopping") })
	rows, problems := []listedTool{}, []error(nil)
	for _, p := range projects {
		bench, err := runner.NewWorkbench(p, nil)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		tools, failed := bench.List(ctx)
		problems = append(problems, failed...)
		for _, name := range bench.SourcesWithoutTools(tools) {
			app.remark("%s has no tools", name)
		}
		for _, t := range tools {
			row := listedTool{ID: t.Name, From: t.From, About: t.Description, Schema: t.Schema}
			if t.Pos.File != "" {
				row.Source = &t.Pos
			}
			rows = append(rows, row)
		}
		bench.Close()
	}
	if interrupted() {
		return exit(result.ExitInterrupted)
	}
	if err := f.printOnline(app, rows); err != nil {
		return err
	}
	if len(problems) > 0 {
		return broken(errors.Join(problems...))
	}
	return nil
}

// remarkServed names the servers whose tools only --online shows.
func (a *App) remarkServed(projects []*scenario.Project) {
	servers, agents := 0, 0
	for _, p := range projects {
		servers, agents = servers+len(p.Servers), agents+len(p.Agents)
	}
	var whom []string
	if servers > 0 {
		whom = append(whom, plural.Count(servers, "MCP server"))
	}
	if agents > 0 {
		whom = append(whom, plural.Count(agents, "remote agent"))
	}
	if len(whom) > 0 {
		a.remark("the tools of %s are not listed: --online asks for them", strings.Join(whom, " and "))
	}
}

func (f *listFlags) printOnline(app *App, rows []listedTool) error {
	if f.asJSON {
		return writeJSON(app, rows)
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		about, _, _ := strings.Cut(strings.TrimSpace(r.About), "\n")
		_, err := fmt.Fprintf(w, "%s\t%s\t(%s)\t%s\n", diag.Safe(r.ID), diag.Safe(r.From), diag.Safe(parametersOf(r.Schema)),
			diag.Safe(about))
		if err != nil {
			return broken(err)
		}
	}
	return ifBroken(w.Flush())
}

// parametersOf is a schema in one line: argument names with types. Optional ones have a question mark.
func parametersOf(schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if len(schema) > 0 && json.Unmarshal(schema, &s) != nil {
		return "…"
	}
	var all []string
	for name, p := range s.Properties {
		word := ""
		switch t := p.Type.(type) {
		case string:
			word = t
		case []any:
			var words []string
			for _, one := range t {
				words = append(words, fmt.Sprint(one))
			}
			word = strings.Join(words, "|")
		}
		if len(p.Enum) > 0 {
			word = "enum"
		}
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		all = append(all, strings.TrimSuffix(name+optional+": "+word, ": "))
	}
	slices.SortFunc(all, func(a, b string) int { // required ones first
		if x, y := strings.Contains(a, "?"), strings.Contains(b, "?"); x != y {
			if y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return strings.Join(all, ", ")
}
