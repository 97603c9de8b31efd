package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/cli"
)

// sentRequest is a request as it came to a server, or as `arena prompt --wire` shows it.
type sentRequest struct {
	Method, URL string
	Headers     map[string]string
	Body        any
}

// models is a server that speaks all wires, and keeps what it was sent.
type models struct {
	*httptest.Server
	mu       sync.Mutex
	requests []sentRequest
}

func newModels(t *testing.T) *models {
	t.Helper()
	m := &models{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// ServeHTTP answers each question in words, unless it holds the word CALL and no result yet: then a tool is called.
func (m *models) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	sent := sentRequest{Method: r.Method, URL: m.URL + r.URL.String(), Headers: map[string]string{}}
	if json.Unmarshal(body, &sent.Body) != nil {
		return
	}
	for name := range r.Header {
		sent.Headers[name] = r.Header.Get(name)
	}
	m.mu.Lock()
	m.requests = append(m.requests, sent)
	m.mu.Unlock()
	calls := strings.Contains(string(body), "CALL") && !strings.Contains(string(body), "sunny")
	replies := map[string][2]string{
		"/chat/completions": {`{"model":"m","choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`,
			`{"model":"m","choices":[{"message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`},
		"/responses": {`{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Yes."}]}],"usage":{"input_tokens":9,"output_tokens":5}}`,
			`{"model":"m","status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"x"},{"type":"function_call","call_id":"a","name":"get_weather","arguments":"{}"}],"usage":{"input_tokens":9,"output_tokens":5}}`},
		"/messages": {`{"type":"message","model":"m","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`,
			`{"type":"message","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"tool_use","id":"a","name":"get_weather","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":5}}`},
		":generateContent": {`{"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"get_weather","args":{}},"thoughtSignature":"sig"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}`},
	}
	for end, reply := range replies {
		if strings.HasSuffix(r.URL.Path, end) {
			w.Header().Set("Content-Type", "application/json")
			text := reply[0]
			if calls {
				text = reply[1]
			}
			_, _ = io.WriteString(w, text) // a client that left is its own business
			return
		}
	}
	http.NotFound(w, r)
}

// take returns the requests since the last time.
func (m *models) take() []sentRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.requests
	m.requests = nil
	return all
}

const promptProject = `kind: Arena
metadata: {name: weather}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  tools: [{file: tool.yaml}]
  memory: {}
  skills: [{name: tone, description: How to speak., instructions: Be kind., preload: true}]
  providers: [{file: chat.yaml}, {file: responses.yaml}, {file: claude.yaml}, {file: gemini.yaml}]
  defaults: {temperature: 0.3, max_tokens: 77, seed: 5}
-- prompt.yaml --
task_type: support
system_template: "You are {{name}}."
variables: [{name: name, default: Ann}]
allowed_tools: ["get_*"]
tool_policy: {tool_choice: auto}
-- tool.yaml --
name: get_weather
description: The weather of today.
input_schema: {type: object, properties: {city: {type: string}}}
mock_result: {sky: sunny}
-- talk.yaml --
id: talk
task_type: support
turns:
  - {role: user, content: "CALL for the {kind} weather", perturbations: {kind: [bad, good]}}
  - {role: user, content: "And tomorrow?"}
-- chat.yaml --
kind: Provider
metadata: {name: chat}
spec: {type: openai, model: m, base_url: "STUB/v1", headers: {X-Team: tea}}
-- responses.yaml --
kind: Provider
metadata: {name: responses}
spec: {type: openai, model: m, base_url: "STUB/v1", additional_config: {api_mode: responses}, unsupported_params: [temperature, seed]}
-- claude.yaml --
kind: Provider
metadata: {name: claude}
spec: {type: claude, model: m, base_url: "STUB", unsupported_params: [seed]}
-- gemini.yaml --
kind: Provider
metadata: {name: gemini}
spec: {type: gemini, model: m, base_url: "STUB"}
`

// writeProject writes files that are separated by their names.
func writeProject(t testing.TB, dir, text string) {
	t.Helper()
	name := "config.arena.yaml"
	var file strings.Builder
	write := func() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		file.Reset()
	}
	for line := range strings.Lines(text) {
		if next, found := strings.CutPrefix(strings.TrimSpace(line), "-- "); found {
			write()
			name = strings.TrimSuffix(next, " --")
			continue
		}
		file.WriteString(line)
	}
	write()
}

// TestPromptIsWhatIsSent: what `arena prompt --wire` shows is what a run sends, in each turn and over each wire.
func TestPromptIsWhatIsSent(t *testing.T) {
	t.Chdir(t.TempDir())
	server := newModels(t)
	writeProject(t, ".", strings.ReplaceAll(promptProject, "STUB", server.URL))
	const key = "sk-planted-key"
	arena := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := cli.Main(&cli.App{
			Args: args, Out: &out, Err: &errs, Env: map[string]string{
				"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key, "GEMINI_API_KEY": key,
			}, Now: time.Now, Width: func() int { return 120 }, Exit: func(int) {},
			Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		return code, out.String(), errs.String()
	}
	for _, provider := range []string{"chat", "responses", "claude", "gemini"} {
		code, out, errs := arena("run", "--provider", provider, "--record", "tapes", "-j", "1", "--allow-empty")
		if code != 0 {
			t.Fatalf("%s: the run ends with %d:\n%s%s", provider, code, out, errs)
		}
		sent := server.take()
		if len(sent) != 6 { // two variants of two turns, of which the first has two rounds
			t.Fatalf("%s: %d requests", provider, len(sent))
		}
		for trial := range 2 {
			for turn, want := range []sentRequest{sent[3*trial], sent[3*trial+2]} {
				code, out, errs := arena("prompt", "talk", "--provider", provider, "--replay", "tapes", "--wire", "--format", "json",
					"--turn", []string{"1", "2"}[turn], "--trial", []string{"1", "2"}[trial])
				if code != 0 {
					t.Fatalf("%s: %d\n%s", provider, code, errs)
				}
				var shown []struct{ Wire sentRequest }
				if err := json.Unmarshal([]byte(out), &shown); err != nil || len(shown) != 1 {
					t.Fatalf("%v in %s", err, out)
				}
				for name := range want.Headers {
					if slices.Contains([]string{"Content-Length", "Accept-Encoding", "User-Agent"}, name) {
						delete(want.Headers, name) // of the connection
						continue
					}
					want.Headers[name] = strings.ReplaceAll(want.Headers[name], key, "[redacted]")
				}
				delete(shown[0].Wire.Headers, "User-Agent")
				if diff := cmp.Diff(want, shown[0].Wire); diff != "" {
					t.Errorf("%s, turn %d: (-sent +shown)\n%s", provider, turn+1, diff)
				}
			}
		}
		if n := len(server.take()); n > 0 {
			t.Errorf("%s: prompt sent %d requests", provider, n)
		}
	}
}
