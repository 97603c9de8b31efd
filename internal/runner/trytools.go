package runner

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/sortby"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/memory"
	"github.com/arena-evals/arena/internal/tools/open"
	"github.com/arena-evals/arena/internal/workflow"
)

// Workbench is the tools of a project outside of any conversation: to look at, or to try. It is used by one goroutine.
type Workbench struct {
	p    *scenario.Project
	http *http.Client
	kit  *tools.Kit
	box  tools.Box

	asked map[*tools.Opener]bool
}

// ListedTool is a tool of a project, and where it comes from.
type ListedTool struct {
	chat.Tool
	From string   // mock, exec and the like, or the server that has it
	Pos  diag.Pos // of the file that describes it; zero: none does
}

// NewWorkbench takes the tools of a project. It starts nothing, and connects only to tools that are called and sources
// that are listed. heard is PlanOptions.OnStderr.
func NewWorkbench(p *scenario.Project, heard func(who, line string)) (*Workbench, error) {
	w := &Workbench{p: p, http: newHTTP(false)}
	kit, remembering, err := newKit(p, open.World{HTTP: w.http, OnStderr: heard, Media: &attach.Store{}})
	if err != nil {
		return nil, err
	}
	w.kit, w.box = kit, kit.Box("")
	if remembering != nil {
		w.box.Own(remembering, memory.New(nil))
	}
	return w, nil
}

// Close ends what was started.
func (w *Workbench) Close() {
	_ = w.box.Close() // what was asked for has been answered
	_ = w.kit.Close() // the same
	w.http.CloseIdleConnections()
}

// List asks all sources of the project for their tools, and returns these with those that files describe, sorted by
// name. The others are listed also when a source fails.
func (w *Workbench) List(ctx context.Context) (all []ListedTool, problems []error) {
	for _, spec := range w.p.Tools {
		one := ListedTool{From: modeOf(spec), Pos: spec.Pos}
		one.Name, one.Description, one.Schema = spec.ID, spec.Description, spec.InputSchema
		all = append(all, one)
	}
	for _, o := range w.box.Sources() {
		list, err := w.take(ctx, o)
		if err != nil {
			problems = append(problems, err)
		}
		for _, tool := range list {
			all = append(all, ListedTool{Tool: tool, From: o.Name})
		}
	}
	sortby.Func(all, func(a, b ListedTool) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all, problems
}

// SourcesWithoutTools are the sources that were asked for their tools and have none, given those that were listed.
func (w *Workbench) SourcesWithoutTools(listed []ListedTool) (names []string) {
	for _, o := range w.box.Sources() {
		if w.asked[o] && !slices.ContainsFunc(listed, func(t ListedTool) bool { return t.From == o.Name }) {
			names = append(names, o.Name)
		}
	}
	return names
}

func modeOf(spec *scenario.Tool) string {
	if spec.Mode == "" {
		return scenario.MockType
	}
	return spec.Mode
}

// take lists the tools of a source, so that they can be called.
func (w *Workbench) take(ctx context.Context, o *tools.Opener) ([]chat.Tool, error) {
	list, err := w.box.List(ctx, o)
	if err != nil {
		return nil, err
	}
	if w.asked == nil {
		w.asked = map[*tools.Opener]bool{}
	}
	w.asked[o] = true
	_, err = w.box.Take(o, list)
	return list, err
}

// Find makes a tool ready to be called. It asks only the sources that may have a tool of this name. found is false when
// there is none; names are the tools that were compared.
func (w *Workbench) Find(ctx context.Context, name string) (found bool, names []string, err error) {
	if w.box.Has(name) {
		return true, nil, nil
	}
	names = slices.Clone(w.kit.Names())
	for _, o := range w.box.Listing([]string{name}) {
		list, err := w.take(ctx, o)
		if err != nil {
			return false, names, err
		}
		for _, tool := range list {
			names = append(names, tool.Name)
		}
	}
	return w.box.Has(name), names, nil
}

// Preflight reports what keeps a tool from being called: a program that is not there, a variable that is not set.
func (w *Workbench) Preflight(name string, d *diag.List) {
	if strings.HasPrefix(name, a2a.Prefix) && w.p.Getenv != nil {
		preflight.RemoteAgents(w.p, d)
	}
	for _, t := range w.p.Tools {
		switch {
		case t.ID != name || w.p.Getenv == nil:
		case t.Exec != nil:
			preflight.ToolProgram(t, w.p.Getenv, d)
		case t.HTTP != nil:
			preflight.ToolEndpoint(t, w.p.Getenv, d)
		}
	}
}

// OnlyInConversation says why a tool cannot be called outside of a conversation; "" when it can.
func OnlyInConversation(name string) string {
	if name == workflow.TransitionTool || name == workflow.ArtifactTool || slices.Contains(skill.ToolNames, name) {
		return "it works on the state of a conversation"
	}
	return ""
}

// Takes validates arguments against the schema of a tool that was found, after the repairs that calls make.
func (w *Workbench) Takes(name string, args map[string]any) error { return w.box.Takes(name, args) }

// Call calls a tool that was found.
func (w *Workbench) Call(ctx context.Context, name string, args map[string]any) chat.ToolResult {
	return w.box.Call(ctx, chat.ToolCall{ID: "call_1", Name: name, Args: args})
}

// Schema is the schema of the arguments of a found tool; nil: none.
func (w *Workbench) Schema(name string) []byte { return w.box.Schema(name) }
