package cli_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sinks are all places to which a run writes, with the number of files or requests after a run of two trials.
var sinks = []string{
	"out/journal.jsonl", "out/report.html", "out/junit.xml", "out/results.md", "out/results.json", "m.prom", "events.jsonl",
	"tapes", "kept", "out/recordings", "pushed", "traced",
}

// brokenSinks break one sink during the first reply.
var brokenSinks = []struct {
	name   string
	broken string                 // the sink that ends incomplete; "": none
	breaks func(dir string) error // nil: the flags alone do
	down   string                 // the service that fails from then on
	more   string                 // flags
	told   string                 // what arena says
	passes bool                   // the run passes, as the documentation says
	ends   bool                   // the run ends early, to pay for nothing that cannot be kept
	less   func(sink string) bool // other sinks that are incomplete for that reason; nil: none

	unwritten func(sink string) bool // reports that are not written; nil: none
}{
	{name: "nothing", passes: true},
	{name: "a folder for the HTML report", broken: "out/report.html", breaks: inTheWay("out/report.html"), told: "write out/report.html"},
	{name: "a folder for JUnit", broken: "out/junit.xml", breaks: inTheWay("out/junit.xml"), told: "write out/junit.xml"},
	{name: "a folder for Markdown", broken: "out/results.md", breaks: inTheWay("out/results.md"), told: "write out/results.md"},
	{name: "a folder for the results", broken: "out/results.json", breaks: inTheWay("out/results.json"), told: "write out/results.json"},
	{name: "a folder for the metrics", broken: "m.prom", breaks: inTheWay("m.prom"), told: "write m.prom"},
	{name: "a full disk for the HTML report", broken: "out/report.html", more: "--html-file /dev/full", told: "write /dev/full"},
	{name: "a full disk for JUnit", broken: "out/junit.xml", more: "--junit-file /dev/full", told: "write /dev/full"},
	{name: "a full disk for Markdown", broken: "out/results.md", more: "--markdown-file /dev/full", told: "write /dev/full"},
	{name: "a gateway that fails", broken: "pushed", down: "pushed", told: "push metrics"},
	{name: "a collector that fails", broken: "traced", down: "traced", told: "were not delivered", passes: true},
	{name: "a file for the cassettes", broken: "tapes", breaks: replaced("tapes"), told: "could not be written", ends: true},
	{name: "a file for the conversations", broken: "out/recordings", breaks: replaced("out/recordings"), told: "cannot record the conversation", ends: true},
	{name: "a file for the cache", broken: "kept", breaks: replaced("kept"), told: "could not be kept in the cache", passes: true},
	{name: "no folder for the cassettes", breaks: removed("tapes"), passes: true},
	{name: "no folder for the conversations", breaks: removed("out/recordings"), passes: true},
	{name: "no folder for the cache", broken: "kept", breaks: removed("kept"), passes: true},
	{name: "no folder for the results", breaks: removed("out"), told: "out/journal.jsonl was removed while the run went on, and was written again"},
	{name: "no events", breaks: removed("events.jsonl"), told: "events.jsonl was removed while the run went on, and was written again"},
	{
		name: "other events", broken: "events.jsonl", told: "events.jsonl is another file now than the run wrote its events to",
		breaks: func(dir string) error {
			path := filepath.Join(dir, "events.jsonl")
			if err := os.Rename(path, path+".1"); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("another\n"), 0o600)
		},
	},
	{
		name: "somebody else in the journal", told: "somebody else wrote into out/journal.jsonl while the run went on",
		breaks: func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, "out", "journal.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("{}\n")
			return errors.Join(err, f.Close())
		},
		unwritten: func(sink string) bool {
			return slices.Contains([]string{"out/report.html", "out/results.json", "out/results.md", "out/junit.xml"}, sink)
		},
	},
	{name: "no journal", breaks: removed("out/journal.jsonl"), told: "out/journal.jsonl was removed"},
	{
		name: "another arena in the folder", broken: "out/journal.jsonl",
		breaks: func(dir string) error {
			if err := removed("out")(dir); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(dir, "out"), 0o755); err != nil { // the run may have created it again
				return err
			}
			return os.WriteFile(filepath.Join(dir, "out", "journal.jsonl"), []byte("another\n"), 0o600)
		},
		told: "it is in out/journal.rescued.jsonl now",
		less: func(sink string) bool { return strings.HasPrefix(sink, "out/") && sink != "out/recordings" },
	},
}

func inTheWay(path string) func(string) error {
	return func(dir string) error { return os.MkdirAll(filepath.Join(dir, path, "in", "the", "way"), 0o755) }
}

// removed deletes a file or folder into which the run may be writing.
func removed(path string) func(string) error {
	return func(dir string) (err error) {
		for range 1000 {
			if err = os.RemoveAll(filepath.Join(dir, path)); err == nil {
				return nil
			}
		}
		return err
	}
}

// replaced puts a file in the place of a folder that the run may create again at any time.
func replaced(path string) func(string) error {
	return func(dir string) (err error) {
		for range 1000 {
			if err = removed(path)(dir); err != nil {
				continue
			}
			if err = os.WriteFile(filepath.Join(dir, path), nil, 0o600); err == nil {
				return nil
			}
		}
		return err
	}
}

// TestOneBrokenSink breaks the sinks of a run one at a time. The run reports the fault and does not succeed, and all
// other sinks are complete.
func TestOneBrokenSink(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full")
	}
	for _, tc := range brokenSinks {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			var mu sync.Mutex
			sent, asked := map[string]int{}, 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				service := map[bool]string{strings.HasPrefix(r.URL.Path, "/push"): "pushed", strings.HasSuffix(r.URL.Path, "/traces"): "traced"}[true]
				if service == "" {
					if asked++; asked == 1 && tc.breaks != nil {
						if err := tc.breaks(dir); err != nil {
							t.Error(err)
						}
					}
					_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`))
					return
				}
				if service == tc.down && asked > 0 {
					http.Error(w, "down", http.StatusBadRequest)
					return
				}
				if asked > 0 {
					sent[service]++
				}
			}))
			t.Cleanup(server.Close)
			files := map[string]string{"config.arena.yaml": `kind: Arena
spec:
  scenarios: [{file: a.yaml}, {file: b.yaml}]
  prompt_specs: {x: {task_type: x, system_template: Help.}}
  provider_specs: {m: {type: openai-compatible, model: m, base_url: "` + server.URL + `/v1"}}
  defaults: {output: {recording: {enabled: true}}}
`}
			for _, id := range []string{"a", "b"} {
				files[id+".yaml"] = "id: " + id + "\ntask_type: x\ndescription: d\nturns: [{role: user, content: hi " + id +
					", assertions: [{type: contains, params: {patterns: [hello]}}]}]\n"
			}
			for name, text := range files {
				writeText(t, name, text)
			}
			args := "run -j 1 --retries 0 --record tapes --cache kept --events events.jsonl --metrics-file m.prom " +
				"--metrics-push " + server.URL + "/push --otlp-endpoint " + server.URL + " " + tc.more
			status, out := arenaWith(t, nil, strings.Fields(args))
			if want := map[bool]int{true: 0, false: 3}[tc.passes]; status != want || !strings.Contains(out, tc.told) {
				t.Errorf("exit status %d, want %d and %q:\n%s", status, want, tc.told, out)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, sink := range sinks {
				if sink == tc.broken || tc.less != nil && tc.less(sink) || tc.unwritten != nil && tc.unwritten(sink) {
					continue
				}
				if n := holdsIn(t, sink, sent); n == 0 || !tc.ends && n < atLeast[sink] {
					t.Errorf("%s has only %d:\n%s", sink, n, out)
				}
			}
			if tc.less != nil {
				if n := strings.Count(readText(t, "out/journal.rescued.jsonl"), `"trial":{`); n != 2 {
					t.Errorf("the journal was rescued with %d trials", n)
				}
			}
		})
	}
}

// atLeast is the least that a sink holds after a run of two trials.
var atLeast = map[string]int{"out/journal.jsonl": 4, "events.jsonl": 10, "tapes": 2, "kept": 2, "out/recordings": 2}

// holdsIn counts what a sink holds: files of a folder, lines of a log, requests to a service.
func holdsIn(t *testing.T, sink string, sent map[string]int) (n int) {
	t.Helper()
	if slices.Contains([]string{"pushed", "traced"}, sink) {
		return sent[sink]
	}
	if strings.HasSuffix(sink, ".jsonl") {
		return strings.Count(readText(t, sink), "\n")
	}
	_ = filepath.WalkDir(sink, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") && !strings.HasSuffix(path, ".part") {
			n++
		}
		return nil
	})
	return n
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
