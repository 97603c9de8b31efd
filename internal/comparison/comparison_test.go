package comparison

import (
	"fmt"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// runOf makes a run of trials given as scenario, provider and status.
func runOf(trials ...result.Brief) *result.Run {
	seen := map[string]int{}
	for i := range trials {
		b := &trials[i]
		name := b.Scenario + "/" + b.Provider + "/default"
		seen[name]++
		b.Trial, b.Region = seen[name], "default"
		b.ID = fmt.Sprintf("%s#%d", name, b.Trial)
	}
	return &result.Run{Trials: noChecks{}, Briefs: result.BriefsOf(trials...)}
}

func trial(scenario, provider string, s result.Status, more ...func(*result.Brief)) result.Brief {
	b := result.BriefOf(result.BriefShared{Scenario: scenario, Provider: provider})
	b.Asked = "it"
	b.Status, b.DurationMS, b.CostUSD, b.Group = s, 1000, new(0.01), 0
	for _, change := range more {
		change(&b)
	}
	return b
}

// noChecks are trials without checks.
type noChecks struct{}

func (noChecks) Trial(int) (*result.Trial, error) { return &result.Trial{}, nil }
func (noChecks) Raw(int) ([]byte, error)          { return nil, nil }

func compare(t *testing.T, was, now *result.Run) *Report {
	t.Helper()
	r, err := Compare(was, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChanges(t *testing.T) {
	t.Parallel()
	const passed, failed, errored, skipped, cancelled = result.Passed, result.Failed, result.Errored, result.Skipped, result.Cancelled
	for _, c := range []struct {
		was, now []result.Status
		want     Change
	}{
		{[]result.Status{passed}, []result.Status{passed}, Same},
		{[]result.Status{failed}, []result.Status{failed}, Same},
		{[]result.Status{failed}, []result.Status{errored}, Same},
		{[]result.Status{passed}, []result.Status{failed}, Red},
		{[]result.Status{passed}, []result.Status{errored}, Red},
		{[]result.Status{passed}, []result.Status{skipped}, Red},
		{[]result.Status{passed}, []result.Status{cancelled}, Red},
		{[]result.Status{passed, passed}, []result.Status{passed, failed}, Red},
		{[]result.Status{errored}, []result.Status{passed}, Green},
		{[]result.Status{skipped}, []result.Status{passed}, Green},
		{[]result.Status{skipped}, []result.Status{failed}, Red},
		{[]result.Status{skipped}, []result.Status{skipped}, Same},
		{[]result.Status{failed}, []result.Status{skipped}, Same},
		{[]result.Status{passed, passed}, []result.Status{passed}, Same},
		{[]result.Status{passed}, []result.Status{passed, passed}, Same},
		{[]result.Status{failed, passed}, []result.Status{failed, failed}, Weaker},
		{[]result.Status{failed, passed, cancelled, cancelled}, []result.Status{failed, passed, failed, failed}, Weaker},
		{[]result.Status{cancelled, cancelled}, []result.Status{failed, failed}, Same},
		{[]result.Status{failed, failed}, []result.Status{failed, passed}, Stronger},
		{[]result.Status{failed, passed}, []result.Status{failed, passed, failed, passed}, Same},
	} {
		var was, now []result.Brief
		for _, s := range c.was {
			was = append(was, trial("s", "p", s))
		}
		for _, s := range c.now {
			now = append(now, trial("s", "p", s))
		}
		r := compare(t, runOf(was...), runOf(now...))
		if len(r.Pairs) != 1 || r.Pairs[0].Change != c.want || len(r.Changed(c.want)) != 1 {
			t.Errorf("%v to %v: %+v, want %s", c.was, c.now, r.Pairs, c.want)
		}
	}
}

// TestTold: of several trials the one is told that shows what became of their group.
func TestTold(t *testing.T) {
	t.Parallel()
	letters := map[rune]result.Status{
		'p': result.Passed, 'f': result.Failed, 'e': result.Errored, 's': result.Skipped, 'c': result.Cancelled,
	}
	for _, c := range []struct {
		was, now string
		change   Change
		want     int // the number of the trial
	}{
		{"fppp", "ffpp", Weaker, 2},
		{"fpff", "pffp", Stronger, 1},
		{"fpfp", "fffp", Weaker, 2},
		{"ffpf", "fpff", Same, 1},
		{"pppp", "ppfp", Red, 3},
		{"ppp", "cpf", Red, 3},
		{"pp", "pe", Red, 2},
		{"ff", "pp", Green, 1},
		{"pf", "pp", Green, 2},
		{"sp", "fp", Red, 1},
		{"pp", "ppf", Red, 3},
		{"fp", "fppp", Stronger, 3},
		{"fp", "p", Green, 1},
		{"ef", "fs", Same, 1},
		{"ppp", "ppp", Same, 1},
		{"ppf", "pp", Green, 1},
	} {
		of := func(statuses string) *result.Run {
			var trials []result.Brief
			for _, letter := range statuses {
				trials = append(trials, trial("s", "p", letters[letter]))
			}
			return runOf(trials...)
		}
		r := compare(t, of(c.was), of(c.now))
		p := &r.Pairs[0]
		was, now := r.Representatives(p)
		wasNumber := c.want
		if wasNumber > len(c.was) {
			wasNumber = 1
		}
		if p.Change != c.change || now != c.want-1 || was != wasNumber-1 {
			t.Errorf("%s to %s: %s, told of #%d and #%d, want %s and #%d", c.was, c.now, p.Change, was+1, now+1, c.change, c.want)
		}
	}
}

// checked are trials of one turn with checks of these types, all with one status.
type checked struct {
	status result.Status
	types  []string
}

func (c checked) Trial(int) (*result.Trial, error) {
	turn := result.Turn{}
	for _, name := range c.types {
		turn.Assertions = append(turn.Assertions, result.Verdict{Type: name, Status: c.status})
	}
	return &result.Trial{Turns: []result.Turn{turn}}, nil
}

func (checked) Raw(int) ([]byte, error) { return nil, nil }

// perTrial are the trials of a run, one each.
type perTrial []checked

func (p perTrial) Trial(i int) (*result.Trial, error) { return p[i].Trial(i) }
func (p perTrial) Raw(int) ([]byte, error)            { return nil, nil }

// TestUnchecked: less is asked than before, whatever the status: a check that is gone may be what fixes a group.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	const passed, failed, skipped = result.Passed, result.Failed, result.Skipped
	of := func(s result.Status, n int, types ...string) *result.Run {
		var trials []result.Brief
		for range n {
			trials = append(trials, trial("s", "p", s))
		}
		run := runOf(trials...)
		run.Trials = checked{s, types}
		return run
	}
	held := func(checks int) result.Brief {
		return trial("s", "p", passed, func(b *result.Brief) { b.Checks.Total = checks })
	}
	both, second := runOf(held(2), held(2)), runOf(held(2), held(1))
	both.Trials = checked{passed, []string{"a", "b"}}
	second.Trials = perTrial{checked{passed, []string{"a", "b"}}, checked{passed, []string{"a"}}}
	for _, c := range []struct {
		name     string
		was, now *result.Run
		change   Change
		want     bool
	}{
		{"one less in the second trial", both, second, Same, true},
		{"the same", of(passed, 1, "a"), of(passed, 1, "a"), Same, false},
		{"another check", of(passed, 1, "a"), of(passed, 1, "b"), Same, true},
		{"one more", of(passed, 1, "a"), of(passed, 1, "a", "b"), Same, false},
		{"one less", of(passed, 1, "a", "b"), of(passed, 1, "a"), Same, true},
		{"fixed by taking it out", of(failed, 1, "a", "b"), of(passed, 1, "a"), Green, true},
		{"fixed", of(failed, 1, "a"), of(passed, 1, "a"), Green, false},
		{"regressed, and one less", of(passed, 1, "a", "b"), of(failed, 1, "a"), Red, true},
		{"fewer trials", of(passed, 2, "a"), of(passed, 1, "a"), Same, true},
		{"fewer failing trials", of(failed, 2, "a"), of(failed, 1, "a"), Same, true},
		{"more trials", of(passed, 1, "a"), of(passed, 2, "a"), Same, false},
		{"skipped now", of(failed, 1, "a"), of(skipped, 1), Same, true},
	} {
		if p := compare(t, c.was, c.now).Pairs[0]; (p.Unchecked || p.Fewer) != c.want || p.Change != c.change {
			t.Errorf("%s: %s, unchecked %v", c.name, p.Change, p.Unchecked)
		}
	}
}

// TestTolerated: a failure within the threshold of its group leaves the group green, and is told as weaker.
func TestTolerated(t *testing.T) {
	t.Parallel()
	excused := func(b *result.Brief) { b.Tolerated = true }
	was := runOf(trial("s", "p", result.Passed), trial("s", "p", result.Passed))
	now := runOf(trial("s", "p", result.Passed), trial("s", "p", result.Failed, excused))
	if r := compare(t, was, now); r.Pairs[0].Change != Weaker || r.Pairs[0].Now.Status != result.Passed {
		t.Errorf("%+v", r.Pairs[0])
	}
}

func TestMatching(t *testing.T) {
	t.Parallel()
	was := runOf(trial("a", "p", result.Passed), trial("b", "p", result.Passed), trial("a", "q", result.Passed))
	now := runOf(trial("a", "q", result.Passed), trial("c", "p", result.Passed), trial("a", "p", result.Passed))
	r := compare(t, was, now)
	if len(r.Pairs) != 2 || r.Pairs[0].Now.Name != "a/q/default" || r.Pairs[1].Now.Name != "a/p/default" || r.Across {
		t.Errorf("%+v", r.Pairs)
	}
	if len(r.Gone) != 1 || r.Gone[0].Name != "b/p/default" || len(r.New) != 1 || r.New[0].Name != "c/p/default" {
		t.Errorf("gone %+v, new %+v", r.Gone, r.New)
	}
	gone := trial("a", "p", result.Failed, func(b *result.Brief) { b.Gone = true })
	if r := compare(t, runOf(trial("b", "p", result.Passed), gone), was); len(r.Pairs) != 1 {
		t.Errorf("a trial that the plan has no more counts: %+v", r.Pairs)
	}
	one, other := runOf(trial("a", "p", result.Passed)), runOf(trial("a", "q", result.Failed))
	if r := compare(t, one, other); !r.Across || len(r.Pairs) != 1 || r.Pairs[0].Change != Red {
		t.Errorf("two models: %+v", r)
	}
}

func TestMeasures(t *testing.T) {
	t.Parallel()
	of := func(ms float64, usd *float64) *result.Run {
		return runOf(trial("s", "p", result.Passed, func(b *result.Brief) { b.DurationMS, b.CostUSD = ms, usd }))
	}
	judged := func(ms, usd, judges float64) *result.Run {
		return runOf(trial("s", "p", result.Passed, func(b *result.Brief) {
			b.DurationMS, b.CostUSD, b.Judges = ms, &usd, &result.SideCost{Calls: 1, CostUSD: &judges}
		}))
	}
	for _, c := range []struct {
		name                            string
		was, now                        *result.Run
		slower, faster, dearer, cheaper bool
	}{
		{"the same", of(1000, new(1.0)), of(1000, new(1.0)), false, false, false, false},
		{"within the margin", of(1000, new(1.0)), of(1199, new(1.19)), false, false, false, false},
		{"more", of(1000, new(1.0)), of(1201, new(1.21)), true, false, true, false},
		{"less", of(1201, new(1.21)), of(1000, new(1.0)), false, true, false, true},
		{"times that no clock tells apart", of(10, nil), of(50, nil), false, false, false, false},
		{"a price that is not known", of(1000, new(1.0)), of(1000, nil), false, false, false, false},
		{"dearer judges", of(1000, new(1.0)), judged(1000, 1.0, 1.0), false, false, true, false},
		{"from nothing", of(1000, new(0.0)), of(1000, new(1.0)), false, false, true, false},
	} {
		p := compare(t, c.was, c.now).Pairs[0]
		if p.Slower != c.slower || p.Faster != c.faster || p.Dearer != c.dearer || p.Cheaper != c.cheaper {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}
