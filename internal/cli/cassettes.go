package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// cassetteFlags say whether a run is recorded, replayed, or offline.
type cassetteFlags struct {
	harness.Cassettes
	speed   string
	offline bool
	private bool // media are fetched from private addresses
}

func (f *cassetteFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.Record, "record", "", "keep what models, tools and evaluators say in this `folder`, a file a trial")
	fl.StringVar(&f.Mode, "record-mode", "new", "what --record asks for, a `mode`: new, what the recording does not\n"+
		"hold; once, only trials without a recording; all, everything again;\nnone, nothing")
	fl.StringVar(&f.Replay, "replay", "", "answer from the recording in this `folder`: no network, no keys, no programs")
	fl.StringVar(&f.Missing, "replay-missing", "error", "what to do with a trial without a recording, an `action`:\n"+
		"error, or record, which runs and records it")
	fl.StringVar(&f.speed, "replay-speed", "full", "the `pace` of a replay: full, or realtime, as it was recorded")
	fl.StringSliceVar(&f.Redact, "redact", nil, "JSON `field` that no recording and no report may hold, in arguments\n"+
		"and results of tools and in what evaluators get; the run itself has it")
	fl.BoolVar(&f.offline, "offline", false, "open no connection, and refuse what needs one")
	fl.BoolVar(&f.private, "allow-private-urls", false, "fetch media of turns also from addresses within this network")
}

// validate checks the values.
func (f *cassetteFlags) validate(run *runFlags) error {
	g := run.given
	var errs []error
	for _, given := range []struct{ flag, value string }{
		{"record", f.Record}, {"replay", f.Replay}, {"redact", strings.Join(f.Redact, "")},
	} {
		errs = append(errs, g.notEmpty(given.flag, "give it a value", given.value))
	}
	errs = append(errs, f.refuseRecordAndReplay(g))
	if g.has("record-mode") && f.Record == "" {
		errs = append(errs, errors.New("--record-mode needs --record"))
	}
	replays := f.Replay != ""
	errs = append(errs, f.validateRedact())
	f.Normalize()
	errs = append(errs, f.refuseConflicts(run), f.refuseNetworkUse(run))
	for _, flag := range []string{"replay-missing", "replay-speed"} {
		if g.has(flag) && !replays {
			errs = append(errs, fmt.Errorf("--%s needs --replay", flag))
		}
	}
	return errors.Join(append(errs,
		oneOf("record-mode", []string{f.Mode}, append([]string{""}, harness.RecordModes...)...),
		oneOf("replay-missing", []string{f.Missing}, append([]string{""}, harness.ReplayMissings...)...),
		oneOf("replay-speed", []string{f.speed}, "", "full", "realtime"),
	)...)
}

// refuseRecordAndReplay refuses --record together with --replay.
func (f *cassetteFlags) refuseRecordAndReplay(g givenFlags) error {
	const then = "the run to continue was made with --%s %s, which --%s excludes\n" +
		"continue it as it was made, or start another one with -o and a folder of its own"
	switch {
	case f.Record == "" || f.Replay == "":
		return nil
	case g["record"] == byEarlierRun:
		return fmt.Errorf(then, "record", shellQuote(f.Record), "replay")
	case g["replay"] == byEarlierRun:
		return fmt.Errorf(then, "replay", shellQuote(f.Replay), "record")
	}
	return fmt.Errorf("--record and --replay exclude each other\n"+
		"to record only what is missing: --replay %s --replay-missing record", shellQuote(f.Replay))
}

// validateRedact refuses values of --redact that are not the name of a JSON field.
func (f *cassetteFlags) validateRedact() error {
	var errs []error
	for _, field := range f.Redact {
		if meant := fieldMeant(field); meant != field && f.redactNamed() {
			errs = append(errs, fmt.Errorf("--redact %s: not the name of a JSON field; did you mean %q?\n"+
				"write the name alone, without a path; upper and lower case are one", shellQuote(field), meant))
		}
	}
	return errors.Join(errs...)
}

// refuseConflicts refuses flags that make no sense with a recording or a replay.
func (f *cassetteFlags) refuseConflicts(run *runFlags) error {
	var errs []error
	bad := func(text string) { errs = append(errs, errors.New(text)) }
	if run.maxCost > 0 && f.ReplaysOnly() {
		bad("--max-cost limits what is paid, and a replay pays nothing: choose one")
	}
	if run.estimate && f.ReplaysOnly() {
		bad("--estimate says what may be paid, and a replay pays nothing: choose one")
	}
	if run.given.has("redact") && f.Record == "" && f.Replay == "" {
		bad("--redact needs --record or --replay")
	}
	if f.redactNamed() && run.cache != "" && f.Record != "" {
		bad("--redact keeps fields out of all files, and --cache " + run.cache + " keeps whole replies\n" +
			"leave out the cache: --record asks only for what the recording does not hold yet")
	}
	if run.dispatch.url != "" && (f.Record != "" || f.Replay != "") {
		bad("--dispatch has evals run elsewhere, where nothing is recorded or replayed\n" +
			"leave it out, or record and replay without it")
	}
	return errors.Join(errs...)
}

// refuseNetworkUse refuses flags that need the network in a run that must not use it.
func (f *cassetteFlags) refuseNetworkUse(run *runFlags) error {
	var errs []error
	if why := f.networkBarrier(); why != "" {
		for _, flag := range []struct{ name, value string }{
			{"metrics-push", run.metrics.Push}, {"otlp-endpoint", run.traces.endpoint},
		} {
			if flag.value != "" && flag.value != "none" {
				errs = append(errs, fmt.Errorf("--%s needs the network, and %s is set", flag.name, why))
			}
		}
	}
	if f.offline && run.metrics.listen != "" {
		errs = append(errs, errors.New("--metrics-listen needs the network, and --offline is set"))
	}
	return errors.Join(errs...)
}

// redactNamed reports whether --redact names a field. A blank value is reported elsewhere.
func (f *cassetteFlags) redactNamed() bool {
	return strings.TrimSpace(strings.Join(f.Redact, "")) != ""
}

// fieldMeant guesses the name of a JSON field: the last field of a path, without quotes and brackets; of several words
// one name. A correct name is returned unchanged.
func fieldMeant(text string) string {
	outside := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`.$[]{}()*'":;/\`, r) }
	whole := strings.TrimFunc(text, outside)
	name := whole[strings.LastIndexAny(whole, `.[]/\`)+1:]
	return strings.Join(strings.FieldsFunc(name, outside), "_")
}

func (f *cassetteFlags) toSpec(s *result.Spec) {
	s.Record, s.Replay, s.Redact, s.Offline, s.PrivateURLs = f.Record, f.Replay, f.Redact, f.offline, f.private
	if f.Record != "" && f.Mode == "all" {
		s.RecordMode = f.Mode
	}
	if f.Replay != "" && f.Missing != "error" {
		s.ReplayMissing = f.Missing
	}
}

func (f *cassetteFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "record", &f.Record, then.Record)
	recallValue(g, "record-mode", &f.Mode, then.RecordMode)
	recallValue(g, "replay", &f.Replay, then.Replay)
	recallValue(g, "replay-missing", &f.Missing, then.ReplayMissing)
	recallList(g, "redact", &f.Redact, then.Redact)
	recallValue(g, "offline", &f.offline, then.Offline)
	recallValue(g, "allow-private-urls", &f.private, then.PrivateURLs)
}

// networkBarrier is the flag that forbids network use; "": none.
func (f *cassetteFlags) networkBarrier() string {
	switch {
	case f.offline:
		return "--offline"
	case f.ReplaysOnly():
		return "--replay"
	}
	return ""
}

// deck is the folder of cassettes of a run; nil: nothing is recorded or replayed.
func (f *cassetteFlags) deck(app *App, strict bool) *cassette.Folder {
	d := f.Folder(strict, app.secrets.Known, app.Now)
	if d != nil && f.speed == "realtime" {
		d.Sleep = pause.For
	}
	return d
}

// plan plans a suite that loaded without errors, and reads the cassettes for a replay. Providers are opened only where
// a trial is really run.
func (f *runFlags) plan(app *App, suite *scenario.Suite, d *diag.List) (*runner.Plan, *cassette.Folder) {
	f.prepare(suite, d)
	deck := f.cassettes.deck(app, f.strict)
	if deck != nil {
		deck.Continue = f.resumes()
	}
	if deck != nil && f.lastFailed && !f.given.has("record-mode") {
		deck.RecordAll = true // after a failure, the old recording would only fail again
	}
	trials := func(played bool, d *diag.List) *runner.Plan { return f.trialsOf(app, suite, played, d) }
	return harness.PlanTrials(deck, trials, d), deck
}

// opener opens providers that the run may call.
func (f *cassetteFlags) opener(c *harness.Clients) runner.Opener {
	return func(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
		if err := f.reachable(spec); err != nil {
			return nil, false, err
		}
		return c.Open(p, spec)
	}
}

// embedders opens embedding models that the run may call.
func (f *cassetteFlags) embedders(c *harness.Clients) runner.EmbedderOpener {
	return func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
		if err := f.reachable(spec); err != nil {
			return nil, err
		}
		return c.OpenEmbedder(p, spec)
	}
}

// reachable is an error for a provider that needs the network in a run without network.
func (f *cassetteFlags) reachable(spec *scenario.Provider) error {
	if !f.offline || open.Local(spec.Type) {
		return nil
	}
	return fmt.Errorf("provider %s: type %s needs the network, and --offline is set; choose --mock-provider, or replay a "+
		"recording: --replay FOLDER", spec.ID, spec.Type)
}

// rerunCommand is the command line that repeats the run, from the same recording if there is one.
func (f *runFlags) rerunCommand() []string {
	words := f.command()
	if c := &f.cassettes; c.Replay != "" {
		words = append(words, "--replay", c.Replay)
		if c.Missing != "error" {
			words = append(words, "--replay-missing", c.Missing)
		}
		if len(c.Redact) > 0 {
			words = append(words, "--redact", strings.Join(c.Redact, ","))
		}
	}
	return words
}

// rerecordCommand makes the command that records one trial again. all: everything in it anew. It needs the network.
func (f *runFlags) rerecordCommand() func(t *result.Trial, all bool) string {
	words := slices.DeleteFunc(f.command(), func(word string) bool { return word == "--offline" })
	words = append(words, f.cassettes.recording()...)
	again := map[bool]func(...*result.Brief) string{false: rerunner(words)}
	if f.cassettes.Mode != "all" {
		words = append(slices.Clone(words), "--record-mode", "all")
	}
	again[true] = rerunner(words)
	return func(t *result.Trial, all bool) string {
		b := result.NewBrief(t)
		return again[all](&b)
	}
}

// recording returns the flags that record a cassette in the same way.
func (f *cassetteFlags) recording() []string {
	dir := f.Record
	if dir == "" {
		dir = f.Replay
	}
	words := []string{"--record", dir}
	if f.Mode == "all" {
		words = append(words, "--record-mode", f.Mode)
	}
	if len(f.Redact) > 0 {
		words = append(words, "--redact", strings.Join(f.Redact, ","))
	}
	return words
}
