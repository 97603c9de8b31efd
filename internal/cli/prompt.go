package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const promptLong = `Prompt prints the request with which a turn of a scenario begins: the messages, the tools and the
parameters that the model would get. It is made as arena run makes it, and nobody is sent it.

With --turn 2 and more, the words of the agent before that are those of mock replies, or of the
recording that --replay names. Where there are none, a text stands for them that says so. Of
tools, only those that are simulated in files and those of arena's own answer; nothing else is
called. Servers whose tools the prompt allows are started, as in a run, and asked which they have,
and so are those behind a network and the agents elsewhere; with --replay the recording answers.

With --wire the request is printed as the client of the provider would send it: method, address,
headers without their secrets, and body.

A scenario is chosen by its id, or by its file. Each of its providers gets a request of its own;
of several trials, as of the variants of perturbations, it is the first one, or that of --trial.`

// promptFlags is the command line of `arena prompt`.
type promptFlags struct {
	runFlags
	turn, trial int
	wire        bool
	format      formatFlags
}

func newPromptCmd(app *App) *cobra.Command {
	f := &promptFlags{}
	cmd := &cobra.Command{
		Use:   "prompt scenario [path...]",
		Short: "Show what a model would be sent, without sending it",
		Long:  promptLong,
		Example: `  arena prompt refund
  arena prompt refund --turn 2 --provider claude --wire
  arena prompt scenarios/refund.yaml --json | jq '.[0].messages'
  arena prompt refund --turn 3 --replay tapes`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			if err := f.complete(args); err != nil {
				return err
			}
			return f.run(c.Context(), app)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *promptFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file`\n"+
		"(default: config.arena.yaml, else the scenarios folder)")
	fl.IntVar(&f.turn, "turn", 1, "show the request that begins turn `n`")
	fl.IntVar(&f.trial, "trial", 1, "of several trials of a scenario, or of its variants, show number `n`")
	fl.BoolVar(&f.wire, "wire", false, "show it as the client of the provider would send it")
	f.selectionFlags.register(fl)
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature, a `number` from 0 to 2")
	fl.Int64Var(&f.seed, "seed", 0, "sampling seed, any whole `number`")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit the reply to `n` tokens")
	fl.StringVar(&f.mockConfig, "mock-config", "",
		"mock reply `file` for the turns before; wins over the providers' own and over mock: of turns")
	fl.StringVar(&f.cassettes.Replay, "replay", "", "take what was said before from the recording in this `folder`")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
	f.format.register(fl)
}

// complete takes the argument, a file or the id of a scenario, and checks the values.
func (f *promptFlags) complete(args []string) error {
	f.words = []string{"arena", "run"} // messages name arena run, which records what --replay misses
	if len(args) > 0 && !exists(args[0]) {
		f.scenarios, args = append(f.scenarios, args[0]), args[1:]
	}
	if len(f.scenarios)+len(args) == 0 {
		return errors.New("which scenario? name one, or its file, such as arena prompt refund\n" +
			"`arena list scenarios` lists them")
	}
	f.paths, f.cassettes.Missing = args, "error"
	return errors.Join(f.overrideFlags.validate(f.given), f.selectionFlags.validate(f.given),
		f.given.notEmpty("replay", "name a folder", f.cassettes.Replay), f.given.atLeast(1, "turn", f.turn),
		f.given.atLeast(1, "trial", f.trial), f.format.validate())
}

func (f *promptFlags) run(ctx context.Context, app *App) error {
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, Getenv: app.Getenv,
	})
	app.learnSecrets(suite, diags)
	unreadSettings(suite, diags)
	deck := f.cassettes.deck(app, false)
	var trials []*runner.Trial
	var plan *runner.Plan
	if diags.Errors() == 0 {
		if plan, trials = f.plan(app, suite, diags); deck != nil && diags.Errors() == 0 {
			deck.Check(harness.RecordedTrials(plan, deck), diags)
		}
	}
	if diags.Errors() > 0 {
		app.showErrors(diags, suite.Files)
		return exit(result.ExitUsage)
	}
	defer plan.Close()
	shown := []*shownRequest{}
	for _, t := range trials {
		one, err := f.show(ctx, app, plan, t, deck)
		if err != nil {
			return err
		}
		shown = append(shown, one)
	}
	if f.format.json() {
		return writeJSON(app, shown)
	}
	return ifBroken(printRequests(app.Out, shown))
}

// plan plans the trials whose requests are shown. It opens no model and needs no key.
func (f *promptFlags) plan(app *App, suite *scenario.Suite, d *diag.List) (*runner.Plan, []*runner.Trial) {
	clients := &harness.StandIns{Clients: harness.Clients{Jobs: 1, Now: app.Now}}
	opts := f.planOptions(suite, true)
	opts.MockProvider = false // mock replies only replace missing ones
	opts.Listing = f.cassettes.Replay == ""
	opts.Open, opts.OpenEmbedder = clients.Open, harness.NoEmbedder
	plan := runner.Make(suite, opts, d)
	var trials []*runner.Trial
	short := map[*scenario.Scenario]bool{}
	shown := map[groupKey]bool{}
	for t := range plan.Numbered([]int{f.trial}) {
		if f.oneRow(t, shown) {
			continue
		}
		if n := len(t.Scenario.Turns); t.Recorded == nil && f.turn > n && !short[t.Scenario] {
			short[t.Scenario] = true
			d.Errorf(t.Scenario.Pos, 1, "out-of-range", "--turn %d: scenario %q has %d", f.turn, t.Scenario.ID, n)
		}
		if t.Recorded == nil {
			trials = append(trials, t)
		}
	}
	if len(trials) == 0 && d.Errors() == 0 {
		most := 0
		for t := range plan.Groups() {
			most = max(most, t.Of)
		}
		d.Errorf(diag.Pos{}, 0, "out-of-range", "--trial %d: there are %d at most", f.trial, most)
	}
	return plan, trials
}

// oneRow reports whether to skip a trial: its row is not the first one, and no rows were asked for.
func (f *promptFlags) oneRow(t *runner.Trial, shown map[groupKey]bool) bool {
	if t.RowID() == "" || len(f.rows) > 0 || f.sample > 0 {
		return false
	}
	key := groupOf(t)
	key.row = ""
	another := shown[key]
	shown[key] = true
	return another
}

// show prints the request of a trial.
func (f *promptFlags) show(
	ctx context.Context, app *App, plan *runner.Plan, t *runner.Trial, deck *cassette.Folder,
) (*shownRequest, error) {
	spec := t.Endpoint.Spec
	made, err := plan.Preview(ctx, t, f.turn-1, runner.PreviewOptions{
		Calls: f.planOptions(&scenario.Suite{}, true).Calls, Now: app.Now, Cassettes: deck, Again: f.rerecordCommand(),
	})
	if err != nil {
		return nil, broken(fmt.Errorf("%s: %w", t.ID(), err))
	}
	shown := newShownRequest(t, f.turn, made)
	if made.Request == nil || !f.wire {
		return shown, nil
	}
	written, err := open.Write(ctx, spec, open.Options{Getenv: t.Project.Getenv, Now: app.Now}, made.Request)
	switch {
	case errors.Is(err, open.ErrNoWire):
		return nil, fmt.Errorf("--wire: provider %s is of type %s: %w\nleave --wire out, or choose another --provider",
			spec.ID, spec.Type, err)
	case err != nil:
		return nil, broken(fmt.Errorf("%s: %w", t.ID(), err))
	}
	shown.Wire = newShownWire(written)
	if written.NoKey {
		shown.Notes = append(shown.Notes, "there is no key for this provider: a run would end here")
	}
	return shown, nil
}
