package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
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

// cassetteFlags say whether a run is recorded, replayed, or kept from the network.
type cassetteFlags struct {
	record, replay string
	mode           string
	missing, speed string
	redact         []string
	offline        bool
}

func (f *cassetteFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.record, "record", "", "keep what models, tools and evaluators say in this `folder`, a file a trial")
	fl.StringVar(&f.mode, "record-mode", "new", "what --record asks for, a `mode`: new, what the recording does not\n"+
		"hold; once, only trials without a recording; all, everything anew;\nnone, nothing")
	fl.StringVar(&f.replay, "replay", "", "answer from the recording in this `folder`: no network, no keys, no programs")
	fl.StringVar(&f.missing, "replay-missing", "error", "what to do with a trial without a recording, an `action`:\n"+
		"error, or record, which runs and records it")
	fl.StringVar(&f.speed, "replay-speed", "full", "the `pace` of a replay: full, or realtime, as it was recorded")
	fl.StringSliceVar(&f.redact, "redact", nil, "JSON `field` that no recording and no report may hold, in arguments\n"+
		"and results of tools and in what evaluators get; the run itself has it")
	fl.BoolVar(&f.offline, "offline", false, "open no connection, and refuse what needs one")
}

// validate refuses values that make no sense.
func (f *cassetteFlags) validate(run *runFlags) error {
	g := run.given
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, given := range []struct{ flag, value string }{
		{"record", f.record}, {"replay", f.replay}, {"redact", strings.Join(f.redact, "")},
	} {
		errs = append(errs, g.notEmpty(given.flag, "give it a value", given.value))
	}
	if f.record != "" && f.replay != "" {
		bad("--record and --replay exclude each other\nto record only what is missing: --replay %s --replay-missing record",
			shellQuote(f.replay))
	}
	if g.has("record-mode") && f.record == "" {
		bad("--record-mode needs --record")
	}
	for _, field := range f.redact {
		if meant := fieldMeant(field); meant != field && f.redactNamed() {
			bad("--redact %s: not the name of a JSON field; did you mean %q?\n"+
				"write the name alone, without a path; upper and lower case are one", shellQuote(field), meant)
		}
	}
	replays := f.replay != ""
	f.choose()
	if run.maxCost > 0 && f.replay != "" && f.missing != "record" {
		bad("--max-cost limits what is paid, and a replay pays nothing: choose one")
	}
	if run.estimate && f.replay != "" && f.missing != "record" {
		bad("--estimate says what may be paid, and a replay pays nothing: choose one")
	}
	if g.has("redact") && f.record == "" && f.replay == "" {
		bad("--redact needs --record or --replay")
	}
	if f.redactNamed() && run.cache != "" && f.record != "" {
		bad("--redact keeps fields out of all files, and --cache %s keeps whole replies\n"+
			"leave out the cache: --record asks only for what the recording does not hold yet", run.cache)
	}
	for _, flag := range []string{"replay-missing", "replay-speed"} {
		if g.has(flag) && !replays {
			bad("--%s needs --replay", flag)
		}
	}
	if why := f.networkBarrier(); why != "" {
		for _, flag := range []struct{ name, value string }{
			{"metrics-push", run.metrics.push}, {"otlp-endpoint", run.traces.endpoint},
		} {
			if flag.value != "" && flag.value != "none" {
				bad("--%s needs the network, and %s is set", flag.name, why)
			}
		}
	}
	if f.offline && run.metrics.listen != "" {
		bad("--metrics-listen needs the network, and --offline is set")
	}
	if run.dispatch.url != "" && (f.record != "" || f.replay != "") {
		bad("--dispatch has evals run elsewhere, where nothing is recorded or replayed\n" +
			"leave it out, or record and replay without it")
	}
	return errors.Join(append(errs,
		oneOf("record-mode", []string{f.mode}, "", "new", "once", "all", "none"),
		oneOf("replay-missing", []string{f.missing}, "", "error", "record"),
		oneOf("replay-speed", []string{f.speed}, "", "full", "realtime"),
	)...)
}

// redactNamed reports whether something is named that is to be redacted; nothing at all is told elsewhere.
func (f *cassetteFlags) redactNamed() bool {
	return strings.TrimSpace(strings.Join(f.redact, "")) != ""
}

// fieldMeant is the name of a JSON field that was probably meant: of a path its last field, without quotes and
// brackets, and of several words one name. A name is itself.
func fieldMeant(text string) string {
	outside := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`.$[]{}()*'":;/\`, r) }
	whole := strings.TrimFunc(text, outside)
	name := whole[strings.LastIndexAny(whole, `.[]/\`)+1:]
	return strings.Join(strings.FieldsFunc(name, outside), "_")
}

func (f *cassetteFlags) ask(s *result.Spec) {
	s.Record, s.Replay, s.Redact, s.Offline = f.record, f.replay, f.redact, f.offline
	if f.record != "" && f.mode == "all" {
		s.RecordMode = f.mode
	}
	if f.replay != "" && f.missing != "error" {
		s.ReplayMissing = f.missing
	}
}

func (f *cassetteFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "record", &f.record, then.Record)
	recallValue(g, "record-mode", &f.mode, then.RecordMode)
	recallValue(g, "replay", &f.replay, then.Replay)
	recallValue(g, "replay-missing", &f.missing, then.ReplayMissing)
	recallList(g, "redact", &f.redact, then.Redact)
	recallValue(g, "offline", &f.offline, then.Offline)
}

// choose makes the modes that ask for nothing where there is a recording the replay that they are.
func (f *cassetteFlags) choose() {
	if f.record == "" || f.replay != "" {
		return
	}
	switch f.mode {
	case "once":
		f.record, f.replay, f.missing = "", f.record, "record"
	case "none":
		f.record, f.replay = "", f.record
	}
}

// networkBarrier is the flag by which the run contacts nobody; "": it may.
func (f *cassetteFlags) networkBarrier() string {
	switch {
	case f.offline:
		return "--offline"
	case f.replay != "" && f.missing != "record":
		return "--replay"
	}
	return ""
}

// deck is the folder of cassettes of a run; nil: there is none.
func (f *cassetteFlags) deck(app *App, strict bool, secrets func() []string) *cassette.Folder {
	if f.record == "" && f.replay == "" {
		return nil
	}
	d := &cassette.Folder{
		Dir: f.record, Replay: f.replay != "", Fill: f.missing == "record", RecordAll: f.mode == "all", Strict: strict,
		Redact: f.redact, Secrets: secrets, Now: app.Now,
	}
	if d.Replay {
		d.Dir = f.replay
	}
	if f.speed == "realtime" {
		d.Sleep = pause.For
	}
	return d
}

// plan makes the trials of a suite that loaded without errors, and looks into the cassettes from which they are to be
// answered. Providers are opened only when a trial is to be driven for real.
func (f *runFlags) plan(app *App, suite *scenario.Suite, d *diag.List) (*runner.Plan, *cassette.Folder) {
	f.prepare(suite, d)
	deck := f.cassettes.deck(app, f.strict, app.secrets.Known)
	if deck != nil {
		deck.Continue = f.resumes()
	}
	if deck != nil && f.lastFailed && !f.given.has("record-mode") {
		deck.RecordAll = true // what failed would only be heard again
	}
	if deck == nil || !deck.Replay {
		plan := f.trialsOf(app, suite, false, d)
		if deck != nil {
			unambiguous(plan, d)
			deck.Check(recordedTrials(plan, deck), d)
		}
		return plan, deck
	}
	var found diag.List
	plan := f.trialsOf(app, suite, true, &found)
	if deck.Fill && found.Errors() == 0 {
		for t := range plan.All() { // no more of them than there are cassettes, and one
			if !deck.Has(t.Cassette()) {
				plan = f.trialsOf(app, suite, false, d)
				deck.Check(recordedTrials(plan, deck), d)
				unambiguous(plan, d)
				return plan, deck
			}
		}
	}
	for _, problem := range found.Sorted() {
		d.Add(problem)
	}
	deck.Check(recordedTrials(plan, deck), d)
	return plan, deck
}

// recordedTrials are the trials of which there may be cassettes: few, however many trials the plan has.
func recordedTrials(plan *runner.Plan, deck *cassette.Folder) iter.Seq[cassette.Trial] {
	trials := plan.All()
	if numbers, all := deck.Numbers(); !all {
		trials = plan.Asked(numbers, slices.Max(append(numbers, 0)))
	}
	return func(yield func(cassette.Trial) bool) {
		for t := range trials {
			if !yield(t.Cassette()) {
				return
			}
		}
	}
}

// unambiguous reports trials that would be recorded into the same file.
func unambiguous(plan *runner.Plan, d *diag.List) {
	for t := range plan.Twice() {
		d.Errorf(t.Scenario.Pos, 1, "ambiguous-trial", "two trials are called %q, and only one of them can be recorded",
			t.ID()).Hint = "give their projects names, or run them one by one"
	}
}

// noModel stands for the providers of a run that is answered from recordings.
type noModel struct{}

var errNoModel = errors.New("every call of this run is answered from a recording")

func (noModel) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	return chat.Reply{}, errNoModel
}

func (noModel) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, errNoModel
}

// openNoModel opens no provider.
func openNoModel(_ *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	return noModel{}, open.Simulated(spec.Type), open.Supported(spec)
}

func openNoEmbedder(_ *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
	return noModel{}, open.Supported(spec)
}

// opener opens the providers that the run may reach.
func (f *cassetteFlags) opener(c *harness.Clients) runner.Opener {
	return func(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
		if err := f.reachable(spec); err != nil {
			return nil, false, err
		}
		return c.Open(p, spec)
	}
}

// embedders opens the embedding models that the run may reach.
func (f *cassetteFlags) embedders(c *harness.Clients) runner.EmbedderOpener {
	return func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
		if err := f.reachable(spec); err != nil {
			return nil, err
		}
		return c.OpenEmbedder(p, spec)
	}
}

// reachable is an error for a provider that needs the network where the run must not touch it.
func (f *cassetteFlags) reachable(spec *scenario.Provider) error {
	if !f.offline || open.Simulated(spec.Type) {
		return nil
	}
	return fmt.Errorf("provider %s: type %s needs the network, and --offline is set; choose --mock-provider, or replay a "+
		"recording: --replay FOLDER", spec.ID, spec.Type)
}

// repeat is the command line that runs the same again, from the same recording when there is one.
func (f *runFlags) repeat() []string {
	words := f.command()
	if c := &f.cassettes; c.replay != "" {
		words = append(words, "--replay", c.replay)
		if c.missing != "error" {
			words = append(words, "--replay-missing", c.missing)
		}
		if len(c.redact) > 0 {
			words = append(words, "--redact", strings.Join(c.redact, ","))
		}
	}
	return words
}

// recorder makes the command that records just one trial again.
func (f *runFlags) recorder() func(*result.Trial) string {
	words := append(f.command(), f.cassettes.recording()...)
	rerun := rerunner(words)
	return func(t *result.Trial) string {
		b := result.NewBrief(t)
		return rerun(&b)
	}
}

// recording are the flags with which a cassette of the run is recorded.
func (f *cassetteFlags) recording() []string {
	dir := f.record
	if dir == "" {
		dir = f.replay
	}
	words := []string{"--record", dir}
	if f.mode == "all" {
		words = append(words, "--record-mode", f.mode)
	}
	if len(f.redact) > 0 {
		words = append(words, "--redact", strings.Join(f.redact, ","))
	}
	return words
}
