package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// TestNoOutputShowsPartsOfSecrets has a model, its tool calls and a judge say a secret at places at which checks cut
// and quote what they explain: no output shows as much as a part of it.
func TestNoOutputShowsPartsOfSecrets(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"sk-live-0123456789abcdefghij", `pa"ss\word-long-1`, `<tag>&"gequotelt"\\twice\\`, "ключ-от-всего-дома", "mu\tsecrotz inn\none-more", "3f2a9c7d-11e2-secrotz",
	} {
		t.Run(secret[:2], func(t *testing.T) {
			t.Parallel()
			written := runThatCuts(t, secret)
			for _, name := range []string{"journal.jsonl", "results.json", "report.html", "junit.xml", "results.md", "events.jsonl", "traces"} {
				if !strings.Contains(written[name], "redacted") && name != "report.html" { // which is packed
					t.Errorf("%s shows nothing in the place of the secret", name)
				}
			}
			parts := regexp.MustCompile(`[\pL\pN]+(-[\pL\pN]+)*`).FindAllString(secret, -1)
			for name, text := range written {
				for _, part := range parts {
					if r := []rune(part); len(r) >= 6 {
						part = string(r[:6])
					} else if len(r) < 4 {
						continue
					}
					if at := strings.Index(text, part); at >= 0 {
						t.Errorf("%s shows %s: %q", name, part, text[max(0, at-60):min(len(text), at+60)])
					}
				}
			}
		})
	}
}

// runThatCuts is all that is written by a run that knows a secret, by the names of the files.
func runThatCuts(t *testing.T, secret string) map[string]string {
	t.Helper()
	var mu sync.Mutex
	var traces bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/traces") {
			mu.Lock()
			traces.Write(body)
			mu.Unlock()
			return
		}
		var pad int
		if at := bytes.Index(body, []byte("pad ")); at >= 0 {
			_, _ = fmt.Sscanf(string(body[at:]), "pad %d", &pad)
		}
		text := strings.Repeat("x", pad) + " " + secret + ", keep it safe. " + strings.Repeat("y", 500)
		quoted, _ := json.Marshal(text)
		var message map[string]any
		switch {
		case strings.Contains(r.URL.Path, "judge"):
			message = map[string]any{"content": `{"score":` + string(quoted) + `}`}
		case strings.Contains(string(body), "use the tool") && !strings.Contains(string(body), `"tool_call_id"`):
			message = map[string]any{"content": "", "tool_calls": []any{
				tool("find", `{"order":`+string(quoted)+`}`), tool("find", `{"order":`+string(quoted)), tool("f"+text, `{}`),
			}}
		case strings.Contains(string(body), "as JSON"):
			message = map[string]any{"content": `{"a": {"b": ` + string(quoted) + `}}`}
		default:
			message = map[string]any{"content": text}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	files := map[string]string{
		"config.arena.yaml": `kind: Arena
metadata: {name: shop}
spec:
  scenarios: [SCENARIOS]
  tools: [{file: find.yaml}]
  provider_specs:
    agent: {type: openai-compatible, model: m, base_url: "` + server.URL + `/v1", credential: {credential_env: KEY}}
    grader: {type: openai-compatible, model: m, base_url: "` + server.URL + `/judge", credential: {credential_env: KEY}}
  providers: []
  judges: [{name: strict, provider: grader}]
  defaults: {output: {recording: {enabled: true}}}
`,
		"find.yaml": `kind: Tool
metadata: {name: find}
spec: {description: Finds, input_schema: {type: object, properties: {order: {type: string}}}, mode: mock, mock_result: {ok: true}}
`,
	}
	var list []string
	for pad := 0; pad < 70; pad += 6 {
		for _, how := range []string{"in words", "as JSON", "use the tool"} {
			name := fmt.Sprintf("s%d-%s.yaml", pad, how[:2])
			list = append(list, "{file: "+name+"}")
			files[name] = fmt.Sprintf("id: s%d-%s\ndescription: Says what it knows\nturns:\n  - role: user\n    content: %s pad %d\n    assertions:\n%s",
				pad, how[:2], how, pad, cuttingChecks)
		}
	}
	files["config.arena.yaml"] = strings.Replace(files["config.arena.yaml"], "SCENARIOS", strings.Join(list, ", "), 1)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	results := filepath.Join(dir, "out")
	var out, complaints bytes.Buffer
	cli.Main(&cli.App{
		Args: []string{
			"run", "-c", filepath.Join(dir, "config.arena.yaml"), "-o", results, "-v", "--retries", "0", "--lenient",
			"--events", filepath.Join(results, "events.jsonl"), "--otlp-endpoint", server.URL, "--otlp-content",
		},
		Out: &out, Err: &complaints, Env: map[string]string{"KEY": "key-of-the-server", "SHOP_SECRET": secret}, Now: time.Now,
		Width: func() int { return 100 }, Exit: func(int) {},
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	written := map[string]string{"stdout": out.String(), "stderr": complaints.String(), "traces": traces.String()}
	for _, name := range []string{"journal.jsonl", "results.json", "report.html", "junit.xml", "results.md", "events.jsonl"} {
		data, err := os.ReadFile(filepath.Join(results, name))
		if err != nil {
			t.Fatalf("%v\n%s%s", err, out.String(), complaints.String())
		}
		written[name] = string(data)
	}
	logs, _ := filepath.Glob(filepath.Join(results, "*", "*.jsonl"))
	for _, file := range logs {
		data, _ := os.ReadFile(file)
		written[file] = string(data)
	}
	if n := strings.Count(written["results.json"], `"explanation"`); n < 300 || len(logs) == 0 {
		t.Fatalf("only %d explanations, %d logs\n%s%s", n, len(logs), out.String(), complaints.String())
	}
	return written
}

const cuttingChecks = `      - {type: equals, params: {expected: zzz}}
      - {type: contains, params: {patterns: [zzz]}}
      - {type: starts_with, params: {value: zzz}}
      - {type: ends_with, params: {value: zzz}}
      - {type: regex, params: {pattern: zzz+}}
      - {type: content_excludes, params: {patterns: [xx, keep]}}
      - {type: is_xml}
      - {type: is_html}
      - {type: json_valid}
      - {type: is_sql}
      - {type: json_path, params: {expression: "$.a.b", expected: zzz}}
      - {type: json_path, params: {expression: "$.a", expected: zzz}}
      - {type: json_schema, params: {schema: {type: object, properties: {a: {type: object, properties: {b: {type: integer}}}}}}}
      - {type: levenshtein, params: {reference: zzz}}
      - {type: tools_called, params: {tools: [other]}}
      - {type: tool_calls_with_args, params: {tool_name: find, expected_args: {order: zzz}}}
      - {type: tool_call_sequence, params: {sequence: [other]}}
      - {type: valid_tool_call}
      - {type: llm_judge, params: {criteria: "Is it good?", judge: strict}}
`

func tool(name, args string) map[string]any {
	return map[string]any{"id": "c" + fmt.Sprint(len(args)), "type": "function", "function": map[string]any{"name": name, "arguments": args}}
}
