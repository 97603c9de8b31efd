package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/hang"
)

const mortalProject = `kind: Arena
metadata: {name: soak}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  tools: [{file: tool.yaml}]
  provider_specs: {canned: {type: mock, model: m}}
  providers: []
  mcp_servers: [{name: probe, command: ./probe.sh, scope: session}]
-- prompt.yaml --
task_type: support
system_template: Help.
allowed_tools: [count, mcp__probe__echo]
-- tool.yaml --
name: count
description: Counts
mode: exec
input_schema: {type: object}
exec: {command: ./count.sh, runtime: server, scope: session}
-- talk.yaml --
id: talk
task_type: support
turns:
  - role: user
    content: Go
    mock: [{tool_calls: [{name: count}, {name: mcp__probe__echo, arguments: {text: one}}]}, Done]
    assertions: [{type: tool_result_includes, params: {tool: mcp__probe__echo, patterns: [one]}}, {type: no_tool_errors}]
  - role: user
    content: On
    mock: [{tool_calls: [{name: count}, {name: mcp__probe__echo, arguments: {text: two}}]}, Done]
    assertions: [{type: tool_result_includes, params: {tool: mcp__probe__echo, patterns: [two]}}, {type: no_tool_errors}]
  - role: user
    content: On
    mock: [{tool_calls: [{name: count}, {name: mcp__probe__echo, arguments: {text: three}}]}, Done]
    assertions: [{type: tool_result_includes, params: {tool: mcp__probe__echo, patterns: [three]}}, {type: no_tool_errors}]
`

// mortal kills some of the programs that begin so, some time later.
const mortal = `#!/bin/sh
if [ $(($$ % EVERY)) = 1 ]; then
	(sleep 0.$(($$ / EVERY % 5)); : >KILLED/$$; kill -9 $$) </dev/null >/dev/null 2>&1 &
fi
`

// TestSoakOfTools: programs and MCP servers are killed while many trials call them. A trial that did not lose any has
// passed, one that did says so, and nothing is left of any: no process, no goroutine and no open file. It runs alone,
// for it counts those of the whole process. ARENA_SOAK says how many trials, of whose programs one in a hundred dies.
func TestSoakOfTools(t *testing.T) {
	trials, every := 40, 7
	if text := os.Getenv("ARENA_SOAK"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		trials, every = n, 101 // no divisor of how the numbers of processes grow
	}
	killed := t.TempDir()
	t.Chdir(t.TempDir())
	writeProject(t, ".", mortalProject)
	begin := strings.NewReplacer("EVERY", strconv.Itoa(every), "KILLED", killed).Replace(mortal)
	for name, life := range map[string]string{
		"probe.sh": "exec mcp-probe good\n",
		"count.sh": `while read -r line; do id=${line##*\"id\":}; id=${id%%[,\}]*}; echo '{"id":'$id',"result":{"by":'$$'}}'; done` + "\n",
	} {
		if err := os.WriteFile(name, []byte(begin+life), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	run := func(n int) (code int, out string) {
		return arena(t, "run", "--trials", strconv.Itoa(n), "-j", "32", "--format", "json", "-q")
	}
	run(1) // what is kept from the first run on is there
	before := held(t)
	code, out := run(trials)
	lost := judgeSoak(t, "out/results.json", trials)
	if green := lost == 0; green != (code == 0) || code > 3 {
		t.Fatalf("exit status %d, and %d trials lost a program: %s", code, lost, out)
	}
	deaths, err := os.ReadDir(killed)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d trials, %d programs killed, %d trials lost one", trials, len(deaths), lost)
	if len(deaths) == 0 || lost > len(deaths) {
		t.Errorf("%d programs were killed, and %d trials lost one", len(deaths), lost)
	}
	stuck := time.After(hang.Guard)
	for after := held(t); after.exceeds(before); after = held(t) {
		select {
		case <-stuck:
			t.Fatalf("%+v are there, %+v were", after, before)
		default:
		}
		runtime.Gosched() // what has been told to end does so
	}
}

// judgeSoak counts the trials that are not passed. Each of them met a program that was killed, and no other did.
func judgeSoak(t *testing.T, file string, trials int) (lost int) {
	t.Helper()
	var results struct {
		Runs []json.RawMessage `json:"runs"`
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &results)
	}
	if err != nil || len(results.Runs) != trials {
		t.Fatalf("%d of %d trials: %v", len(results.Runs), trials, err)
	}
	for _, raw := range results.Runs {
		var trial struct {
			Status string `json:"status"`
			Turns  []struct {
				Calls []struct {
					Result string `json:"result"`
					Error  string `json:"error"`
				} `json:"tool_calls"`
			} `json:"turns"`
		}
		if err := json.Unmarshal(raw, &trial); err != nil {
			t.Fatal(err)
		}
		answered := 0
		for _, turn := range trial.Turns {
			for _, call := range turn.Calls {
				if call.Error == "" && call.Result != "" {
					answered++
				}
			}
		}
		died := bytes.Contains(raw, []byte("signal: killed"))
		if trial.Status != "passed" {
			lost++
		}
		if passed := trial.Status == "passed"; passed == died || passed != (answered == 6) {
			t.Errorf("%d calls of 6 were answered: %s", answered, raw)
		}
	}
	return lost
}

// holdings are what a process has.
type holdings struct{ Files, Children, Goroutines int }

func held(t *testing.T) (h holdings) {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that has ended has none
		h.Children += len(strings.Fields(string(text)))
	}
	h.Files, h.Goroutines = len(files), runtime.NumGoroutine()
	return h
}

func (h holdings) exceeds(other holdings) bool {
	return h.Files > other.Files || h.Children > other.Children || h.Goroutines > other.Goroutines
}
