package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// capture is a server that plays the user, and keeps what it was asked.
type capture struct {
	mu    sync.Mutex
	asked []string
	reply func(text string) string // in the form of an API
}

func (c *capture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	c.mu.Lock()
	c.asked = append(c.asked, r.URL.String()+"\n"+fmt.Sprint(r.Header)+"\n"+string(body))
	n := len(c.asked)
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, c.reply(fmt.Sprintf("Message %d of the user.", n)))
}

// TestUserNeverSeesTheAgent plays a user over every kind of wire: what it is sent holds nothing of the agent's prompt,
// of the tools that the agent has, of its calls and of their results. It does hold the persona and what was said.
func TestUserNeverSeesTheAgent(t *testing.T) {
	t.Parallel()
	wires := map[string]struct{ provider, reply string }{
		"openai": {
			`{type: openai-compatible, model: m, base_url: URL, credential: {api_key: k}}`,
			`{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":5,"completion_tokens":5,"total_tokens":10}}`,
		},
		"responses": {
			`{type: openai, model: m, base_url: URL, credential: {api_key: k}, additional_config: {api_mode: responses}}`,
			`{"id":"1","model":"m","status":"completed","output":[{"type":"message","id":"2","role":"assistant",` +
				`"status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}],` +
				`"usage":{"input_tokens":5,"output_tokens":5,"total_tokens":10}}`,
		},
		"anthropic": {
			`{type: anthropic, model: m, base_url: URL, credential: {api_key: k}}`,
			`{"id":"1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%q}],` +
				`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":5}}`,
		},
		"gemini": {
			`{type: gemini, model: m, base_url: URL, credential: {api_key: k}}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":%q}]},"finishReason":"STOP","index":0}],` +
				`"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":5,"totalTokenCount":10},"modelVersion":"m"}`,
		},
		"http": {
			`{type: http, model: m, additional_config: {url: URL, body: {system: "{{system}}", all: "{{messages}}", ` +
				`past: "{{history}}", now: "{{message}}"}}}`,
			`{"reply": %q}`,
		},
	}
	for name, wire := range wires {
		for _, streaming := range []bool{false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := &capture{reply: func(text string) string { return fmt.Sprintf(wire.reply, text) }}
				server := httptest.NewServer(c)
				defer server.Close()
				dir := selfPlayProject(t, strings.ReplaceAll(wire.provider, "URL", `"`+server.URL+`"`), streaming)
				runSelfPlay(t, dir)
				checkUnseen(t, c.asked)
			})
		}
	}
}

// agentsOwn is what of the agent no user may see.
var agentsOwn = []string{
	"LARK-77", "secret instructions", "get_order", "Looks up an order", "order_number", "TRK-9", "A-4711-Z",
}

func checkUnseen(t *testing.T, asked []string) {
	t.Helper()
	if len(asked) != 3 {
		t.Fatalf("the user was asked %d times, want 3:\n%s", len(asked), strings.Join(asked, "\n"))
	}
	for i, text := range asked {
		for _, own := range agentsOwn {
			if strings.Contains(text, own) {
				t.Errorf("request %d holds %q:\n%s", i+1, own, text)
			}
		}
		if byLines := strings.HasPrefix(text, `{"type":"turn"`); !strings.Contains(text, "hurried shopper") && (i == 0 || !byLines) {
			t.Errorf("request %d does not hold the persona:\n%s", i+1, text)
		}
	}
	all := strings.Join(asked, "\n")
	for _, said := range []string{"Hello there", "Good morning.", "It is on its way.", "It is still on its way."} {
		if !strings.Contains(all, said) {
			t.Errorf("the requests do not hold %q:\n%s", said, all)
		}
	}
}

// selfPlayProject writes a project whose agent has a prompt, a tool, and calls of it, and whose user is played by a
// provider.
func selfPlayProject(t *testing.T, provider string, streaming bool) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"config.arena.yaml": `kind: Arena
spec:
  prompt_configs: [{file: prompt.yaml}]
  tool_specs:
    get_order:
      description: Looks up an order
      mode: mock
      input_schema: {type: object, properties: {order_number: {type: string}}}
      mock_result: {tracking: TRK-9}
  provider_specs: {agent: {type: mock, model: m, additional_config: {mock_config: mocks.yaml}}}
  providers: [{file: user.yaml, group: users}]
  self_play:
    persona_specs: {shopper: {description: d, goals: [get the parcel], constraints: [], system_template: "You are a hurried shopper. You want to {{persona_goals}}."}}
    roles: [{id: customer, provider: user}]
  scenario_specs:
    parcel:
      description: Where is the parcel
      task_type: support
      streaming: ` + fmt.Sprint(streaming) + `
      turns:
        - {role: user, content: Hello there}
        - role: customer
          persona: shopper
          turns: 3
          assertions: [{type: content_includes, params: {patterns: [way]}}]
  defaults: {}
`,
		"user.yaml": "kind: Provider\nmetadata: {name: user}\nspec: " + provider + "\n",
		"prompt.yaml": "task_type: support\nsystem_template: These are your secret instructions; the code is LARK-77.\n" +
			"allowed_tools: [get_order]\n",
		"mocks.yaml": `scenarios:
  parcel:
    turns:
      1: Good morning.
      2: {tool_calls: [{name: get_order, arguments: {order_number: A-4711-Z}}]}
      3: It is on its way.
      4: It is still on its way.
      5: Nothing but the way.
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runSelfPlay(t *testing.T, dir string) {
	t.Helper()
	code, log := arena(t, "run", dir, "-o", filepath.Join(dir, "out"), "--retries", "0")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, log)
	}
}
