package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/result"
)

// desk is the demonstration project with states, and the replies of its agent.
type desk struct {
	t       *testing.T
	dir     string
	replies map[string][]chat.Message // by the first message of the user; in compositions by system prompt and message
}

// run runs the project and returns its trials.
func (d *desk) run(out string, args ...string) []*result.Trial {
	d.t.Helper()
	var log bytes.Buffer
	out = filepath.Join(d.t.TempDir(), out)
	code := cli.Main(&cli.App{
		Args: append([]string{"run", filepath.Join(d.dir, "desk"), "-o", out, "--retries", "0", "--format", "json"}, args...),
		Out:  &log, Err: &log, Env: map[string]string{}, Now: time.Now, Width: func() int { return 100 },
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		Exit:       func(code int) { d.t.Errorf("ended with %d", code) },
	})
	if code != 0 {
		d.t.Fatalf("exit status %d\n%s", code, log.String())
	}
	f, err := os.Open(filepath.Join(out, "results.json"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	run, err := jsonout.Read(f)
	if err != nil {
		d.t.Fatal(err)
	}
	var trials []*result.Trial
	for i := range run.Briefs.Len() {
		t, err := run.Trials.Trial(i)
		if err != nil {
			d.t.Fatal(err)
		}
		trials = append(trials, t)
	}
	return trials
}

// learn takes over the replies of the agent in the trials.
func (d *desk) learn(trials []*result.Trial) {
	d.replies = map[string][]chat.Message{}
	replies := func(key string, messages []chat.Message) {
		for _, m := range messages {
			if m.Role == chat.Assistant {
				d.replies[key] = append(d.replies[key], m)
			}
		}
	}
	for _, t := range trials {
		for i := range t.Turns {
			replies(t.Turns[0].User, t.Turns[i].Messages)
			if t.Turns[i].Composition == nil {
				continue
			}
			for _, step := range t.Turns[i].Composition.Steps {
				if len(step.Messages) > 0 {
					replies(step.Messages[0].Content+step.Messages[1].Content, step.Messages)
				}
			}
		}
	}
}

// ServeHTTP answers with the next reply of the conversation in the request.
func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	said, first, system, systems := 0, "", "", 0
	for _, m := range request.Messages {
		switch m.Role {
		case "assistant":
			said++
		case "user":
			if first == "" {
				first = m.Content
			}
		case "system":
			systems, system = systems+1, m.Content
		}
	}
	if _, step := d.replies[system+first]; step {
		first = system + first
	}
	if said >= len(d.replies[first]) || systems != 1 {
		http.Error(w, fmt.Sprintf("no reply %d to %q after %d system prompts", said, first, systems), http.StatusTeapot)
		return
	}
	next := d.replies[first][said]
	message, finish := map[string]any{"content": next.Content}, "stop"
	var calls []any
	for i, c := range next.ToolCalls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			panic(err)
		}
		calls = append(calls, map[string]any{
			"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": string(args)},
		})
	}
	if calls != nil {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	(&answer{w: w, stream: request.Stream}).reply(message, finish)
}

// told lists what happened in each trial: states, calls, memory and verdicts.
func told(trials []*result.Trial) (lines []string) {
	for _, t := range trials {
		lines = append(lines, "# "+t.Scenario+" "+t.Status.String())
		way, err := json.Marshal(t.Workflow)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(way))
		for _, m := range t.Memory {
			lines = append(lines, m.ID+" "+m.Content)
		}
		for i := range t.Turns {
			lines = append(lines, "said "+t.Turns[i].Assistant)
			for _, m := range t.Turns[i].Messages {
				lines = append(lines, string(m.Role)+" in "+m.State)
			}
			if c := t.Turns[i].Composition; c != nil {
				for _, step := range c.Steps {
					lines = append(lines, fmt.Sprint(step.ID, step.Skipped, step.Attempts, step.Target, step.Status, step.Input, step.Output))
				}
			}
			for _, c := range t.Turns[i].ToolCalls {
				lines = append(lines, fmt.Sprint("called ", c.Name, c.Args, c.Error))
			}
		}
		t.Checks(func(turn, i int, v *result.Verdict) {
			lines = append(lines, fmt.Sprint(turn, i, v.Type, v.Status, *v.Score, v.Explanation))
		})
		for i := range t.Evals {
			e := &t.Evals[i]
			lines = append(lines, fmt.Sprint(e.ID, e.Turn, e.Score == nil, e.Explanation, e.SkipReason))
		}
	}
	return lines
}

// TestDeskOverTheWire: behind a model server, with and without streams, the project gives the same verdicts as with the
// mock. So does a replay of its recording, without the server.
func TestDeskOverTheWire(t *testing.T) {
	t.Parallel()
	d := &desk{t: t, dir: t.TempDir()}
	if err := os.CopyFS(d.dir, os.DirFS(filepath.Join("..", "..", "scenarios"))); err != nil {
		t.Fatal(err)
	}
	mocked := d.run("mocked")
	d.learn(mocked)
	want := told(mocked)
	server := httptest.NewServer(d)
	defer server.Close()
	provider := fmt.Sprintf("id: mock\ntype: openai\nmodel: m\nbase_url: %s/v1\n", server.URL)
	if err := os.WriteFile(filepath.Join(d.dir, "desk", "providers", "mock.yaml"), []byte(provider), 0o600); err != nil {
		t.Fatal(err)
	}
	same := func(how string, trials []*result.Trial) {
		t.Helper()
		if diff := cmp.Diff(want, told(trials)); diff != "" {
			t.Errorf("%s (-mocked +%s):\n%s", how, how, diff)
		}
	}
	same("whole", d.run("whole"))
	tapes := filepath.Join(t.TempDir(), "tapes")
	same("recorded", d.run("recorded", "--record", tapes))
	same("replayed", d.run("replayed", "--replay", tapes, "--offline"))
	d.stream()
	streamed := d.run("streamed")
	same("streamed", streamed)
	if !streamed[0].Turns[0].Streamed {
		t.Error("nothing was streamed")
	}
	streams := filepath.Join(t.TempDir(), "streams")
	same("recorded streams", d.run("recorded-streams", "--record", streams))
	server.Close()
	same("replayed streams", d.run("replayed-streams", "--replay", streams, "--offline"))
}

// stream makes all scenarios stream their replies.
func (d *desk) stream() {
	d.t.Helper()
	scenarios, err := filepath.Glob(filepath.Join(d.dir, "desk", "*.yaml"))
	if err != nil || len(scenarios) != 5 { // the config and the mock replies have no turns
		d.t.Fatal(scenarios, err)
	}
	for _, file := range scenarios {
		text, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		streamed := strings.Replace(string(text), "\nturns:", "\nstreaming: true\nturns:", 1)
		if err := os.WriteFile(file, []byte(streamed), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
}

// TestWallTimeEndsAWorkflow: a model that repeats transitions is told that the time limit is reached, by the clock of
// the trial.
func TestWallTimeEndsAWorkflow(t *testing.T) {
	t.Parallel()
	var s stub
	s.start("tool workflow__transition {\"event\": \"More\", \"context\": \"x\"}")
	defer s.close()
	dir := t.TempDir()
	config := `
kind: Arena
metadata: {name: shop}
spec:
  prompt_configs: [{id: help, file: help.yaml}]
  provider_specs: {wire: {type: openai, model: m, base_url: "STUB/v1"}}
  workflow:
    version: 1
    entry: intake
    engine: {budget: {max_wall_time_sec: 60}}
    states:
      intake: {prompt_task: help, on_event: {More: desk}}
      desk: {prompt_task: help, on_event: {More: intake}}
  scenario_specs:
    loop: {turns: [{role: user, content: Go on, assertions: [{type: state_is, params: {state: desk}}]}]}
`
	for name, text := range map[string]string{
		"config.arena.yaml": strings.ReplaceAll(config, "STUB", s.address()),
		"help.yaml":         "task_type: help\nsystem_template: Help.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	var asked atomic.Int64
	code := cli.Main(&cli.App{
		Args: []string{"run", dir, "-o", filepath.Join(dir, "out"), "--timeout", "1h"},
		Out:  &log, Err: &log, Env: map[string]string{}, Width: func() int { return 100 },
		Now:        func() time.Time { return time.Unix(5*asked.Add(1), 0) }, // each call takes five seconds
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		Exit:       func(code int) { t.Errorf("ended with %d", code) },
	})
	raw, err := os.ReadFile(filepath.Join(dir, "out", "results.json"))
	if err != nil {
		t.Fatal(err, log.String())
	}
	var results struct{ Runs []result.Trial }
	if err := json.Unmarshal(raw, &results); err != nil {
		t.Fatal(err)
	}
	w := results.Runs[0].Workflow
	if code != 3 || len(w.Transitions) == 0 || len(w.Refused) == 0 {
		t.Fatalf("exit status %d, %+v\n%s", code, w, log.String())
	}
	if why := w.Refused[0].Reason; !strings.HasSuffix(why, "of 1m0s (max_wall_time_sec)") {
		t.Errorf("refused: %s", why)
	}
}
