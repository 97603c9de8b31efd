package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

const calibrateLong = `Calibrate shows texts that people have labelled to a judge, and measures how far it decides as
they did. The judge is asked exactly as in a run.

LABELS is .jsonl (an object a line), .json or .yaml (a list), or .csv and .tsv (a header first):
  text      what is judged, as if an agent had said it (or: output, response, reply)
  label     pass or fail, true or false, 1 or 0; or a score from 0 to 1, with --threshold
  critique  why, in the person's words; shown where the judge disagrees (or: comment)
  input     what the agent had been asked (or: question)
  id        a name for the entry
What else stands there is metadata of the conversation, for checks that read it.

What to judge by comes from --criteria, or with --check from a file: the parameters of an
llm_judge, a check such as {type: faithfulness, params: {...}}, or a scenario and the line of
one of its checks, as reports show it: --check scenarios/refund.yaml:28.

Printed are the agreement; Cohen's kappa, the agreement beyond chance (1 is perfect, 0 is chance,
undefined when all labels are alike), both with the range in which they lie with a confidence of
95%, had other texts been labelled; TPR and TNR, the shares of the passing and of the failing
texts that the judge finds; and every disagreement. A judgement that ends in an error is counted
apart and agrees with nobody.

Exit status: 0 done · 1 kappa is below --min-kappa, or undefined · 2 a file or flag is wrong,
nobody was asked · 3 a judgement ended in an error · 130 interrupted, what finished is shown.`

type calibrateFlags struct {
	config, mockConfig string
	mock               bool

	judge, criteria, check string
	threshold              float64
	votes                  int

	minKappa float64
	jobs     int
	seed     int64
	retries  int
	cache    string
	asks     *runFlags // flags of a run that asks its judges in the same way

	asJSON  bool
	out     string
	verbose bool
	color   string

	given givenFlags
}

func newCalibrateCmd(app *App) *cobra.Command {
	f := &calibrateFlags{}
	cmd := &cobra.Command{
		Use:   "calibrate labels",
		Short: "Compare a judge with labels that people gave",
		Long:  calibrateLong,
		Example: `  arena judge calibrate labels.jsonl --criteria "Names the amount." --judge openai/gpt-4o-mini
  arena judge calibrate labels.csv --check scenarios/refund.yaml:28 --min-kappa 0.6
  arena judge calibrate labels.yaml --check tone.yaml --judge strict --threshold 0.7 --out tone.json`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.complete(c); err != nil {
				return err
			}
			return f.run(c.Context(), app, args[0])
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *calibrateFlags) register(fl *pflag.FlagSet) {
	fl.SortFlags = false
	fl.StringVar(&f.criteria, "criteria", "", "`text` to judge by, or @file")
	fl.StringVar(&f.check, "check", "", "`file` with the check to judge by, or file:line")
	fl.StringVar(&f.judge, "judge", "", "who judges: a `judge`, a provider, or type/model such as openai/gpt-4o-mini;\n"+
		"wins over the check (default: the check's, else the config's first judge)")
	fl.Float64Var(&f.threshold, "threshold", 0, "`score` from which on the judge passes a text, and a label that is\n"+
		"a score (default: as the check passes in a run; with --criteria 0.5)")
	fl.IntVar(&f.votes, "votes", 0, "ask `n` times and take the median (default: the check's, else 1)")
	fl.Float64Var(&f.minKappa, "min-kappa", 0, "exit with 1 when kappa is below this `number`, for CI")
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file` with judges and providers\n"+
		"(default: the one in the folder, if any)")
	fl.BoolVar(&f.mock, "mock-provider", false, "answer for every judge from mock replies, without any network")
	fl.StringVar(&f.mockConfig, "mock-config", "", "mock reply `file`; wins over the providers' own")
	fl.IntVarP(&f.jobs, "jobs", "j", 4, "judge `n` texts at once")
	fl.Int64Var(&f.seed, "seed", 0, "sampling seed of every call, any whole `number`")
	fl.IntVar(&f.retries, "retries", 0, "try a failed model call up to `n` more times (default 3)")
	fl.StringVar(&f.cache, "cache", "", "keep the answers of the judge in this `folder`, and pay only once for\n"+
		"the same question")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON: the measures, and every label with its judgement")
	fl.StringVarP(&f.out, "out", "o", "", "write the same JSON to this `file`")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "disagreements whole, and all of them")
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
}

// complete sets derived values, and checks the flags.
func (f *calibrateFlags) complete(c *cobra.Command) error {
	f.given = givenFlags{}
	f.given.note(c.Flags(), byUser)
	errs := []error{oneOf("color", []string{f.color}, "auto", "always", "never")}
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(f.given.has("criteria") == f.given.has("check"),
		"give either --criteria or --check: what the judge is to judge by")
	for name, value := range map[string]string{"criteria": f.criteria, "check": f.check, "judge": f.judge, "out": f.out} {
		bad(f.given.has(name) && strings.TrimSpace(value) == "", "--%s is empty", name)
	}
	bad(f.given.has("threshold") && !(f.threshold > 0 && f.threshold <= 1),
		"--threshold must be above 0 and at most 1, found %v", f.threshold)
	bad(f.given.has("min-kappa") && !(f.minKappa >= -1 && f.minKappa <= 1),
		"--min-kappa must be between -1 and 1, found %v", f.minKappa)
	bad(f.given.has("votes") && (f.votes < 1 || f.votes > 9), "--votes must be between 1 and 9, found %d", f.votes)
	bad(f.jobs < 1, "--jobs must be at least 1, found %d", f.jobs)
	bad(f.retries < 0, "--retries must be at least 0, found %d", f.retries)
	f.asks = &runFlags{
		limitFlags: limitFlags{retries: f.retries}, outputFlags: outputFlags{cache: f.cache}, given: f.given,
	}
	return errors.Join(append(errs, usableCache(f.given, f.cache))...)
}

// calibration is what a calibration needs, read and validated.
type calibration struct {
	judge    calibrate.Judge
	examples []calibrate.Example
}

func (f *calibrateFlags) run(ctx context.Context, app *App, labels string) error {
	c, err := f.prepare(app, labels)
	if err != nil {
		return err
	}
	late := f.listen(app)
	progress := newProgress(app, len(c.examples))
	ctx, interrupted := app.interruptible(ctx, context.Canceled, progress.stopping)
	outcomes := calibrate.Run(ctx, &c.judge, c.examples, f.jobs, progress.done)
	stopped := interrupted()
	progress.end()
	for _, text := range late() {
		_, _ = fmt.Fprintln(app.Err, show.Line(text)) // progress is optional; the report has everything
	}
	report := calibrate.NewReport(labels, c.judge.Check, outcomes)
	report.Arena, report.MinKappa = shortVersion(), pointerTo(f.given, "min-kappa", f.minKappa)
	if err := f.write(app, report); err != nil {
		return broken(err)
	}
	return exit(calibrationExit(report, stopped))
}

// listen opens the cache. The returned function reports at the end what the cache could not read or write.
func (f *calibrateFlags) listen(app *App) (late func() []string) {
	store := f.asks.store()
	if store == nil {
		return func() []string { return nil }
	}
	var telling sync.Mutex
	var notes []string
	store.Note = func(text string) {
		telling.Lock()
		defer telling.Unlock()
		notes = append(notes, "note: "+text)
	}
	store.Secret = func(text []byte) bool { return app.secrets.Set().In(text) }
	return func() []string {
		for _, d := range harness.CacheWarnings(store) {
			notes = append(notes, "warning: "+d.Msg)
		}
		return notes
	}
}

func calibrationExit(r *calibrate.Report, interrupted bool) int {
	switch {
	case interrupted:
		return result.ExitInterrupted
	case !r.Reached():
		return result.ExitFailed
	case r.Errors > 0:
		return result.ExitError
	}
	return result.ExitPassed
}

// prepare reads everything and opens the judge. It reports all mistakes at once, before the first call.
func (f *calibrateFlags) prepare(app *App, labels string) (*calibration, error) {
	if err := f.writable(); err != nil {
		return nil, err
	}
	if err := f.asks.keepsReplies(); err != nil {
		return nil, err
	}
	data, err := plainfile.Read(labels)
	if err != nil {
		return nil, err
	}
	d := &diag.List{}
	c := &calibration{examples: calibrate.ReadLabels(labels, data, pointerTo(f.given, "threshold", f.threshold), d)}
	suite, problems := checks.Load(scenario.Options{
		Config: f.config, MockConfig: f.mockConfig, Getenv: app.Getenv, Bare: true,
	})
	app.learnSecrets(suite, problems)
	for _, p := range problems.Sorted() {
		if p.Severity == diag.Error { // warnings concern runs of the scenarios
			d.Add(p)
		}
	}
	if err := f.compile(app, c, suite, d); err != nil {
		return nil, err
	}
	files := suite.Files + 1
	if f.given.has("check") {
		files++
	}
	app.showDiags(app.Err, d.Sorted(), files, app.useColor(f.color, app.ErrTTY), "nobody was asked")
	if d.Errors() > 0 {
		return nil, exit(result.ExitUsage)
	}
	return c, nil
}

var calibrationStart = regexp.MustCompile(`^\{\s*"arena":\s*"[^"]*",\s*"labels":`)

// writable makes sure that --out can be written without loss of another file, before anything is paid for.
func (f *calibrateFlags) writable() error {
	if f.out == "" {
		return nil
	}
	target := harness.Target{What: "the calibration", Path: f.out, Recognizes: calibrationStart.Match}
	if err := harness.CheckTargets([]harness.Target{target}, nil); err != nil {
		return err
	}
	return harness.WritableFile(f.out)
}

// compile makes the check and opens its judge.
func (f *calibrateFlags) compile(app *App, c *calibration, suite *scenario.Suite, d *diag.List) error {
	spec, err := f.spec(d)
	if err != nil {
		return err
	}
	if spec != nil {
		c.judge.Check = (&checks.Compiler{}).Compile(spec, d)
	}
	check := c.judge.Check
	switch {
	case len(suite.Projects) == 0:
		return nil
	case check != nil && len(check.JudgeUses()) == 0:
		d.Errorf(spec.Pos, 0, "no-judge", "%s: with these parameters the check asks no judge", spec.Type)
		return nil
	case check == nil && f.judge != "": // --judge is looked up even without a check
		check = (&checks.Compiler{}).Compile(calibrate.Criteria("-", calibrate.Override{}), d)
	case check == nil:
		return nil
	}
	f.open(app, c, check, suite.Projects[0], d)
	return nil
}

// open opens the judges of a check.
func (f *calibrateFlags) open(
	app *App, c *calibration, check *checks.Compiled, project *scenario.Project, d *diag.List,
) {
	own := &diag.List{}
	pool, prompts := runner.JudgesOf(project, check, runner.PlanOptions{
		MockProvider: f.mock || f.mockConfig != "", Judge: strings.TrimSpace(f.judge), Jobs: f.jobs,
		Open: f.asks.clients(app, f.jobs).Open,
	}, own)
	if pool == nil && own.Errors() == 0 { // a check that needs no judge
		own.Errorf(check.Pos, 0, "no-judge", "%s: no judge is configured", check.Type).Hint =
			"list one under judges in the arena config, or pass --judge openai/gpt-4o-mini"
	}
	for _, p := range own.Sorted() {
		d.Add(p)
	}
	if pool == nil {
		return
	}
	seed := pointerTo(f.given, "seed", f.seed)
	if seed == nil {
		seed = project.Defaults.Seed
	}
	c.judge.Judges, c.judge.Prompts = pool.For(chat.Origin{}, seed), prompts
}

// spec is the check of the flags; nil: invalid.
func (f *calibrateFlags) spec(d *diag.List) (*scenario.Check, error) {
	change := calibrate.Override{
		Judge: f.judge != "", Threshold: pointerTo(f.given, "threshold", f.threshold), Votes: f.votes,
	}
	if !f.given.has("check") {
		text := f.criteria
		if file, ok := strings.CutPrefix(text, "@"); ok {
			data, err := plainfile.Read(file)
			if err != nil {
				return nil, err
			}
			text = string(data)
		}
		return calibrate.Criteria(text, change), nil
	}
	file, line := f.check, 0
	if name, number, ok := cutLine(f.check); ok {
		file, line = name, number
	}
	data, err := plainfile.Read(file)
	if err != nil {
		return nil, err
	}
	return calibrate.ReadCheck(file, data, line, change, d), nil
}

// cutLine splits file:line or file:line:column.
func cutLine(place string) (file string, line int, ok bool) {
	if exists(place) {
		return "", 0, false
	}
	for file = place; ; {
		at := strings.LastIndexByte(file, ':')
		if at < 0 {
			return file, line, ok
		}
		n, err := strconv.Atoi(file[at+1:])
		if err != nil || n < 1 {
			return file, line, ok
		}
		file, line, ok = file[:at], n, true
	}
}

// write prints the report, and writes it to the file of --out.
func (f *calibrateFlags) write(app *App, r *calibrate.Report) error {
	encode := func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	var errs []error
	if f.out != "" {
		errs = append(errs, harness.WriteAtomic(f.out, func(w io.Writer) error {
			clean := app.secrets.Document(w, secret.JSON)
			return errors.Join(encode(clean), clean.Close())
		}))
	}
	if f.asJSON {
		errs = append(errs, encode(screen.Data(app.Out)))
	} else {
		errs = append(errs, printCalibration(app, f, r))
	}
	return errors.Join(errs...)
}
