package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
)

const generateLong = `Generate makes a scenario out of each recorded conversation: what went wrong once becomes a
test. What the user said are its turns, what the assistant said and the tools returned are its
mock replies, and what had been asserted, held or not, are its assertions. So the scenario is
red or green as the conversation was; it turns green when the agent does better:

  arena generate results/ --filter failed --out scenarios/regressions
  arena run scenarios/regressions                       red, as it was recorded
  arena run scenarios/regressions --provider my-agent   green, once my-agent is mended

A scenario that named a prompt, or whose guardrails fired, names it again, and its mock says what
the model said before guardrails changed it: run it with the config that has the prompt: arena run -c ….

Parameters of checks come from the recording; of arena's own results they are taken from the
files that declare the checks, so run it where the run was. A failed check that cannot be
carried over is told, and its conversation is left out, unless --drop-unknown.

With --dedup conversations that failed in the same way make one scenario. They did when they
share a fingerprint: a hash of the failed checks with their parameters and explanations, in
which numbers, case, space and quoted texts other than parameters do not count, nor what a judge
said. --pack names the prompts and tools of a pack in a config beside the scenarios.

Of what arena capture has kept of a program, a scenario with run_command is made: it holds the
program to what it printed and to the tools that it called.

Nothing is overwritten without --force, and nothing is written outside of the folder.

Exit status: 0 all made; 3 some conversations could not be told as a scenario, which are named.`

type generateFlags struct {
	from        []string
	out         string
	pack        string
	taskType    string
	starts      map[string]string // by task type; see generate.Options
	vars        map[string]string
	dedup       bool
	filter      string
	passed      bool
	check       string
	dropUnknown bool
	dryRun      bool
	force       bool
}

func newGenerateCmd(app *App) *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use:   "generate recording...",
		Short: "Make scenarios of recorded conversations",
		Long:  generateLong,
		Example: `  arena generate out --filter failed --dedup --out scenarios/regressions
  arena generate --from 'recordings/*.json' --filter-check contains --dry-run
  arena generate call.transcript.yaml --pack support.pack.json --task-type support`,
		Args: takes(0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			f.from = append(f.from, args...)
			if c.Flags().Changed("filter-passed") {
				f.filter = map[bool]string{true: "passed", false: "failed"}[f.passed]
			}
			return f.run(app)
		},
	}
	fl := cmd.Flags()
	aliasFlags(fl, map[string]string{
		"from-recordings": "from", "output": "out", "filter-eval-type": "filter-check",
	})
	fl.SortFlags = false
	fl.StringSliceVar(&f.from, "from", nil, "recordings, results or folders of them, a `list`, like the arguments\n"+
		"(also --from-recordings)")
	fl.StringVarP(&f.out, "out", "o", "generated", "`folder` for the scenarios (also --output)")
	fl.StringVar(&f.pack, "pack", "", "the pack `file` whose prompt they speak to")
	fl.StringVar(&f.taskType, "task-type", "", "the prompt that they speak to, a `name`\n"+
		"(default: that of the pack, else none)")
	fl.StringToStringVar(&f.vars, "var", nil, "set a variable of the prompt, as `name=text`; repeat the flag")
	fl.BoolVar(&f.dedup, "dedup", false, "one scenario for all that failed in the same way")
	fl.StringVar(&f.filter, "filter", "", "only conversations of this `kind`: failed or passed")
	fl.BoolVar(&f.passed, "filter-passed", true, "the same as --filter passed; =false as --filter failed")
	fl.StringVar(&f.check, "filter-check", "", "only conversations in which this check failed, a `type`; with --filter\n"+
		"passed in which it held (also --filter-eval-type)")
	fl.BoolVar(&f.dropUnknown, "drop-unknown", false, "leave out failed checks that cannot be carried over")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print what would be written")
	fl.BoolVar(&f.force, "force", false, "overwrite files")
	hide(fl, "filter-passed")
	return cmd
}

// hide keeps a flag out of the help: it is there for those who know another tool.
func hide(fl *pflag.FlagSet, name string) { fl.Lookup(name).Hidden = true }

func (f *generateFlags) complete() error {
	if len(f.from) == 0 {
		return errors.New("name the recordings, such as arena generate out")
	}
	if f.check != "" {
		if _, known := checks.Lookup(f.check); !known {
			return unknownCheck(f.check)
		}
	}
	return oneOf("filter", []string{f.filter}, "", "failed", "passed")
}

func (f *generateFlags) run(app *App) error {
	if err := f.complete(); err != nil {
		return err
	}
	captures, from, err := capturesIn(f.from)
	if err != nil {
		return err
	}
	if len(captures) > 0 {
		return f.generateFromCaptures(app, captures)
	}
	pack, err := f.openPack(app)
	if err != nil {
		return err
	}
	files, err := openRecordings(app, from)
	if err != nil {
		return err
	}
	h := &harvest{app: app, flags: f, read: append(pathsOf(files), f.pack), seen: map[string]string{}}
	h.maker = generate.New(generate.Options{
		TaskType: f.taskType, Starts: f.starts, Variables: f.vars, GuardrailsActive: pack != nil, DropUnknown: f.dropUnknown,
		Read: plainfile.Read,
	})
	if err := eachSession(app, files, h.add); err != nil {
		return err
	}
	if pack != nil && len(h.files) > 0 {
		config, err := pack.config(h, f)
		if err != nil {
			return err
		}
		h.files = append(h.files, config)
	}
	return h.finish()
}

// harvest collects the scenarios of one command.
type harvest struct {
	app   *App
	flags *generateFlags
	maker *generate.Generator

	read        []string // files that were read: conversations and the pack
	files       []newFile
	results     map[string]string // first result of each tool
	notes       []sharedNote
	from        []sharedNote      // scenario ids, with their sessions
	seen        map[string]string // fingerprint → session that has a scenario
	filteredOut int               // conversations that filters leave out
	duplicates  int               // conversations that failed like another one
	failing     int               // scenarios with a failed check
	unusable    int               // conversations of which no scenario can be made
}

// add makes a scenario of a session, if the filters select it.
func (h *harvest) add(s *recording.Session) error {
	if !h.flags.selects(s) {
		h.filteredOut++
		return nil
	}
	mark := generate.Fingerprint(s)
	if first, known := h.seen[mark]; h.flags.dedup && mark != "" && known {
		h.duplicates++
		h.app.remark("session %q failed as %q did (%s)", s.ID, first, mark)
		return nil
	}
	made, err := h.maker.Scenario(s)
	if err != nil {
		h.unusable++
		h.app.complain(fmt.Errorf("%s: session %q makes no scenario: %w", s.File, s.ID, err))
		return nil
	}
	h.seen[mark] = s.ID
	for _, text := range made.Notes {
		h.notes = share(h.notes, text, s.ID)
	}
	if s.Scenario != "" {
		h.from = share(h.from, s.Scenario, s.ID)
	}
	if made.Failed > 0 || s.Error != "" {
		h.failing++
	}
	h.learn(s)
	h.files = append(h.files, newFile{filepath.Join(h.flags.out, made.ID+".yaml"), made.Text})
	return nil
}

// sharedNote is a note on several sessions.
type sharedNote struct {
	text     string
	sessions []string
}

// share adds a session to the note with this text.
func share(notes []sharedNote, text, session string) []sharedNote {
	for i := range notes {
		if n := &notes[i]; n.text == text {
			n.sessions = append(n.sessions, session)
			return notes
		}
	}
	return append(notes, sharedNote{text, []string{session}})
}

// remarks prints each note once.
func (h *harvest) remarks() {
	for _, n := range h.notes {
		if len(n.sessions) == 1 {
			h.app.remark("session %q: %s", n.sessions[0], n.text)
			continue
		}
		h.app.remark("%s (%s): %s", plural.Count(len(n.sessions), "session"), someIDs(n.sessions), n.text)
	}
	for _, s := range h.from {
		if n := len(s.sessions); n > 1 {
			h.app.remark("%d sessions are of the scenario %q: each becomes one of its own, without the trials, pass_rate and "+
				"dataset that it may have", n, s.text)
		}
	}
}

// learn keeps the first result of every tool.
func (h *harvest) learn(s *recording.Session) {
	if h.results == nil {
		h.results = map[string]string{}
	}
	for i := range s.Messages {
		if r := s.Messages[i].ToolResult; r != nil && r.Error == "" {
			if _, known := h.results[r.Name]; !known {
				h.results[r.Name] = r.Content
			}
		}
	}
}

// selects reports whether the filters select a session.
func (f *generateFlags) selects(s *recording.Session) bool {
	failed, named, namedFailed := s.Error != "", false, false
	look := func(list []recording.Verdict) {
		for i := range list {
			a := &list[i]
			failed = failed || a.Failed()
			if sameCheck(a.Type, f.check) {
				named, namedFailed = true, namedFailed || a.Failed()
			}
		}
	}
	look(s.Verdicts)
	for i := range s.Messages {
		look(s.Messages[i].Verdicts)
	}
	switch {
	case f.filter == "failed" && !failed, f.filter == "passed" && failed:
		return false
	case f.check == "":
		return true
	case f.filter == "passed":
		return named
	}
	return namedFailed
}

// sameCheck reports whether two names mean the same check.
func sameCheck(a, b string) bool {
	if a == b || b == "" {
		return a == b
	}
	d, known := checks.Lookup(b)
	return known && slices.Contains(d.Names(), a)
}

// finish writes the files and prints a summary.
func (h *harvest) finish() error {
	h.remarks()
	if len(h.files) == 0 && h.unusable == 0 {
		return fmt.Errorf("no conversation was chosen: the filters leave out all %d", h.filteredOut)
	}
	var err error
	if h.files, err = h.app.scrubbed(h.files); err != nil {
		return err
	}
	if h.flags.dryRun {
		if err := printFiles(screen.Data(h.app.Out), h.files); err != nil {
			return err
		}
	} else if err := writeNew(h.files, h.flags.force, h.read); err != nil {
		return err
	}
	if err := h.summarize(); err != nil {
		return err
	}
	if h.unusable > 0 {
		return exit(result.ExitError)
	}
	return nil
}

func (h *harvest) summarize() error {
	made := len(h.files)
	if h.flags.pack != "" && made > 0 {
		made-- // the config
	}
	verb := "in " + h.flags.out
	if h.flags.dryRun {
		verb = "would be in " + h.flags.out
	}
	parts := []string{fmt.Sprintf("%s %s", plural.Of(made, "scenario", "scenarios"), verb)}
	for _, c := range []struct {
		n    int
		what string
	}{{h.failing, "red"}, {h.duplicates, "failed like another"}, {h.filteredOut, "filtered out"},
		{h.unusable, "could not be made"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	out := h.app.Out
	if h.flags.dryRun {
		out = h.app.Err
	}
	_, err := fmt.Fprintln(out, strings.Join(parts, "   "))
	return ifBroken(err)
}
