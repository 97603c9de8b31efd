package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestComparedSuites compares typical suites of 100 scenarios, with 20 trials a scenario before and 5 after. Unchanged
// suites are seldom called worse; suites in which ten scenarios fell to 0.3 nearly always are. ARENA_SUITES is the
// number of pairs of suites; the figures of the guide need 200.
func TestComparedSuites(t *testing.T) {
	t.Parallel()
	suites := 2
	if most := os.Getenv("ARENA_SUITES"); most != "" {
		n, err := strconv.Atoi(most)
		if err != nil {
			t.Fatal(err)
		}
		suites = n
	}
	dir := t.TempDir()
	writeProject(t, dir, drawnSuite())
	var same, improved, fell int
	for i := range suites {
		seed := 1000 * (i + 1)
		was, now, worse := filepath.Join(dir, "was"), filepath.Join(dir, "now"), filepath.Join(dir, "worse")
		runDrawn(t, dir, "config.arena.yaml", was, 20, seed)
		runDrawn(t, dir, "config.arena.yaml", now, 5, seed+500)
		runDrawn(t, dir, "fallen.arena.yaml", worse, 5, seed+500)
		switch comparedVerdict(t, was, now) {
		case "regressed":
			same++
		case "improved":
			improved++
		}
		if comparedVerdict(t, was, worse) == "regressed" {
			fell++
		}
	}
	t.Logf("of %d suites: %d regressed and %d improved when nothing changed, %d regressed with ten fallen to 0.3",
		suites, same, improved, fell)
	// Each claim may be wrong in 5% of the cases: of 200 suites, more than 19 are wrong in less than 1 of 200 such
	// tests.
	if most := suites*19/200 + 1; same > most || improved > most || fell < suites-1 {
		t.Error("that is not what is promised")
	}
}

// drawnSuite is a project of 100 scenarios with typical pass rates, and a copy in which every tenth passes at 0.3.
func drawnSuite() string {
	var rates []float64
	for _, of := range []struct {
		rate      float64
		scenarios int
	}{
		{1, 35}, {0.99, 15}, {0.97, 10}, {0.95, 10}, {0.9, 10}, {0.8, 6}, {0.7, 5}, {0.5, 5}, {0.2, 2}, {0, 2},
	} {
		rates = append(rates, slices.Repeat([]float64{of.rate}, of.scenarios)...)
	}
	var b, mock, fallen, list strings.Builder
	for i, rate := range rates {
		id := fmt.Sprintf("s%03d", i)
		fmt.Fprintf(&list, "{file: %s.yaml}, ", id)
		mock.WriteString(drawnReply(id, rate))
		if i%10 == 0 {
			rate = 0.3
		}
		fallen.WriteString(drawnReply(id, rate))
		fmt.Fprintf(&b, "-- %s.yaml --\n{id: %s, turns: [{role: user, content: hi, assertions: [{type: contains, "+
			"params: {patterns: [fine]}}]}]}\n", id, id)
	}
	config := func(mock string) string {
		return fmt.Sprintf("name: drawn\nprovider_specs: {mock: {type: mock, model: m, additional_config: {mock_config: %s}}}\n"+
			"scenarios: [%s]\n", mock, list.String())
	}
	return config("mock.yaml") + "-- fallen.arena.yaml --\n" + config("fallen.yaml") +
		"-- mock.yaml --\nscenarios:\n" + mock.String() + "-- fallen.yaml --\nscenarios:\n" + fallen.String() + b.String()
}

func drawnReply(id string, rate float64) string {
	choices := fmt.Sprintf("{chance: %v, content: fine}, {chance: %.2f, content: bad}", rate, 1-rate)
	switch rate {
	case 0:
		choices = "{chance: 1, content: bad}"
	case 1:
		choices = "{chance: 1, content: fine}"
	}
	return fmt.Sprintf("  %s: {turns: {1: {one_of: [%s]}}}\n", id, choices)
}

func runDrawn(t *testing.T, dir, config, out string, trials, seed int) {
	t.Helper()
	code, text := arena(t, "run", "-c", filepath.Join(dir, config), "-o", out, "--trials", strconv.Itoa(trials), "--seed",
		strconv.Itoa(seed), "-j", "2", "--format", "json", "-q", "--ci")
	if code != 1 {
		t.Fatalf("run: %d\n%s", code, text)
	}
}

func comparedVerdict(t *testing.T, was, now string) string {
	t.Helper()
	code, text := arena(t, "compare", was, now, "--format", "json")
	var out struct{ Suite struct{ Verdict string } }
	if err := json.Unmarshal([]byte(text), &out); err != nil || code != 0 {
		t.Fatalf("compare: %d, %v\n%s", code, err, text)
	}
	return out.Suite.Verdict
}
