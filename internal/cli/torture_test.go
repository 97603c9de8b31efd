package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tortureKills is the environment variable with how many runs TestTorture kills; `make torture` sets it.
const tortureKills = "ARENA_TORTURE"

const tortureJobs = 8

// TestTorture kills runs after a random number of requests, resumes them, kills some again while they resume, and holds
// the end against a run that nobody disturbed: every trial is there, with the same results, and no more requests were
// spent twice than were in flight.
func TestTorture(t *testing.T) {
	t.Parallel()
	kills, trials := 3, 60
	if n, err := strconv.Atoi(os.Getenv(tortureKills)); err == nil {
		kills, trials = n, 2000
	}
	model := &countingModel{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir := tortureProject(t, server.URL, trials)
	if err := torturedRun(t, dir, "whole").Run(); err != nil {
		t.Fatal(err)
	}
	want := outcomes(t, filepath.Join(dir, "whole"))
	if len(want) != trials {
		t.Fatalf("%d trials, want %d", len(want), trials)
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		out := fmt.Sprintf("out%d", kill)
		model.begin(1 + random.IntN(trials-1))
		killed := 1
		killAt(t, model, torturedRun(t, dir, out))
		for range random.IntN(3) {
			model.again(1 + random.IntN(trials/4))
			if !killAt(t, model, torturedRun(t, dir, out, "--resume")) {
				break
			}
			killed++
		}
		model.again(0)
		resumed := torturedRun(t, dir, out, "--resume")
		if text, err := resumed.CombinedOutput(); err != nil {
			t.Fatalf("kill %d: %v\n%s", kill, err, text)
		}
		if diff := cmp.Diff(want, outcomes(t, filepath.Join(dir, out))); diff != "" {
			t.Fatalf("kill %d: the results differ (-undisturbed +resumed):\n%s", kill, diff)
		}
		if twice := model.spent() - trials; twice < 0 || twice > killed*tortureJobs {
			t.Errorf("kill %d: %d requests were spent twice, after %d kills of %d jobs", kill, twice, killed, tortureJobs)
		}
		if err := os.RemoveAll(filepath.Join(dir, out)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTortureRecorded does the same to long conversations that are recorded: of a trial that was interrupted, only what
// was in flight is asked again.
func TestTortureRecorded(t *testing.T) {
	t.Parallel()
	kills, trials := 3, 12
	if n, err := strconv.Atoi(os.Getenv(tortureKills)); err == nil {
		kills, trials = n, 200
	}
	const turns = 10
	model := &countingModel{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir := tortureProject(t, server.URL, trials)
	turn := "  - {role: user, content: Hi, assertions: [{type: contains, params: {patterns: [hello]}}]}\n"
	text := "id: s\ndescription: Long\ntrials: " + strconv.Itoa(trials) + "\nturns:\n" + strings.Repeat(turn, turns)
	err := errors.Join(os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(text), 0o644),
		os.WriteFile(filepath.Join(dir, "group.yaml"), []byte("id: group\nskip: not here\ndescription: None\n"+
			"turns: [{role: user, content: Hi, assertions: [{type: contains, params: {patterns: [hello]}}]}]\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		out, tapes := fmt.Sprintf("out%d", kill), fmt.Sprintf("tapes%d", kill)
		model.begin(1 + random.IntN(trials*turns-1))
		killed := 1
		killAt(t, model, torturedRun(t, dir, out, "--record", tapes))
		for range random.IntN(3) {
			model.again(1 + random.IntN(trials*turns/4))
			if !killAt(t, model, torturedRun(t, dir, out, "--resume")) {
				break
			}
			killed++
		}
		model.again(0)
		resumed := torturedRun(t, dir, out, "--resume")
		if text, err := resumed.CombinedOutput(); err != nil {
			t.Fatalf("kill %d: %v\n%s", kill, err, text)
		}
		if twice := model.spent() - trials*turns; twice < 0 || twice > killed*tortureJobs {
			t.Errorf("kill %d: %d requests were spent twice, after %d kills of %d jobs", kill, twice, killed, tortureJobs)
		}
		left, err := filepath.Glob(filepath.Join(dir, tapes, "*.part"))
		if err != nil || len(left) > 0 {
			t.Errorf("kill %d: left behind: %v, %v", kill, left, err)
		}
		replay := torturedRun(t, dir, out+"again", "--replay", tapes)
		if text, err := replay.CombinedOutput(); err != nil {
			t.Errorf("kill %d: the replay: %v\n%s", kill, err, text)
		}
	}
}

// countingModel answers every request, and tells when it has seen so many.
type countingModel struct {
	reply func(body []byte) string // nil: it says the same to all

	mu      sync.Mutex
	seen    int
	at      int           // the request that is told; 0: none
	reached chan struct{} // closed then
}

func (m *countingModel) begin(at int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen, m.at, m.reached = 0, at, make(chan struct{})
}

// again counts on.
func (m *countingModel) again(after int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.reached = 0, make(chan struct{})
	if after > 0 {
		m.at = m.seen + after
	}
}

func (m *countingModel) spent() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen
}

func (m *countingModel) due() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reached
}

func (m *countingModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked was killed
	}
	says := "Hello."
	if m.reply != nil {
		says = m.reply(body)
	}
	m.mu.Lock()
	if m.seen++; m.seen == m.at {
		close(m.reached)
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"`+says+`"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`) // the same
}

func tortureProject(t *testing.T, url string, trials int) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.arena.yaml": "kind: Arena\nspec:\n  scenarios: [{file: s.yaml}, {file: group.yaml}]\n" +
			"  providers: [{file: model.yaml}]\n  defaults: {}\n",
		"model.yaml": "kind: Provider\nmetadata: {name: model}\n" +
			"spec: {id: model, type: openai-compatible, model: m, base_url: " + url + "/v1}\n",
		"s.yaml": "id: s\ndescription: One of many\ntrials: " + strconv.Itoa(trials-5) + "\n" +
			"turns: [{role: user, content: Hi, assertions: [{type: contains, params: {patterns: [hello]}}]}]\n",
		"group.yaml": "id: group\ndescription: A small group\ntrials: 5\n" +
			"turns: [{role: user, content: Hi, assertions: [{type: contains, params: {patterns: [hello]}}]}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// torturedRun is arena in a process of its own.
func torturedRun(t *testing.T, dir, out string, more ...string) *exec.Cmd {
	t.Helper()
	args := append([]string{"run", "-q", "--format", "json", "-j", strconv.Itoa(tortureJobs), "-o", out}, more...)
	cmd := exec.CommandContext(t.Context(), "arena", args...) // TestMain has put it into PATH
	cmd.Dir = dir
	return cmd
}

// killAt starts a run and kills it when the model has seen so many requests. It reports whether the run was still
// there.
func killAt(t *testing.T, model *countingModel, cmd *exec.Cmd) bool {
	t.Helper()
	due := model.due()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == 1) { // a red run
			t.Fatalf("the run ended by itself: %v", err)
		}
		return false
	case <-due:
		_ = cmd.Process.Kill() // it may just have ended
		<-ended
		return true
	}
}

// outcomes are the trials of results.json by id, but for times and for when they were run.
func outcomes(t *testing.T, dir string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results struct{ Runs []map[string]any }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&results); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, trial := range results.Runs {
		delete(trial, "before")
		out[trial["id"].(string)] = timeless(trial)
	}
	return out
}

func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "duration_ms")
		delete(v, "latency_ms")
		for key, value := range v {
			v[key] = timeless(value)
		}
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	}
	return v
}

// finished are the trials that stand in a journal, but for those that were interrupted. Each line is whole.
func finished(t *testing.T, out string) (ids []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, "journal.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var entry struct{ Trial struct{ ID, Status string } }
		if err := json.Unmarshal(line, &entry); err != nil {
			if bytes.HasSuffix(line, []byte("\n")) {
				t.Errorf("the journal has a line that is not whole: %v: %.200s", err, line)
			}
			continue
		}
		if entry.Trial.ID != "" && entry.Trial.Status != "cancelled" {
			ids = append(ids, entry.Trial.ID)
		}
	}
	return ids
}

// notTwice reports trials that had finished and were run again.
func notTwice(t *testing.T, how fmt.Stringer, done, again []string) {
	t.Helper()
	for _, id := range again {
		if slices.Contains(done, id) {
			t.Errorf("%s: %s had finished, and was run again", how, id)
		}
	}
}
