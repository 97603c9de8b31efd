package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// listedState is one row of `arena list workflow`.
type listedState struct {
	listed

	Entry         bool             `json:"entry"`
	Terminal      bool             `json:"terminal"`
	Orchestration string           `json:"orchestration"`
	Prompt        string           `json:"prompt,omitempty"` // task type
	Composition   string           `json:"composition,omitempty"`
	Events        []listedEvent    `json:"events"`
	MaxVisits     int              `json:"max_visits,omitempty"`
	OnMaxVisits   string           `json:"on_max_visits,omitempty"`
	Tools         []string         `json:"tools"`
	Skills        []listedSkill    `json:"skills"`
	Artifacts     []listedArtifact `json:"artifacts"`
}

type listedEvent struct {
	Event string `json:"event"`
	To    string `json:"to"`
}

type listedSkill struct {
	Name    string   `json:"name"`
	Preload bool     `json:"preload,omitempty"`
	Tools   []string `json:"tools,omitempty"` // the tools of the skill
}

type listedArtifact struct {
	Name   string `json:"name"`
	Append bool   `json:"append,omitempty"`
}

// listWorkflow prints the states of the workflows of all projects, or draws them.
func (f *listFlags) listWorkflow(app *App, projects []*scenario.Project) error {
	projects = slices.DeleteFunc(slices.Clone(projects), func(p *scenario.Project) bool {
		return p.Workflow == nil || p.Workflow.Graph == nil
	})
	if f.asJSON {
		all := []listedState{}
		for _, p := range projects {
			all = append(all, statesOf(p)...)
		}
		return writeJSON(app, all)
	}
	if f.dot || f.mermaid {
		return f.draw(app.Out, projects)
	}
	for i, p := range projects {
		if i > 0 {
			if _, err := fmt.Fprintln(app.Out); err != nil {
				return broken(err)
			}
		}
		if len(projects) > 1 {
			if _, err := fmt.Fprintf(app.Out, "%s\n", diag.Safe(p.File)); err != nil {
				return broken(err)
			}
		}
		if err := tabulate(app.Out, p); err != nil {
			return broken(err)
		}
	}
	return nil
}

func (f *listFlags) draw(out io.Writer, projects []*scenario.Project) error {
	switch len(projects) {
	case 0:
		return errors.New("there is no workflow to draw")
	case 1:
	default:
		var files []string
		for _, p := range projects {
			files = append(files, p.File)
		}
		return fmt.Errorf("a drawing holds one workflow, and there are %d: choose one with -c: %s", len(projects),
			strings.Join(files, ", "))
	}
	p := projects[0]
	text := p.Workflow.Graph.Mermaid()
	if f.dot {
		name := p.Name
		if name == "" {
			name = filepath.Base(p.File)
		}
		text = p.Workflow.Graph.DOT(name)
	}
	_, err := io.WriteString(out, text)
	return ifBroken(err)
}

var orchestrations = map[workflow.Orchestration]string{
	workflow.Internal: "internal", workflow.External: "external", workflow.Hybrid: "hybrid",
	workflow.Composed: "composition",
}

func statesOf(p *scenario.Project) []listedState {
	w := p.Workflow
	rows := make([]listedState, 0, len(w.States))
	for _, s := range w.States {
		r := listedState{
			listed: listed{ID: s.Name, About: s.Description, Source: w.At(s.Name)},
			Entry:  s == w.Graph.Entry(), Terminal: s.Ends(), Orchestration: orchestrations[s.Mode],
			Prompt: s.PromptTask, Composition: s.Composition, MaxVisits: s.MaxVisits, OnMaxVisits: s.OnMaxVisits,
			Events: []listedEvent{}, Tools: []string{}, Skills: skillsIn(p, s), Artifacts: []listedArtifact{},
		}
		for _, event := range s.EventNames() {
			r.Events = append(r.Events, listedEvent{event, s.Events[event]})
		}
		if prompt := p.PromptOf(s); prompt != nil && len(prompt.AllowedTools) > 0 {
			r.Tools = slices.Compact(slices.Sorted(slices.Values(prompt.AllowedTools)))
		}
		for i := range s.Artifacts {
			r.Artifacts = append(r.Artifacts, listedArtifact{s.Artifacts[i].Name, s.Artifacts[i].Append})
		}
		rows = append(rows, r)
	}
	return rows
}

// skillsIn are the skills that a state allows.
func skillsIn(p *scenario.Project, s *workflow.State) []listedSkill {
	list := []listedSkill{}
	if p.Skills == nil {
		return list
	}
	filter, err := skill.NewFilter(s.Skills)
	if err != nil { // reported with the file
		return list
	}
	for _, one := range p.Skills.Allowed(filter) {
		list = append(list, listedSkill{one.Name, one.Preload, one.Tools})
	}
	return list
}

// column is a column of the table: its title, and the lines of each cell.
type column struct {
	title string
	cells [][]string
}

// tabulate prints a workflow as a table. Cells have a line for each item. Empty columns are left out.
func tabulate(out io.Writer, p *scenario.Project) error {
	columns := make([]column, 7)
	for i, title := range []string{"state", "prompt", "events", "tools", "skills", "artifacts", "source"} {
		columns[i].title = title
	}
	states := statesOf(p)
	for i := range states {
		s := &states[i]
		for k, cell := range [][]string{
			{stateCell(s)}, {s.Prompt}, eventCell(s), s.Tools, skillCell(s), artifactCell(s), {s.Source.String()},
		} {
			columns[k].cells = append(columns[k].cells, cell)
		}
	}
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(c.cells, func(cell []string) bool { return strings.Join(cell, "") != "" })
	})
	titles := make([]string, len(columns))
	for i := range columns {
		titles[i] = columns[i].title
	}
	lines := [][]string{titles}
	for row := range states {
		height := 0
		for i := range columns {
			height = max(height, len(columns[i].cells[row]))
		}
		for k := range height {
			line := make([]string, len(columns))
			for i := range columns {
				if cell := columns[i].cells[row]; k < len(cell) {
					line[i] = diag.Safe(cell[k])
				}
			}
			lines = append(lines, line)
		}
	}
	text := aligned(lines)
	if limits := budgetWords(p.Workflow.Budget); limits != "" {
		text += "\na trial has at most " + limits + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// aligned writes lines of cells in columns. Cells may be empty.
func aligned(lines [][]string) string {
	var widths []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], show.Width(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var l strings.Builder
		for i, cell := range line {
			l.WriteString(cell + strings.Repeat(" ", widths[i]-show.Width(cell)+2))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func stateCell(s *listedState) string {
	var notes []string
	if s.Entry {
		notes = append(notes, "entry")
	}
	switch {
	case s.Composition != "":
		notes = append(notes, "composition "+s.Composition)
	case s.Orchestration == orchestrations[workflow.External]:
		notes = append(notes, s.Orchestration)
	}
	if s.Terminal {
		notes = append(notes, "terminal")
	}
	if notes == nil {
		return s.ID
	}
	return s.ID + " (" + strings.Join(notes, ", ") + ")"
}

func eventCell(s *listedState) (cell []string) {
	for _, e := range s.Events {
		cell = append(cell, e.Event+" → "+e.To)
	}
	if s.MaxVisits > 0 {
		full := "at most " + plural.Count(s.MaxVisits, "visit")
		if s.OnMaxVisits != "" {
			full += ", then → " + s.OnMaxVisits
		}
		cell = append(cell, full)
	}
	return cell
}

func skillCell(s *listedState) (cell []string) {
	for _, one := range s.Skills {
		text := one.Name
		if one.Preload {
			text += " (preloaded)"
		}
		if len(one.Tools) > 0 {
			text += " + " + strings.Join(one.Tools, ", ")
		}
		cell = append(cell, text)
	}
	return cell
}

func artifactCell(s *listedState) (cell []string) {
	for _, a := range s.Artifacts {
		text := a.Name
		if a.Append {
			text += " (appended to)"
		}
		cell = append(cell, text)
	}
	return cell
}

func budgetWords(b workflow.Budget) string {
	var limits []string
	if b.Visits > 0 {
		limits = append(limits, plural.Count(b.Visits, "visit")+" of states")
	}
	if b.ToolCalls > 0 {
		limits = append(limits, plural.Count(b.ToolCalls, "tool call"))
	}
	if b.WallTime > 0 {
		limits = append(limits, b.WallTime.String())
	}
	return strings.Join(limits, ", ")
}
