package cli_test

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

// planted are the secrets of the project of TestNoOutputShowsSecrets, by where they stand.
var planted = map[string]string{
	"a variable that credential_env names":  "key-value-1",
	"a header named after a key":            "hdr-2b7x",
	"a parameter of an address":             "query-3c",
	"a password in an address":              "pass-value-4",
	"a variable of the environment":         "env-value-5",
	"the environment of a program":          "inline-6",
	"what a program gets by a variable":     "handed-6b",
	"a file with a key":                     "file-value-7",
	"a key in a file":                       "literal-value-8",
	"a .env file":                           "dotenv-value-9",
	"a cookie":                              "cookie-1a",
	"a long header of any name":             "long-header-value-1b",
	"a key with signs that formats escape":  `te"st<12&/`,
	"a header of a check":                   "check-1c",
	"a header of a check, by a variable":    "check-1d-value",
	"a parameter of the address of a check": "check-1e",
	"a token of a check":                    "check-1f-token",
	"a header of a check with placeholders": "check-2a",
	"a token of an agent":                   "agent-3a",
	"a token of an agent, by a variable":    "agent-3b",
	"a header of an agent":                  "agent-3c-long-value",
	"a header of an agent, by a variable":   "agent-3d",
	"a password in the address of an agent": "agent-3e",
}

// TestNoOutputShowsSecrets plants secrets wherever a project may have them, and has the model repeat all of them in
// every reply: no file, and nothing on the screen, shows any, while the checks judge what was really said.
func TestNoOutputShowsSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var traces bytes.Buffer
	var said []string
	for _, value := range planted {
		said = append(said, value)
	}
	slices.Sort(said)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := strings.Join(said, " and ")
		if strings.HasSuffix(r.URL.Path, "/traces") {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			traces.Write(body)
			mu.Unlock()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "broken") {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text}})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/asked") {
			var answer any = map[string]any{"result": map[string]any{"parts": []any{map[string]any{"text": "heard " + text}}}}
			if r.Method == http.MethodGet {
				answer = map[string]any{"name": strings.ReplaceAll(r.URL.Path[1:], "/.well-known/agent-card.json", ""),
					"skills": []any{map[string]any{"id": "find", "description": text}}}
			}
			if strings.HasPrefix(r.URL.Path, "/asked-badly") && r.Method == http.MethodPost {
				answer = map[string]any{"result": map[string]any{"status": map[string]any{"state": "failed",
					"message": map[string]any{"parts": []any{map[string]any{"text": text}}}}}}
			}
			_ = json.NewEncoder(w).Encode(answer)
			return
		}
		if strings.Contains(r.URL.Path, "scored") {
			_ = json.NewEncoder(w).Encode(map[string]any{"score": 1, "reasoning": text})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
			"message": map[string]any{"content": "heard " + text}, "finish_reason": "stop",
		}}})
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	dir := t.TempDir()
	for name, text := range map[string]string{
		".env":    "DOTENV_TOKEN=dotenv-value-9\n",
		"key.txt": "file-value-7\n",
		"config.arena.yaml": `kind: Arena
metadata: {name: shop}
spec:
  scenarios: [{file: hello.yaml}]
  provider_specs:
    agent:
      type: openai-compatible
      model: m
      base_url: "http://me:pass-value-4@` + host + `/v1?sig=query-3c"
      headers: {X-Api-Key: hdr-2b7x, Cookie: cookie-1a, X-Team: long-header-value-1b, X-More: "${DOTENV_TOKEN}"}
      credential: {credential_env: KEY}
    filed: {type: openai-compatible, model: m, base_url: "http://` + host + `/broken", credential: {credential_file: key.txt}}
    spelled:
      type: openai-compatible
      model: m
      base_url: "http://` + host + `/broken"
      credential: {api_key: literal-value-8}
      headers: {X-Secret: 'te"st<12&/'}
  providers: []
  prompt_specs: {clerk: {task_type: clerk, system_template: You know it.}}
  a2a_agents:
    - {name: known, url: "http://` + host + `/asked", auth: {token: agent-3a}, headers: {X-Whatever: agent-3c-long-value}}
    - {name: bad, url: "http://me:agent-3e@` + host + `/asked-badly", auth: {token_env: AGENT}, headers_from_env: [X-Who=WHO]}
  defaults: {output: {recording: {enabled: true}}}
  runtime:
    evals:
      inspected: {command: sh, args: [./inspect.sh], env: [SHOP_KEY=inline-6, 'SEK_TOKEN=${SEKVAR}'], timeoutMs: 60000}
`,
		"inspect.sh": `cat >/dev/null; echo "{\"score\": 1, \"explanation\": \"saw $SHOP_KEY\"}"` + "\n",
		"hello.yaml": `id: hello
description: Says what it knows
task_type: clerk
turns:
  - role: user
    content: What do you know? env-value-5
    assertions:
      - {type: contains, params: {patterns: [key-value-1, file-value-7, env-value-5]}}
      - {type: content_excludes, params: {patterns: [redacted]}}
      - {type: content_excludes, params: {patterns: [literal-value-8]}}
      - {type: inspected}
      - {type: tool_exec, params: {tool: a2a__asked__find, args: {query: key-value-1}, success_pattern: agent-3a}}
      - {type: tool_exec, params: {tool: a2a__asked_badly__find, args: {query: key-value-1}, success_pattern: x}}
      - type: rest_eval
        params:
          url: "http://` + host + `/scored?token=check-1e"
          headers: {X-Token: check-1c, Other: "${PLAIN}"}
      - {type: rest_eval, params: {url: "http://` + host + `/scored", headers: {X-Token: "check-{{last}}"}}}
      - {type: all_of, params: {checks: [{type: a2a_eval, params: {agent_url: "http://` + host + `/broken", auth_token: check-1f-token}}]}}
variables: {last: 2a}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, complaints bytes.Buffer
	results := filepath.Join(dir, "out")
	code := cli.Main(&cli.App{
		Args: []string{
			"run", "-c", filepath.Join(dir, "config.arena.yaml"), "-o", results, "-v", "--retries", "0",
			"--events", filepath.Join(results, "events.jsonl"), "--record", filepath.Join(results, "tapes"),
			"--cache", filepath.Join(results, "kept"), "--metrics-file", filepath.Join(results, "metrics.txt"),
			"--otlp-endpoint", server.URL, "--otlp-content",
		},
		Out: &out, Err: &complaints, Env: map[string]string{"KEY": "key-value-1", "SHOP_TOKEN": "env-value-5", "PLAIN": "check-1d-value", "SEKVAR": "handed-6b", "AGENT": "agent-3b", "WHO": "agent-3d", "PATH": os.Getenv("PATH")},
		Now: time.Now, Width: func() int { return 200 }, Exit: func(int) {},
		Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	if code != 1 {
		t.Errorf("exit status %d, want 1\n%s%s", code, out.String(), complaints.String())
	}
	written := map[string]string{"stdout": out.String(), "stderr": complaints.String(), "traces": traces.String()}
	err := filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		written[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"journal.jsonl", "results.json", "report.html", "junit.xml", "results.md", "events.jsonl", "metrics.txt"} {
		if written[filepath.Join(results, name)] == "" {
			t.Errorf("%s is empty", name)
		}
	}
	if len(written) < 14 {
		t.Errorf("only %d outputs", len(written))
	}
	for name, text := range written {
		for where, value := range planted {
			for _, form := range formsOf(value) {
				if strings.Contains(text, form) {
					t.Errorf("%s shows %s: %s", name, where, form)
				}
			}
		}
	}
	for _, name := range []string{"results.json", "results.md"} {
		if !strings.Contains(written[filepath.Join(results, name)], "redacted") {
			t.Errorf("%s shows nothing in the place of a secret", name)
		}
	}
	// What was judged is what was said: the reply had them, and so the first two checks passed.
	var run struct {
		Runs []struct {
			Turns []struct {
				Assertions []struct{ Status string }
			}
		}
	}
	if err := json.Unmarshal([]byte(written[filepath.Join(results, "results.json")]), &run); err != nil || len(run.Runs) != 3 {
		t.Fatal(err, len(run.Runs))
	}
	var got []string
	for _, a := range run.Runs[0].Turns[0].Assertions {
		got = append(got, a.Status)
	}
	if want := "passed passed failed passed passed failed passed passed error"; strings.Join(got, " ") != want {
		t.Errorf("the checks of what was said: %s, want %s", got, want)
	}
}

// formsOf is a secret in every form in which an output may show it.
func formsOf(value string) []string {
	quoted := strings.ReplaceAll(value, `"`, `\"`)
	return []string{value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value), inJSON(value), quoted}
}

func inJSON(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(data[1 : len(data)-1])
}
