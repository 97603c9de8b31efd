package cli_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// faults are the ways in which a call of a model fails. Each of them speaks the word that the checks look for.
var faults = []func(w http.ResponseWriter, kind string, whole []byte){
	func(w http.ResponseWriter, _ string, _ []byte) {
		http.Error(w, "granted", http.StatusInternalServerError)
	},
	func(w http.ResponseWriter, _ string, _ []byte) {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "granted", http.StatusTooManyRequests)
	},
	func(w http.ResponseWriter, kind string, whole []byte) { // cut in the middle
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		_, _ = w.Write(whole[:len(whole)*2/3])
	},
	func(w http.ResponseWriter, kind string, whole []byte) { // cut, and ended well all the same
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(whole[:len(whole)*2/3])
	},
	func(http.ResponseWriter, string, []byte) { panic(http.ErrAbortHandler) },
	func(w http.ResponseWriter, kind string, _ []byte) { w.Header().Set("Content-Type", kind) },
	func(w http.ResponseWriter, _ string, _ []byte) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>granted</html>")
	},
	func(w http.ResponseWriter, kind string, _ []byte) {
		w.Header().Set("Content-Type", kind)
		answer := `{"error": {"message": "granted, but overloaded", "code": 503}}`
		if kind == "text/event-stream" {
			answer = "data: " + answer + "\n\n"
		}
		_, _ = io.WriteString(w, answer)
	},
}

// unsteady is a model that grants what it is asked for, but to every seventh conversation in its second turn. Of five
// requests one fails, in each of the ways; which one does not depend on the order in which they come.
type unsteady struct {
	mu     sync.Mutex
	tries  map[string]int
	failed int
}

func (m *unsteady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Stream   bool                       `json:"stream"`
		Messages []struct{ Content string } `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	question := asked.Messages[len(asked.Messages)-1].Content
	key := fmt.Sprint(question, asked.Stream)
	m.mu.Lock()
	m.tries[key]++
	dice := fnv.New32a()
	_, _ = fmt.Fprint(dice, key, "/", m.tries[key])
	drawn := int(dice.Sum32() >> 8)
	fails := drawn%5 == 0
	if fails {
		m.failed++
	}
	m.mu.Unlock()

	var order, turn int
	_, _ = fmt.Sscanf(question, "order %d turn %d", &order, &turn) // what is asked is ours
	kind, whole := "application/json", reply(question, granted(order, turn))
	if asked.Stream {
		kind, whole = "text/event-stream", pieces(question, granted(order, turn))
	}
	if fails {
		faults[drawn/5%len(faults)](w, kind, whole)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(whole) // whoever asked may have left
}

func granted(order, turn int) string {
	if order%7 == 0 && turn == 2 {
		return "denied"
	}
	return "granted"
}

func reply(words ...string) []byte {
	text, _ := json.Marshal(strings.Join(words, ": ")) // a text
	return fmt.Appendf(nil, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, text)
}

func pieces(words ...string) []byte {
	var b []byte
	for _, word := range words {
		text, _ := json.Marshal(word + ": ") // a text
		b = fmt.Appendf(b, `data: {"choices":[{"delta":{"content":%s}}]}`+"\n\n", text)
	}
	return fmt.Append(b, `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// TestSoakOfModels: the calls of a model fail in many ways, whole and streamed, and every verdict is the one that
// its reply deserves. ARENA_SOAK says how many conversations there are.
func TestSoakOfModels(t *testing.T) {
	t.Parallel()
	talks := 30
	if n, err := strconv.Atoi(os.Getenv("ARENA_SOAK")); err == nil {
		talks = n
	}
	model := &unsteady{tries: map[string]int{}}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	var project strings.Builder
	project.WriteString(`kind: Arena
metadata: {name: faults}
spec:
  scenarios: [{file: "talks/*.yaml"}]
  provider_specs:
    model:
      type: openai-compatible
      model: m
      base_url: ` + server.URL + `
      stream_retry: {enabled: true, max_attempts: 12, initial_delay: 1ms, max_delay: 1ms}
`)
	want := map[string]string{}
	if err := os.Mkdir(filepath.Join(dir, "talks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, streaming := range []bool{false, true} {
		for n := range talks {
			id := fmt.Sprintf("talk-%d-%t", n, streaming)
			if want[id] = "passed"; n%7 == 0 {
				want[id] = "failed"
			}
			fmt.Fprintf(&project, "-- talks/%s.yaml --\nid: %s\nstreaming: %t\nturns:\n", id, id, streaming)
			for turn := 1; turn <= 3; turn++ {
				fmt.Fprintf(&project, "  - role: user\n    content: order %d turn %d\n    assertions:\n"+
					"      - {type: contains, params: {patterns: [granted]}}\n", n, turn)
			}
		}
	}
	writeProject(t, dir, project.String())
	run := torturedRun(t, dir, "out")
	if text, err := run.CombinedOutput(); run.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	trials := outcomes(t, filepath.Join(dir, "out"))
	if len(trials) != len(want) || model.failed < talks {
		t.Errorf("%d of %d trials, of whose calls %d failed", len(trials), len(want), model.failed)
	}
	for id, trial := range trials {
		scenario, _, _ := strings.Cut(id, "/")
		if got := trial.(map[string]any); got["status"] != want[scenario] {
			t.Errorf("%s: %v, want %s: %v", id, got["status"], want[scenario], got["error"])
		}
	}
}
