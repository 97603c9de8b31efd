package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const evalLong = `Eval judges conversations that are over: each reply at its own turn, then the whole. It calls no
agent. Recordings are event logs, exported sessions, transcripts, results.json, journals and
cassettes of arena, chat logs, traces of OpenTelemetry and OpenInference, and what LangSmith,
Langfuse, promptfoo, OpenAI, LiteLLM and others export; which of them a file is, its content tells.
A file may hold many conversations. The recording - is what comes in by stdin.

What is judged:
  --assert FILE   assertions for every reply and conversation_assertions (kind: Eval), or a
                  scenario, whose turns are held against the turns of the recording
  --pack FILE     the evals of a pack, which measure, and gate where they have a threshold
  --config FILE   judges, providers, pack evals and the assertions for all conversations

Without a recording, the evals of the config are run over the recordings that they name.

The results of arena run stay as they are: unless -o names another place, the reports go to a
folder beside them, out-eval for out, with those whose files a setting or the config names. What
ended it early costs no more than the trials in flight: --resume keeps what was judged of the same
conversations by the same checks and judges, and judges the rest.`

// evalFlags is the command line of `arena eval`.
type evalFlags struct {
	runFlags
	others []otherFiles
}

func newEvalCmd(app *App) *cobra.Command {
	f := &evalFlags{}
	cmd := &cobra.Command{
		Use:   "eval [recording...]",
		Short: "Judge recorded conversations",
		Long:  evalLong,
		Example: `  arena eval talks/*.recording.json --assert checks.yaml
  arena eval --pack support.pack.json --transcript call.transcript.yaml
  export-traces | arena eval - --assert checks.yaml --skip-unreadable
  arena eval traces.json --pack support.pack.json --eval-groups fast-running`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			f.words = []string{"arena", "eval"}
			args, err := f.namedJudgement(args)
			if err != nil {
				return err
			}
			if err := f.complete(args); err != nil {
				return err
			}
			if slices.Contains(f.over, runner.StdinName) {
				remove, err := f.keepStdin(app)
				if err != nil {
					return err
				}
				defer remove()
			}
			return f.run(c.Context(), app)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *evalFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file` (default: config.arena.yaml, if there is one)")
	fl.StringSliceVar(&f.asserts, "assert", nil, "what must be true: a `file` of kind Eval or Scenario; repeat the flag")
	fl.StringSliceVar(&f.packs, "pack", nil, "run the evals of this pack `file`")
	fl.StringSliceVar(&f.transcripts, "transcript", nil, "judge this recording, a `file` or pattern, like an argument")
	fl.StringArrayVar(&f.only, "only", nil, "only the recorded conversation with this `id`; repeat the flag")
	fl.BoolVar(&f.skipUnreadable, "skip-unreadable", false, "leave out conversations that cannot be read,\n"+
		"and say how many")
	fl.StringSliceVar(&f.evalIDs, "eval", nil, "only the eval over recordings with this `id`, of the config")
	fl.StringSliceVar(&f.tags, "tag", nil, "only evals over recordings with this `tag`")
	f.registerResumeJudging(fl)
	fl.BoolVar(&f.list, "list", false, "print the conversations of the plan and judge nothing (also --dry-run)")
	f.mockFlags.register(fl)
	f.judgingFlags.register(fl)
	f.limitFlags.register(fl)
	f.cassettes.register(fl)
	f.registerOutput(fl)
	fl.Lookup("out").Usage = "results `folder` (default: that of arena run with -eval added, such as out-eval)"
	f.folderSuffix = "-eval"
}

// otherFiles are files in a folder of recordings that are not read.
type otherFiles struct {
	dir   string
	files []string
}

// complete takes what only the parsed flags know.
func (f *evalFlags) complete(args []string) error {
	if err := f.runFlags.complete(slices.Concat(f.asserts, f.packs)); err != nil {
		return err
	}
	for _, pattern := range slices.Concat(args, f.transcripts) {
		if pattern == runner.StdinName {
			f.over = append(f.over, pattern)
			continue
		}
		files, others, err := recordingPaths(pattern)
		if err != nil {
			return err
		}
		if len(others) > 0 {
			f.others = append(f.others, otherFiles{pattern, others})
		}
		for _, file := range files {
			if file = filepath.Clean(file); !slices.Contains(f.over, file) {
				f.over = append(f.over, file)
			}
		}
	}
	if len(f.over) == 0 && len(f.asserts)+len(f.packs) > 0 {
		return fmt.Errorf("name the recordings to judge, such as arena eval talks/*.json --%s", f.judgedBy())
	}
	return nil
}

// judgedBy words the checks that the user chose.
func (f *evalFlags) judgedBy() string {
	if len(f.asserts) > 0 {
		return "assert " + f.asserts[0]
	}
	return "pack " + f.packs[0]
}

func (f *evalFlags) run(ctx context.Context, app *App) error {
	f.over = app.withoutDuplicates(f.over)
	for _, o := range f.others {
		app.remarkOthers(o.dir, o.files)
	}
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, Getenv: app.Getenv,
		Bare: len(f.over) > 0, Recorded: len(f.over) > 0, Packs: f.packs,
		AllowUncertain: f.allowUncertain,
	})
	for _, pack := range f.packs {
		if diags.Errors() == 0 && evalsInPack(suite, pack) == 0 {
			at := diag.Pos{File: filepath.ToSlash(pack)}
			diags.Warnf(at, 0, "no-evals", "there are no evals in this pack: it judges nothing")
		}
	}
	app.learnSecrets(suite, diags)
	unreadSettings(suite, diags)
	if diags.Errors() == 0 || len(f.over) == 0 {
		f.narrow(suite, diags)
	}
	f.noteUnlistedRecordings(app, suite)
	f.noteUncertain(app, suite)
	return f.execute(ctx, app, suite, diags)
}

// noteUnlistedRecordings names the recordings that a file of --assert asks for, and that the command line does not
// have.
func (f *evalFlags) noteUnlistedRecordings(app *App, suite *scenario.Suite) {
	for _, p := range suite.Projects {
		for _, e := range p.Evals {
			for _, path := range e.PassedOver {
				if !slices.ContainsFunc(f.over, func(o string) bool { return sameFile(o, path) }) {
					app.remark("%s names the recording %s, which is not judged: those of the command line are",
						filepath.ToSlash(e.File), filepath.ToSlash(path))
				}
			}
		}
	}
}

// narrow leaves in a suite only what is judged: nothing that calls an agent. Over recordings of the command line, only
// the checks that were named with them.
func (f *evalFlags) narrow(suite *scenario.Suite, d *diag.List) {
	if len(f.over) == 0 {
		for _, p := range suite.Projects {
			p.Scenarios = nil
		}
		return
	}
	named := func(file string) bool {
		return slices.ContainsFunc(f.asserts, func(a string) bool { return sameFile(a, file) })
	}
	checked := 0
	for _, p := range suite.Projects {
		p.Scenarios = slices.DeleteFunc(p.Scenarios, func(s *scenario.Scenario) bool { return !named(s.File) })
		p.Evals = slices.DeleteFunc(p.Evals, func(e *scenario.RecordingEval) bool {
			return !named(e.File) && !slices.ContainsFunc(f.evalIDs, e.Is)
		})
		if len(p.Scenarios)+len(p.Evals) == 0 && len(p.Globals)+f.evalsOf(p) > 0 {
			p.Evals = []*scenario.RecordingEval{{Meta: scenario.Meta{ID: "recorded", Pos: diag.Pos{File: p.File}}, File: p.File}}
		}
		checked += len(p.Scenarios) + len(p.Evals)
	}
	if checked == 0 {
		hint := "name assertions with --assert, a pack with evals with --pack, or a config with -c"
		if f.filter.Skip {
			hint = "leave out --skip-evals, or name assertions with --assert"
		}
		d.Errorf(diag.Pos{}, 0, "nothing-to-judge", "there is nothing to judge the recordings by").Hint = hint
	}
}

// evalsInPack counts the evals of a pack that are switched on.
func evalsInPack(suite *scenario.Suite, pack string) (n int) {
	for _, p := range suite.Projects {
		for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
			for _, e := range p.EvalsFor(prompt) {
				if e.Enabled && sameFile(e.Pos.File, pack) {
					n++
				}
			}
		}
	}
	return n
}

// evalsOf counts the evals of a project that are switched on.
func (f *evalFlags) evalsOf(p *scenario.Project) (n int) {
	if f.filter.Skip {
		return 0
	}
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		for _, e := range p.EvalsFor(prompt) {
			if e.Enabled {
				n++
			}
		}
	}
	return n
}
