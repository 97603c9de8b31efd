package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGatesAtAnySpeed: results.json is the same, but for times and the command, however many trials run at once, also
// where failures take four times as long, where some trials break or are refused, and where all are replayed. With
// ARENA_PROMISE of 2,000 groups, which are not recorded: a folder for each of 80,000 trials says no more.
func TestGatesAtAnySpeed(t *testing.T) {
	t.Parallel()
	groups, full := 25, os.Getenv("ARENA_PROMISE") != ""
	if full {
		groups = 2000
	}
	for name, replies := range map[string]string{
		"failures":      `{chance: 0.8, content: "Yes, 30 days."}, {chance: 0.2, content: "No."}`,
		"slow failures": `{chance: 0.8, content: "Yes, 30 days.", latency_ms: 1}, {chance: 0.2, content: "No.", latency_ms: 4}`,
		"broken trials": `{chance: 0.8, content: "Yes, 30 days."}, {chance: 0.1, content: "No."}, ` +
			`{chance: 0.05, error: slow, error_kind: timeout}, {chance: 0.05, error: later, error_kind: rate_limit}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeProject(t, dir, `name: shop
provider_specs: {mock: {type: mock, model: m}}
scenarios: [{file: agent.yaml}]
-- agent.yaml --
id: agent
trials: {pass_rate: 0.8, max: 50}
turns:
  - role: user
    content: May I return it?
    mock: {one_of: [`+replies+`]}
    assertions: [{type: contains, params: {patterns: [30 days]}}]
`)
			ways := [][]string{{"-j", "1"}, {"-j", "8"}, {"-j", "64"}}
			if !full && name != "broken trials" { // of calls that failed there is no recording
				recording := filepath.Join(dir, "recording")
				ways = append(ways, []string{"-j", "8", "--record", recording}, []string{"-j", "64", "--replay", recording})
			}
			var want map[string]any
			for i, way := range ways {
				out := filepath.Join(dir, "out"+strconv.Itoa(i))
				args := append([]string{
					"run", "-c", filepath.Join(dir, "config.arena.yaml"), "--region", regionNames(groups), "--seed", "5", "--retries", "0", "-o", out,
					"--format", "json", "-q", "--ci",
				}, way...)
				if code, text := arena(t, args...); code != 1 && code != 3 {
					t.Fatalf("%v: %d\n%s", way, code, text)
				}
				got := sameResults(t, filepath.Join(out, "results.json"))
				if i == 0 {
					want = got
				}
				was := want
				if len(way) > 2 { // a run says of itself, and of its trials, that they are recorded
					was, got = map[string]any{"groups": want["groups"]}, map[string]any{"groups": got["groups"]}
				}
				if diff := cmp.Diff(was, got); diff != "" {
					t.Errorf("%v (-first +this):\n%.4000s", way, diff)
				}
			}
		})
	}
}

func regionNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("r%d", i+1)
	}
	return strings.Join(names, ",")
}

// sameResults reads results without what a run takes, when it was made, and by which words.
func sameResults(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var results map[string]any
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"started", "command"} {
		delete(results, key)
	}
	timeless(results) // in its place
	return results
}
