package cli

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/workflow"
)

// packFile is a pack that generated scenarios speak to.
type packFile struct {
	path string
	root *node.Node
}

// openPack reads the pack of --pack, if there is one, and settles which of its prompts is meant.
func (f *generateFlags) openPack(app *App) (*packFile, error) {
	if f.pack == "" {
		return nil, nil
	}
	suite, diags := checks.Load(scenario.Options{Paths: []string{f.pack}, Bare: true, Getenv: app.Getenv})
	root, err := readDocument(f.pack, diags)
	if err != nil {
		return nil, err
	}
	if diags.Errors() > 0 {
		app.showDiags(app.Err, diags.Sorted(), suite.Files, app.useColor("auto", app.ErrTTY), "nothing was written")
		return nil, exit(result.ExitUsage)
	}
	p := suite.Projects[0]
	if f.taskType == "" && p.Workflow != nil && p.Workflow.Graph != nil {
		f.starts = startsOf(p.Workflow.Graph)
	}
	return &packFile{f.pack, root}, f.choosePrompt(p.Prompts, root)
}

// startsOf are the task types with which scenarios start in the states of a workflow; "" where none does.
func startsOf(g *workflow.Graph) map[string]string {
	starts := map[string]string{}
	for _, s := range g.States() {
		starts[s.Name] = ""
		if at, err := g.StartFor(s.PromptTask); s.PromptTask != "" && err == nil && at == s {
			starts[s.Name] = s.PromptTask
		}
	}
	return starts
}

// choosePrompt settles the task type: what was asked for, the only prompt, or that of the entry of the workflow.
func (f *generateFlags) choosePrompt(prompts []*scenario.Prompt, root *node.Node) error {
	var names []string
	for _, p := range prompts {
		names = append(names, p.TaskType)
	}
	slices.Sort(names)
	if f.taskType == "" {
		f.taskType = entryPrompt(root)
	}
	if f.taskType == "" && len(names) == 1 {
		f.taskType = names[0]
	}
	if f.taskType == "" {
		return fmt.Errorf("the pack has several prompts: %s\nname one with --task-type", strings.Join(names, ", "))
	}
	for _, p := range prompts {
		if p.TaskType == f.taskType {
			return f.checkVariables(p)
		}
	}
	err := fmt.Errorf("the pack has no prompt %q; it has %s", f.taskType, strings.Join(names, ", "))
	if hint := diag.DidYouMean(f.taskType, names); hint != "" {
		err = fmt.Errorf("%w\n%s", err, hint)
	}
	return err
}

// entryPrompt is the prompt of the state in which the workflow of a pack begins; "" without a workflow.
func entryPrompt(root *node.Node) string {
	flow := node.Get(root, "workflow")
	entry := node.Get(flow, "entry")
	if entry == nil {
		return ""
	}
	if task := node.Get(node.Get(node.Get(flow, "states"), entry.Value), "prompt_task"); task != nil {
		return task.Value
	}
	return ""
}

// checkVariables asks for what the prompt cannot be written without.
func (f *generateFlags) checkVariables(p *scenario.Prompt) error {
	var missing []string
	for _, v := range p.Variables {
		if _, set := f.vars[v.Name]; v.Required && v.Default == nil && !set && p.Vars[v.Name] == "" {
			missing = append(missing, v.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the prompt %s needs the variables %s, which no recording tells\nset them with --var %s=…",
		p.TaskType, strings.Join(missing, ", "), missing[0])
}

// readDocument parses a file that was found loadable.
func readDocument(path string, d *diag.List) (*node.Node, error) {
	if d.Errors() > 0 {
		return nil, nil
	}
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	docs := node.Parse(&node.Reader{File: path, Diags: d}, data)
	if len(docs) != 1 || node.Get(docs[0], "prompts") == nil {
		return nil, errors.New(path + " is no pack: it has no prompts")
	}
	return docs[0], nil
}

// config writes the config that puts the scenarios and the pack together. Tools of a pack are declarations: each is
// mocked by what it returned in a recording.
func (p *packFile) config(h *harvest, f *generateFlags) (newFile, error) {
	rel, err := relative(f.out, p.path)
	if err != nil {
		return newFile{}, err
	}
	var scenarios []string
	for _, file := range h.files {
		scenarios = append(scenarios, filepath.Base(file.path))
	}
	var tools []generate.PackTool
	all := node.Get(p.root, "tools")
	reader := &node.Reader{File: p.path, Diags: &diag.List{}} // the pack has been loaded: there is nothing to report
	for _, key := range slices.Sorted(maps.Keys(set(node.Keys(all)))) {
		n := node.Get(all, key)
		tool := generate.PackTool{Name: key}
		if schema := node.Get(n, "parameters"); schema != nil {
			tool.Schema = reader.Any(schema)
		}
		if d := node.Get(n, "description"); d != nil {
			tool.Description = d.Value
		}
		if text, came := h.results[key]; came {
			tool.Result = &text
		}
		tools = append(tools, tool)
	}
	text, err := generate.PackConfig(filepath.ToSlash(rel), scenarios, tools)
	return newFile{filepath.Join(f.out, "config.arena.yaml"), text}, err
}

func set(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// relative is the path of a file as seen from a folder.
func relative(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}
