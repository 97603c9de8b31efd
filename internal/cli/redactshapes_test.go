package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

// cardShapes are ways in which the value VALUE may stand in a field card: as JSON, and as what was to be JSON.
var cardShapes = []string{
	`{"card":"VALUE"}`, `{"card":VALUE}`, `{"card":["VALUE"]}`, `{"card":{"VALUE":true}}`, `{"card":{"a":1,"VALUE":{"b":2}}}`,
	`{"card":"VALUE","card":"bbbbbbbb"}`, `{"card":"bbbbbbbb","Card":"VALUE"}`, `{"x":{"card":"VALUE"},"x":1}`,
	`{"card":"VALUE"`, `{"card":"VALUE`, `{"card":VALUE`, `{"card":{"number":"VALUE","b`, `{"id":1,"card":["a","VALUE`,
	`{"card":"VALUE"} trailing`, `{"card":"VALUE"}{"card":"bbbbbbbb"}`, `Take {"card":"VALUE"} please`,
	`{"x":"{\"card\":\"VALUE\"}"}`, `{"x":"{\"card\":\"VALUE`, `{"x":"{\u0022card\u0022:\u0022VALUE`, `{"x":"is {\"card\":\"VALUE\"} it"}`,
	`{'card': 'VALUE'}`, `{card: VALUE}`, `{"card": VALUE,}`, `{"card" "VALUE"}`, `{"card":"4"VALUE"}`, `["card",{"card":"VALUE"}`,
	`{"card":"one\nVALUE\nthree"}`, `{"card":"{\"number\":\"VALUE\"}"}`, `{"CARD":"VALUE"}`, `{"\u0063ard":"VALUE"}`,
}

// TestNoOutputShowsRedactedFields has a model call a tool with each of the shapes, or a tool answer with it, and the
// model repeat the value in words: it stands in no file and not on the screen, in the run and in all that is made of
// it.
func TestNoOutputShowsRedactedFields(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var traces bytes.Buffer
	value := func(n int) string { return fmt.Sprintf("5222%04d", n) }
	shape := func(n int) string { return strings.ReplaceAll(cardShapes[n], "VALUE", value(n)) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var n int
		if strings.HasSuffix(r.URL.Path, "/traces") {
			mu.Lock()
			traces.Write(body)
			mu.Unlock()
			return
		}
		if at := strings.Index(r.URL.RawQuery, "n="); strings.HasPrefix(r.URL.Path, "/tool") && at >= 0 {
			_, _ = fmt.Sscanf(r.URL.RawQuery[at:], "n=%d", &n)
			_, _ = io.WriteString(w, shape(n))
			return
		}
		var how string
		if at := bytes.Index(body, []byte("shape ")); at >= 0 {
			_, _ = fmt.Sscanf(string(body[at:]), "shape %d %s", &n, &how)
		}
		said := value(n)
		if strings.HasPrefix(how, "result") && !bytes.Contains(body, []byte(said)) { // it was refused, and a model repeats what it was told
			said = "nowhere"
		}
		message := map[string]any{"content": "It is " + said + ", " + strings.Repeat("y", 60) + " " + said + "."}
		switch asked := !bytes.Contains(body, []byte(`"tool_call_id"`)); {
		case asked && strings.HasPrefix(how, "argument"):
			message = map[string]any{"content": "", "tool_calls": []any{tool("find", shape(n))}}
		case asked:
			message = map[string]any{"content": "", "tool_calls": []any{tool("find", fmt.Sprintf(`{"n":"%d"}`, n))}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 50},
		})
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	var list []string
	for n := range cardShapes {
		for _, how := range []string{"argument", "result"} {
			name := fmt.Sprintf("s%d-%s.yaml", n, how)
			list = append(list, "{file: "+name+"}")
			writeText(t, filepath.Join(dir, name), fmt.Sprintf("id: s%d-%s\ndescription: Says what it knows\ntask_type: clerk\n"+
				"turns:\n  - role: user\n    content: shape %d %s\n    assertions:\n%s", n, how, n, how,
				strings.ReplaceAll(cuttingChecks, "      - {type: llm_judge, params: {criteria: \"Is it good?\", judge: strict}}\n", "")))
		}
	}
	writeText(t, filepath.Join(dir, "config.arena.yaml"), `kind: Arena
metadata: {name: shop}
spec:
  scenarios: [`+strings.Join(list, ", ")+`]
  tools: [{file: find.yaml}, {file: other.yaml}]
  prompt_specs: {clerk: {task_type: clerk, system_template: Help., allowed_tools: [find, other]}}
  provider_specs:
    agent: {type: openai-compatible, model: m, base_url: "`+server.URL+`/v1", pricing: {input_cost_per_1k: 1, output_cost_per_1k: 1}}
  defaults: {output: {recording: {enabled: true}}}
`)
	writeText(t, filepath.Join(dir, "find.yaml"), `kind: Tool
metadata: {name: find}
spec:
  description: Finds
  input_schema: {type: object, properties: {n: {type: string}, order: {type: string}}}
  mode: live
  http: {url: "`+server.URL+`/tool", method: GET}
`)
	writeText(t, filepath.Join(dir, "other.yaml"), "kind: Tool\nmetadata: {name: other}\nspec: {description: Is there, mode: mock, mock_result: {ok: true}}\n")
	results := filepath.Join(dir, "out")
	printed := map[string]string{}
	arena := func(code int, args ...string) {
		var out, complaints bytes.Buffer
		got := cli.Main(&cli.App{
			Args: args, Out: &out, Err: &complaints, Env: map[string]string{"PATH": os.Getenv("PATH")}, Now: time.Now,
			Width: func() int { return 100 }, Exit: func(int) {},
			Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		if got != code {
			t.Fatalf("%q: exit status %d, want %d\n%.3000s%.3000s", args, got, code, out.String(), complaints.String())
		}
		printed["output of "+args[0]], printed["errors of "+args[0]] = out.String(), complaints.String()
	}
	config := filepath.Join(dir, "config.arena.yaml")
	arena(1, "run", "-c", config, "-o", results, "-vv", "--retries", "0", "--redact", "card", "--record", filepath.Join(results, "tapes"),
		"--events", filepath.Join(results, "events.jsonl"),
		"--metrics-file", filepath.Join(results, "metrics.txt"), "--otlp-endpoint", server.URL, "--otlp-content",
		"--junit-file", filepath.Join(results, "junit.xml"), "--markdown-file", filepath.Join(results, "results.md"))
	arena(1, "rejudge", results, "-c", config, "-o", filepath.Join(dir, "judged"))
	arena(0, "report", results, "-o", filepath.Join(dir, "reported"))
	arena(0, "mocks", "generate", "-i", results, "-o", filepath.Join(dir, "mocks.yaml"))
	arena(0, "compare", results, filepath.Join(dir, "judged"), "--format", "html")
	printed["traces"] = traces.String()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		printed[strings.TrimPrefix(path, dir+"/")] = string(data) + unpackedIn(t, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"journal.jsonl", "results.json", "report.html", "junit.xml", "results.md", "events.jsonl"} {
		if !strings.Contains(printed["out/"+name], "redacted") {
			t.Errorf("%s shows nothing in the place of a field", name)
		}
	}
	if !strings.Contains(printed["traces"], "redacted") || files < 3*len(list) {
		t.Errorf("there are %d files, and %d bytes of traces", files, traces.Len())
	}
	for name, text := range printed {
		for n := range cardShapes {
			if at := strings.Index(text, value(n)); at >= 0 {
				t.Errorf("%s shows %s of %s: %q", name, value(n), cardShapes[n], text[max(0, at-100):min(len(text), at+40)])
			}
		}
	}
}

var packedBlock = regexp.MustCompile(`<script type="[^"]*"[^>]*>([A-Za-z0-9+/=\s]{100,})</script>`)

// unpackedIn is what is packed in a report.
func unpackedIn(t *testing.T, page []byte) (text string) {
	t.Helper()
	for _, m := range packedBlock.FindAllSubmatch(page, -1) {
		gz, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[1])))
		if err != nil {
			continue // no such block
		}
		data, err := io.ReadAll(gz)
		if err != nil {
			t.Error(err)
		}
		text += string(data)
	}
	return text
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
