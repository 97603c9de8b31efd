package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestStagedSuites holds suites of 100 scenarios as one meets them against baselines of 20 trials each: the first 5 of
// each, and the rest only where these look worse, are at most 35% of 20. None that was red in the baseline becomes green
// by fewer than all of its trials. ARENA_SUITES is the number of suites.
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
	ran, groups, same, fell := 0, 0, 0, 0
	for i := range suites {
		seed := 1000 * (i + 1)
		was, base := filepath.Join(dir, "was"), filepath.Join(dir, "base.json")
		runDrawn(t, dir, "config.arena.yaml", was, 20, seed)
		if code, text := arena(t, "bless", was, "--baseline", base); code != 0 {
			t.Fatalf("bless: %d\n%s", code, text)
		}
		verdict, trials, of := runStaged(t, dir, "config.arena.yaml", base, seed+500)
		ran, groups = ran+trials, groups+of
		if verdict == "regressed" {
			same++
		}
		if verdict, _, _ := runStaged(t, dir, "fallen.arena.yaml", base, seed+500); verdict == "regressed" {
			fell++
		}
	}
	share := 100 * float64(ran) / float64(20*groups)
	t.Logf("of %d suites: %.1f%% of trials ran; %d regressed when nothing changed, %d with ten fallen to 0.3", suites,
		share, same, fell)
	if share > 35 || same > suites*19/200+1 || fell < suites-1 {
		t.Error("that is not what is promised")
	}
}

// runStaged runs a suite against a baseline, and returns the verdict on all of it, its trials and its groups.
func runStaged(t *testing.T, dir, config, base string, seed int) (verdict string, trials, groups int) {
	t.Helper()
	out := filepath.Join(dir, "staged")
	code, text := arena(t, "run", "-c", filepath.Join(dir, config), "-o", out, "--trials", "20", "--stop", "baseline",
		"--baseline", base, "--seed", strconv.Itoa(seed), "-j", "2", "--format", "json", "-q", "--ci")
	data, err := os.ReadFile(filepath.Join(out, "results.json"))
	var results struct {
		Groups []struct {
			Scenario, Status string
			Trials           int
			Gate             struct{ Stage struct{ Red bool } }
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
		trials += g.Trials
		if g.Gate.Stage.Red && g.Status == "passed" && g.Trials < 20 {
			t.Errorf("seed %d: %s was red, and is green after %d trials", seed, g.Scenario, g.Trials)
		}
	}
	return results.Baseline.Verdict, trials, len(results.Groups)
}
