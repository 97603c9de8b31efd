package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
)

func newMocksCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mocks",
		Short: "Make mock replies",
		Args:  unknownCommand,
		RunE:  needsCommand,
	}
	cmd.AddCommand(newMocksGenerateCmd(app))
	return cmd
}

const mocksGenerateLong = `Generate writes a mock response file out of conversations that took place: with it the same
suite runs again without a model, and comes to the same verdicts.

  arena run -c config.arena.yaml -o real
  arena mocks generate -i real -o mock-responses.yaml
  arena run -c config.arena.yaml --mock-config mock-responses.yaml

The n-th message of the assistant becomes reply n of its scenario, with its tool calls and
parts, and with the tokens and the cost that were measured; --mock-config says it also in
turns with a mock: of their own. Times are left out, for a mock waits for them: --latencies
keeps them. Of several conversations of one scenario (providers, trials) the last one counts,
and arena says so; choose with --provider.

Tools run again as the project says. --tool-results puts what they returned into the file, and
none is run. The answers of judges are not in the file: add them under judges:.

Input: results.json, a journal, the folder of a run (also another tool's), or recordings.`

type mocksFlags struct {
	inputs               []string
	out                  string
	scenarios, providers []string
	perScenario, merge   bool
	dryRun, force        bool
	results, timed       bool
	fallback             string

	read []string // the files that the replies come from
}

func newMocksGenerateCmd(app *App) *cobra.Command {
	f := &mocksFlags{}
	cmd := &cobra.Command{
		Use:   "generate -i input -o file",
		Short: "Make a mock response file of the results of a run, or of recordings",
		Long:  mocksGenerateLong,
		Example: `  arena mocks generate -i out -o mock-responses.yaml
  arena mocks generate -i out/results.json --provider gpt-4o --merge -o mock-responses.yaml
  arena mocks generate -i 'recordings/*.json' --per-scenario -o mocks`,
		Args: takes(0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.inputs = append(f.inputs, args...); len(f.inputs) == 0 {
				out, err := app.resultsFolder(c)
				if err != nil {
					return err
				}
				f.inputs = []string{out}
			}
			var fallback *string
			if c.Flags().Changed("default-response") {
				fallback = &f.fallback
			}
			return f.run(app, fallback)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVarP(&f.inputs, "input", "i", nil,
		"results, recordings or folders of them, a `list`\n(default: where arena run leaves them, such as out)")
	fl.StringVarP(&f.out, "out", "o", "", "mock response `file` to write; with --per-scenario a folder (also --output)")
	fl.StringSliceVar(&f.scenarios, "scenario", nil, "only this scenario: an `id`; repeat the flag or use commas")
	fl.StringSliceVar(&f.providers, "provider", nil, "only what this provider said: an `id`")
	fl.BoolVar(&f.results, "tool-results", false, "with what the tools returned, so that none is run")
	fl.BoolVar(&f.timed, "latencies", false, "with the time that replies took, which the mock then takes as well")
	fl.StringVar(&f.fallback, "default-response", "", "`text` to answer where there is no reply")
	fl.BoolVar(&f.perScenario, "per-scenario", false, "a file for each scenario")
	fl.BoolVar(&f.merge, "merge", false, "keep what the file holds for other scenarios")
	fl.BoolVar(&f.force, "force", false, "overwrite files")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print what would be written")
	aliasFlags(fl, map[string]string{"output": "out"})
	return cmd
}

func (f *mocksFlags) run(app *App, fallback *string) error {
	switch ext := strings.ToLower(filepath.Ext(f.out)); {
	case f.out == "" && !f.dryRun:
		return errors.New("-o is missing: the mock response file to write, or --dry-run to see it")
	case !f.perScenario && f.out != "" && ext != ".yaml" && ext != ".yml":
		return fmt.Errorf("-o %s: the file must end in .yaml or .yml", f.out)
	}
	mocks, err := f.collect(app, fallback)
	if err != nil {
		return err
	}
	files, err := f.files(app, mocks)
	if err != nil {
		return err
	}
	if err := f.save(app, files); err != nil {
		return err
	}
	for _, note := range mocks.Notes() {
		app.remark("%s", note)
	}
	if f.dryRun {
		return nil
	}
	_, err = fmt.Fprintf(app.Out, "%s for %s in %s\n", plural.Of(mocks.Replies(), "reply", "replies"),
		plural.Of(len(mocks.Scenarios()), "scenario", "scenarios"), f.out)
	return ifBroken(err)
}

// collect reads the sessions that the flags choose.
func (f *mocksFlags) collect(app *App, fallback *string) (*generate.Mocks, error) {
	files, err := openRecordings(app, f.inputs)
	if err != nil {
		return nil, err
	}
	f.read = pathsOf(files)
	if err := f.known(files); err != nil {
		return nil, err
	}
	mocks := generate.NewMocks(generate.MockOptions{Results: f.results, Timed: f.timed, Default: fallback})
	err = eachSession(app, files, func(s *recording.Session) error {
		if !matchesFilter(f.scenarios, s.Scenario, s.ID) || !matchesFilter(f.providers, s.Provider) {
			return nil
		}
		if err := s.Composed(); err != nil {
			return fmt.Errorf("%s: session %q makes no replies: %w", s.File, s.ID, err)
		}
		mocks.Add(s)
		return nil
	})
	if err == nil && mocks.Replies() == 0 {
		err = errors.New("there is no reply in what was chosen; loosen --scenario and --provider")
	}
	return mocks, err
}

// matchesFilter reports whether a filter selects one of the names.
func matchesFilter(filter []string, names ...string) bool {
	return len(filter) == 0 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(filter, n) })
}

// known refuses filters that match no session.
func (f *mocksFlags) known(files []*recording.File) error {
	var scenarios, providers []string
	for _, file := range files {
		for _, s := range file.Sessions() {
			scenarios, providers = append(scenarios, s.Scenario, s.ID), append(providers, s.Provider)
		}
	}
	return errors.Join(
		unknownName("scenario", f.scenarios, scenarios),
		unknownName("provider", f.providers, providers),
	)
}

// unknownName refuses a value of a flag that does not occur in the recordings.
func unknownName(flag string, want, known []string) error {
	for _, name := range want {
		if slices.Contains(known, name) {
			continue
		}
		err := fmt.Errorf("--%s %s: the recordings know no such %s", flag, name, flag)
		names := slices.Compact(slices.Sorted(slices.Values(known)))
		names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
		if near := diag.Nearest(name, names); near != "" {
			return fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		if len(names) > 0 {
			return fmt.Errorf("%w\nthere is %s", err, strings.Join(names[:min(len(names), 8)], ", "))
		}
		return err
	}
	return nil
}

// files makes the text of every file.
func (f *mocksFlags) files(app *App, mocks *generate.Mocks) ([]newFile, error) {
	if !f.perScenario {
		file, err := f.file(app, mocks, f.out, mocks.Scenarios())
		return []newFile{file}, err
	}
	var names generate.Names
	var out []newFile
	for _, scenario := range mocks.Scenarios() {
		file, err := f.file(app, mocks, filepath.Join(f.out, names.Unique(scenario, "scenario")+".yaml"), []string{scenario})
		if err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	return out, nil
}

func (f *mocksFlags) file(app *App, mocks *generate.Mocks, path string, scenarios []string) (newFile, error) {
	var root *node.Node
	if f.merge && exists(path) {
		var err error
		if root, err = readMocks(app, path); err != nil {
			return newFile{}, err
		}
	}
	text, err := mocks.File(scenarios, root)
	return newFile{path, text}, err
}

// readMocks reads the file of --merge.
func readMocks(app *App, path string) (*node.Node, error) {
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	r := &node.Reader{File: path, Diags: &diag.List{}}
	docs := node.Parse(r, data)
	if len(docs) == 0 && r.Diags.Errors() == 0 {
		return nil, nil
	}
	if r.Diags.Errors() == 0 && !mergeable(docs) {
		r.Errorf(docs[0], "wrong-type", "this is no mock response file to merge into")
	}
	if r.Diags.Errors() > 0 {
		app.showDiags(app.Err, r.Diags.Sorted(), 1, app.useColor("auto", app.ErrTTY), "nothing was written")
		return nil, exit(result.ExitUsage)
	}
	return docs[0], nil
}

// mergeable reports whether documents are one mock response file.
func mergeable(docs []*node.Node) bool {
	if len(docs) != 1 || docs[0].Kind != node.Map {
		return false
	}
	for _, key := range node.Keys(docs[0]) {
		if !slices.Contains([]string{"$schema", "defaultResponse", "scenarios", "selfplay", "judges"}, key) {
			return false
		}
	}
	scenarios := node.Get(docs[0], "scenarios")
	return node.IsNull(scenarios) || scenarios.Kind == node.Map
}

// save writes the files, or prints them.
func (f *mocksFlags) save(app *App, files []newFile) error {
	files, err := app.scrubbed(files)
	if err != nil {
		return err
	}
	if f.dryRun {
		return printFiles(screen.Data(app.Out), files)
	}
	return writeNew(files, f.force || f.merge, f.read)
}
