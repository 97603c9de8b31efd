package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestStagedSuites holds suites of 100 scenarios as one meets them against baselines of 20 trials each: the first 5 of
// each, and the rest only where these look worse, are at most 35% of 20 of those that were green then. Those that were red
// have all of them run before they are green. ARENA_SUITES is the number of suites.
func TestStagedSuites(t *testing.T) {
	t.Parallel()
	suites := 1
	if most := os.Getenv("ARENA_SUITES"); most != "" {
		n, err := strconv.Atoi(most)
		if err != nil {
			t.Fatal(err)
		}
		suites = n
	}
	dir := t.TempDir()
	writeProject(t, dir, drawnSuite())
	var ran, green ranOf20
	same, fell := 0, 0
	for i := range suites {
		seed := 1000 * (i + 1)
		was, base := filepath.Join(dir, "was"), filepath.Join(dir, "base.json")
		runDrawn(t, dir, "config.arena.yaml", was, 20, seed)
		if code, text := arena(t, "bless", was, "--baseline", base); code != 0 {
			t.Fatalf("bless: %d\n%s", code, text)
		}
		verdict, all, held := runStaged(t, dir, "config.arena.yaml", base, seed+500)
		ran.add(all)
		green.add(held)
		if verdict == "regressed" {
			same++
		}
		if verdict, _, _ := runStaged(t, dir, "fallen.arena.yaml", base, seed+500); verdict == "regressed" {
			fell++
		}
	}
	t.Logf("of %d suites: %.1f%% of trials ran, %.1f%% of groups that were green; %d regressed when nothing changed, "+
		"%d with ten fallen to 0.3", suites, ran.percent(), green.percent(), same, fell)
	if green.percent() > 35 || ran.percent() > 55 || same > suites*19/200+1 || fell < suites-1 {
		t.Error("that is not what is promised")
	}
}

// ranOf20 counts the trials of groups of 20.
type ranOf20 struct{ trials, groups int }

func (s *ranOf20) add(other ranOf20) {
	s.trials, s.groups = s.trials+other.trials, s.groups+other.groups
}

func (s *ranOf20) percent() float64 { return 100 * float64(s.trials) / float64(20*s.groups) }

// runStaged runs a suite against a baseline, and returns the verdict on all of it, and the trials that ran: all, and of
// those that passed in the baseline.
func runStaged(t *testing.T, dir, config, base string, seed int) (verdict string, all, green ranOf20) {
	t.Helper()
	out := filepath.Join(dir, "staged")
	code, text := arena(t, "run", "-c", filepath.Join(dir, config), "-o", out, "--trials", "20", "--stop", "baseline",
		"--baseline", base, "--seed", strconv.Itoa(seed), "-j", "2", "--format", "json", "-q", "--ci")
	data, err := os.ReadFile(filepath.Join(out, "results.json"))
	var results struct {
		Groups []struct {
			Trials int
			Gate   struct{ Stage struct{ Red bool } }
		}
		Baseline struct{ Verdict string }
	}
	if err == nil {
		err = json.Unmarshal(data, &results)
	}
	if code != 1 || err != nil {
		t.Fatalf("run: %d, %v\n%s", code, err, text)
	}
	for _, g := range results.Groups {
		one := ranOf20{g.Trials, 1}
		all.add(one)
		if !g.Gate.Stage.Red {
			green.add(one)
		}
	}
	return results.Baseline.Verdict, all, green
}
