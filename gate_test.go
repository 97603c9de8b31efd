package arena_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// drawn is a scenario whose mock is right with a chance.
func drawn(id, chance, rest, trials string) []byte {
	return []byte("id: " + id + "\ntrials: " + trials + `
turns:
  - role: user
    content: May I return it?
    mock: {one_of: [{chance: ` + chance + `, content: "Yes, within 30 days."}, {chance: ` + rest + `, content: "Yes."}]}
    assertions: [{type: contains, params: {patterns: [30 days]}}]
`)
}

// TestGates: groups whose trials may end early are planned as one, run as few as it takes, and have verdict and bar.
func TestGates(t *testing.T) {
	t.Parallel()
	suite, err := arena.Load(arena.Options{
		Mock: true, Jobs: 4, Files: map[string][]byte{
			"good.yaml":  drawn("good", "0.98", "0.02", "{pass_rate: 0.8, max: 50}"),
			"bad.yaml":   drawn("bad", "0.3", "0.7", "{pass_rate: 0.8, max: 50}"),
			"close.yaml": drawn("close", "0.8", "0.2", "{pass_rate: 0.8, max: 20, allow_undecided: true}"),
			"count.yaml": drawn("count", "0.5", "0.5", "2"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	planned := map[string]arena.Planned{}
	for _, p := range suite.Trials() {
		planned[p.ID] = p
	}
	if p := planned["good/mock/default"]; p.Trial != 0 || p.Trials != 50 || len(planned) != 5 {
		t.Errorf("planned as %+v of %d", p, len(planned))
	}
	res, err := suite.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]arena.Group{}
	for _, g := range res.Groups {
		groups[g.Scenario] = g
	}
	good, bad, near := groups["good"], groups["bad"], groups["close"]
	if good.Status != arena.Passed || good.Low <= 0.8 || good.Gate == nil || good.Gate.NotNeeded == 0 {
		t.Errorf("good: %+v", good)
	}
	if bad.Status != arena.Failed || bad.High >= 0.8 || !strings.Contains(bad.String(), "asked 80%") {
		t.Errorf("bad: %+v", bad)
	}
	if near.Status != arena.Undecided || !near.Gate.Allowed || near.Low > 0.8 || near.High < 0.8 {
		t.Errorf("close: %+v", near)
	}
	if g := groups["count"]; g.Gate != nil || g.High == 0 {
		t.Errorf("count: %+v", g)
	}
	if res.Status != arena.Failed || res.ExitCode != 1 {
		t.Errorf("the run is %s, exit status %d", res.Status, res.ExitCode)
	}

	// One group by its id; a trial of it is none that can be named.
	res, err = suite.Run(t.Context(), "close/mock/default")
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Groups) != 1 || res.Status != arena.Errored || res.ExitCode != 3 { // nothing else was judged, so nothing passed
		t.Errorf("alone: %+v, status %s, exit status %d", res.Groups, res.Status, res.ExitCode)
	}
	if _, err := suite.Run(t.Context(), "good/mock/default#1"); err == nil ||
		!strings.Contains(err.Error(), `there is no trial "good/mock/default#1"`) {
		t.Errorf("a trial that may not be needed is run: %v", err)
	}
}

// TestGateOptions: options ask for a rate whatever the files say, and undecided is no pass unless that is allowed.
func TestGateOptions(t *testing.T) {
	t.Parallel()
	run := func(change func(*arena.Options)) (*arena.Result, error) {
		o := arena.Options{
			Mock: true, PassRate: new(0.8), Trials: 20,
			Files: map[string][]byte{
				"close.yaml": drawn("close", "0.8", "0.2", "3"), "good.yaml": drawn("good", "0.999", "0.001", "3"),
			},
		}
		change(&o)
		return arena.Run(t.Context(), o)
	}
	res, err := run(func(*arena.Options) {})
	if err != nil || res.Status != arena.Undecided || res.ExitCode != 1 {
		t.Errorf("undecided: %v, %+v", err, res)
	}
	res, err = run(func(o *arena.Options) { o.AllowUndecided = true })
	if err != nil || res.Status != arena.Passed || res.ExitCode != 0 {
		t.Errorf("allowed: %v, %+v", err, res)
	}
	for want, change := range map[string]func(*arena.Options){
		"20 trials cannot show 95%":                     func(o *arena.Options) { o.PassRate = new(0.95) },
		"nothing shows that all pass":                   func(o *arena.Options) { o.PassRate = new(1.0) },
		`Stop cannot be "now"; expected early or never`: func(o *arena.Options) { o.Stop = "now" },
		"--tolerance says nothing of trials that are counted": func(o *arena.Options) {
			o.PassRate, o.Tolerance = nil, new(0.1)
		},
	} {
		if _, err := run(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
