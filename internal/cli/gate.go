package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const gateLong = `Gate prints what the pass_rate of scenarios does to agents: for one of which 100, 95, 80 and less
percent of the trials pass, how often it passes, fails and stays undecided, and how many trials
that takes, on average and at most. It runs nothing, and the numbers are exact.

The gates are those of the files, each with the scenarios that have it. Without a path, with
--pass-rate, it is one of the flags alone. With both, the flags win over the files, as in arena run.

Where prices are known, it says what the trials may cost, all groups of the gate together: by the
lengths of their texts, as arena run --estimate does. Trials that break cost more trials.

A count that stops early (trials: {max: 20, stop: early}) is shown likewise: what it comes to by
chance, and after how many trials that is certain. It never ends undecided, and claims nothing.

A gate that no agent can pass ends with 2 and what would help.`

// gateFlags is the command line of `arena gate`.
type gateFlags struct {
	runFlags
	min    int
	format formatFlags
}

func newGateCmd(app *App) *cobra.Command {
	f := &gateFlags{}
	cmd := &cobra.Command{
		Use:   "gate [path...]",
		Short: "Tell what a pass rate does to good and bad agents",
		Long:  gateLong,
		Example: `  arena gate
  arena gate scenarios/refund.yaml
  arena gate --pass-rate 0.9 --tolerance 0.1 --max 100
  arena gate --pass-rate 0.8 --json | jq '.gates[].agents[] | {rate, passed}'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			f.paths, f.words = args, []string{"arena", "run"}
			if err := f.validate(); err != nil {
				return err
			}
			return f.run(app)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *gateFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file`\n"+
		"(default: config.arena.yaml, else the scenarios folder)")
	f.selectionFlags.register(fl)
	f.registerRule(fl)
	fl.IntVar(&f.trials, "max", 0, "at most `n` trials count")
	fl.IntVar(&f.min, "min", 0, "no verdict before `n` trials")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
	f.format.register(fl)
}

func (f *gateFlags) validate() error {
	return errors.Join(f.overrideFlags.validate(f.given), f.selectionFlags.validate(f.given), f.format.validate(),
		f.given.atLeast(1, "max", f.trials), f.given.atLeast(1, "min", f.min))
}

func (f *gateFlags) rule() runner.TrialOptions {
	o := f.overrideFlags.rule(f.given, false)
	o.Min = pointerTo(f.given, "min", f.min)
	return o
}

func (f *gateFlags) run(app *App) error {
	var shown *gatesShown
	var err error
	if len(f.paths) == 0 && !f.given.has("config") && f.given.has("pass-rate") {
		shown, err = f.gateOfFlags(app)
	} else {
		shown, err = f.gatesOfFiles(app)
	}
	if err != nil {
		return err
	}
	if f.format.json() {
		return writeJSON(app, shown)
	}
	return shown.print(app)
}

// gateOfFlags is the gate of the flags.
func (f *gateFlags) gateOfFlags(app *App) (*gatesShown, error) {
	if narrowing := f.narrowing(f.given); len(narrowing) > 0 {
		return nil, fmt.Errorf("%s chooses among scenarios, and there are none: name their files, or leave it out",
			narrowing[0])
	}
	o := f.rule()
	spec, problems := o.Alone(f.trials)
	for _, p := range problems {
		if !p.Warning {
			return nil, fmt.Errorf("%s\n%s", p.Text, p.Hint)
		}
		app.remark("%s: %s", p.Text, p.Hint)
	}
	one, err := showGate(*spec)
	if err != nil {
		return nil, err
	}
	return &gatesShown{Gates: []*gateShown{one}}, nil
}

// gatesOfFiles are the gates of scenarios, each once.
func (f *gateFlags) gatesOfFiles(app *App) (*gatesShown, error) {
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, Lenient: f.lenient, Getenv: app.Getenv,
	})
	app.learnSecrets(suite, diags)
	app.remarks(suite.Notes)
	var plan *runner.Plan
	if diags.Errors() == 0 {
		opts := f.planOptions(suite, false)
		opts.Rule, opts.Open, opts.OpenEmbedder, opts.Uncalled = f.rule(), harness.NoModel, harness.NoEmbedder, true
		plan = runner.Make(suite, opts, diags)
		defer plan.Close()
	}
	app.printDiags(diags.Sorted(), suite.Files, &f.runFlags)
	if diags.Errors() > 0 {
		return nil, exit(result.ExitUsage)
	}
	shown, err := f.gatesOf(plan)
	if err != nil {
		return nil, err
	}
	if len(shown.Gates) == 0 {
		return nil, errors.New("no scenario has a gate, or a count that stops early: their trials are counted to the end\n" +
			"write trials: {pass_rate: 0.8}, or pass --pass-rate 0.8")
	}
	return shown, nil
}

// gatesOf are the gates of a plan, in its order.
func (f *gateFlags) gatesOf(plan *runner.Plan) (*gatesShown, error) {
	shown, byRule := &gatesShown{}, map[gateKey]*gateShown{}
	seen := map[groupKey]bool{}
	for t := range plan.Groups() {
		if seen[groupOf(t)] {
			continue
		}
		seen[groupOf(t)] = true
		spec := t.Rule()
		count, threshold, early := t.EarlyCount()
		if early {
			spec = count
		}
		if !early && (spec == nil || spec.Rule != result.RuleGate) {
			if id := t.Scenario.ID; !slices.Contains(shown.Counted, id) {
				shown.Counted = append(shown.Counted, id)
			}
			continue
		}
		one := byRule[gateKey{*spec, threshold}]
		if one == nil {
			var err error
			if early {
				one = showCount(*spec, threshold)
			} else if one, err = showGate(*spec); err != nil {
				return nil, err
			}
			byRule[gateKey{*spec, threshold}] = one
			shown.Gates = append(shown.Gates, one)
		}
		one.add(t, plan.Estimate(t, f.callParameters()))
	}
	for _, one := range shown.Gates {
		one.price()
	}
	return shown, nil
}

// gateKey identifies a rule.
type gateKey struct {
	result.GateSpec

	threshold float64
}

// gatesShown is what `arena gate` prints.
type gatesShown struct {
	Gates   []*gateShown `json:"gates"`
	Counted []string     `json:"counted,omitempty"` // scenarios without a gate
}

// gateShown is a gate with its scenarios, and its effect on agents of different quality.
type gateShown struct {
	result.GateSpec

	// PassThreshold is the share of trials in which each assertion must hold.
	PassThreshold float64 `json:"pass_threshold,omitempty"`
	// PassesAfter and FailsAfter are the fewest trials after which the gate can end.
	PassesAfter int          `json:"passes_after"`
	FailsAfter  int          `json:"fails_after"`
	Groups      []*gateGroup `json:"groups,omitempty"` // none: the gate comes from flags
	Agents      []agentOdds  `json:"agents"`           // the best first

	simulatedUSD float64 // of one trial of each group
}

// gateGroup is a group of trials with this gate.
type gateGroup struct {
	File     string   `json:"file"`
	Scenario string   `json:"scenario"`
	Provider string   `json:"provider"`
	Region   string   `json:"region"`
	TrialUSD *float64 `json:"trial_usd"` // highest cost of a trial, with its judges; null: not known
}

// agentOdds is the effect of a gate on an agent with a given pass rate.
type agentOdds struct {
	Rate       float64  `json:"rate"`
	Line       string   `json:"line,omitempty"`
	Passed     float64  `json:"passed"`
	Failed     float64  `json:"failed"`
	Undecided  float64  `json:"undecided"`
	MeanTrials float64  `json:"mean_trials"` // of each group
	MostTrials int      `json:"most_trials"`
	USD        *float64 `json:"usd,omitempty"` // of all groups, on average
}

// ratesShown are the pass rates of agents, from perfect to hopeless.
var ratesShown = []float64{1, 0.99, 0.95, 0.9, 0.8, 0.7, 0.5, 0.2, 0}

// nearLine is the distance from a line at which two more rates are shown.
const nearLine = 0.05

func showGate(spec result.GateSpec) (*gateShown, error) {
	g, err := spec.Gate()
	if err != nil {
		return nil, err
	}
	one := &gateShown{GateSpec: spec}
	one.PassesAfter, one.FailsAfter = g.Soonest()
	for _, rate := range ratesAround(g) {
		o := g.Odds(rate)
		one.Agents = append(one.Agents, agentOdds{
			Rate: rate, Line: lineAt(g, rate), Passed: o.Passed, Failed: o.Failed, Undecided: o.Undecided,
			MeanTrials: o.Trials, MostTrials: o.Most,
		})
	}
	return one, nil
}

// showCount shows a count, which ends once it is certain. A trial fails here if the assertion with the highest
// threshold fails.
func showCount(spec result.GateSpec, threshold float64) *gateShown {
	one := &gateShown{GateSpec: spec, PassThreshold: threshold}
	rule := gate.Curtailed(spec.Max, threshold)
	one.PassesAfter, one.FailsAfter = rule.Soonest()
	for _, rate := range ratesWith(threshold) {
		o := rule.Odds(rate)
		a := agentOdds{Rate: rate, Passed: o.Passed, Failed: o.Failed, MeanTrials: o.Trials, MostTrials: o.Most}
		if threshold < 1 && sameRate(rate, threshold) {
			a.Line = "pass_threshold"
		}
		one.Agents = append(one.Agents, a)
	}
	return one
}

// ratesAround are ratesShown, the lines of a gate, and rates near the lines, the highest first.
func ratesAround(g *gate.Gate) []float64 { return ratesWith(g.Lower(), g.Upper()) }

// ratesWith are ratesShown, the given lines, and rates near them, the highest first.
func ratesWith(lines ...float64) []float64 {
	rates := slices.Clone(ratesShown)
	for _, line := range lines {
		for _, rate := range []float64{line, line - nearLine, line + nearLine} {
			if rate > 0 && rate < 1 {
				rates = append(rates, roundRate(rate))
			}
		}
	}
	slices.Sort(rates)
	slices.Reverse(rates)
	return slices.CompactFunc(rates, sameRate)
}

// sameRate compares two rates, with a tolerance for rounding errors.
func sameRate(a, b float64) bool { return max(a-b, b-a) < 1e-9 }

// roundRate removes rounding errors from a rate.
func roundRate(rate float64) float64 { return float64(int(rate*1e9+0.5)) / 1e9 }

// lineAt names the line of a gate at a rate.
func lineAt(g *gate.Gate, rate float64) string {
	switch {
	case sameRate(rate, g.Upper()):
		return "pass_rate"
	case sameRate(rate, g.Lower()):
		return "pass_rate - tolerance"
	}
	return ""
}

// add adds a group of trials and the expected expenses of one trial.
func (s *gateShown) add(t *runner.Trial, takes []runner.Expense) {
	group := &gateGroup{
		File: t.Scenario.Pos.File, Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Region: t.Region,
		TrialUSD: new(0.0),
	}
	for _, x := range takes {
		if x.Simulated && x.USD != nil {
			s.simulatedUSD += *x.USD
		}
		if x.USD == nil || group.TrialUSD == nil {
			group.TrialUSD = nil
			continue
		}
		*group.TrialUSD += *x.USD
	}
	s.Groups = append(s.Groups, group)
}

// price sets the cost for each agent, if the prices of all groups are known.
func (s *gateShown) price() {
	sum := 0.0
	for _, g := range s.Groups {
		if g.TrialUSD == nil {
			return
		}
		sum += *g.TrialUSD
	}
	for i := range s.Agents {
		s.Agents[i].USD = new(float64(sum * s.Agents[i].MeanTrials))
	}
}

// scenarios are the ids of the groups, each once.
func (s *gateShown) scenarios() (ids []string) {
	for _, g := range s.Groups {
		if id := diag.Safe(g.Scenario); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
