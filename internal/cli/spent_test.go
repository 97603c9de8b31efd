package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/hang"
)

// TestEveryEndCounts makes calls end in every way there is, after an attempt that took something and brought nothing of
// use: what that took is in the results, of the agent, of a judge and of an embedding model.
func TestEveryEndCounts(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"agent", "judge", "embedding"} {
		for name, end := range map[string]spentCase{
			"success":         {second: "good", more: true},
			"provider error":  {second: "refused", exit: 3},
			"connection loss": {second: "reset", exit: 3},
			"half a reply":    {second: "cut", exit: 3, more: true},
			"call timeout":    {second: "hang", keys: "request_timeout: 100ms", exit: 3}, // is meant to pass
			"run timeout":     {second: "hang", limited: true, exit: 3},
			"interrupt":       {second: "hang", interrupts: true, exit: 130},
			"fail-fast":       {second: "hang", others: "no", flags: []string{"--fail-fast"}, exit: 1},
			"no retry":        {second: "good", flags: []string{"--retries", "0"}, exit: 3},
			"unknown price":   {second: "refused", unpriced: true, exit: 3},
		} {
			t.Run(who+"/"+name, func(t *testing.T) {
				t.Parallel()
				end.run(t, who)
			})
		}
	}
	for name, end := range map[string]spentCase{
		"idle timeout":   {second: "stall", keys: "stream_idle_timeout: 100ms", exit: 3, more: true}, // is meant to pass
		"guardrail stop": {second: "endless", prompt: "validators: [{type: banned_words, params: {words: [damn]}}]", more: true, exit: 1},
		"budget":         {second: "tool", prompt: "allowed_tools: [look]\ntool_policy: {max_cost_usd: 0.5}", more: true, exit: 3},
	} {
		t.Run("agent/"+name, func(t *testing.T) {
			t.Parallel()
			end.streamed = end.second != "tool"
			end.run(t, "agent")
		})
	}
}

// What the first attempt takes: its server says so. At the prices of the test that are two dollars.
const spentIn, spentOut = 1000, 500

// spentCase is a way in which a call ends.
type spentCase struct {
	second     string   // what the server does at the second attempt
	keys       string   // of the provider
	prompt     string   // keys of the prompt
	flags      []string // of the run
	exit       int
	more       bool   // the second attempt takes something as well
	unpriced   bool   // nobody knows the price
	streamed   bool   // the replies of the agent stream
	limited    bool   // by run_timeout
	interrupts bool   // once the second attempt is under way
	others     string // the reply in another trial, which comes then; "": there is none
}

func (c spentCase) run(t *testing.T, who string) {
	t.Helper()
	// The limit is meant to pass. It stays one that a file may set, whatever keeps the first attempts from coming.
	for limit := 200 * time.Millisecond; ; limit = min(4*limit, time.Minute) { // it is meant to pass
		model := &spendingModel{who: who, second: c.second, other: c.others, twice: make(chan struct{}), over: make(chan struct{})}
		server := httptest.NewServer(model)
		dir := c.project(t, who, server.URL, limit)
		exit, text := c.start(t, dir, model)
		close(model.over)
		server.Close()
		if c.limited && !model.due() { // the machine was too slow for the first attempt
			continue
		}
		if exit != c.exit {
			t.Fatalf("exit status %d, want %d\n%s", exit, c.exit, text)
		}
		c.check(t, who, dir, text)
		return
	}
}

// start runs arena to its end.
func (c spentCase) start(t *testing.T, dir string, model *spendingModel) (exit int, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "arena", append([]string{"run", "-j", "2"}, c.flags...)...)
	cmd.Dir, cmd.WaitDelay = dir, hang.Guard
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if c.interrupts {
		select {
		case <-model.twice:
		case err := <-ended:
			t.Fatalf("the run ended by itself: %v\n%s", err, out.String())
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	err := <-ended
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		return exited.ExitCode(), out.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String()
}

// check holds the results against what the first attempt took, and the second where it took something.
func (c spentCase) check(t *testing.T, who, dir, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "out", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Runs []struct {
			Scenario string
			Usage    spentTokens
			CostUSD  *float64 `json:"cost_usd"`
			Judges   *struct {
				spentTokens
				CostUSD *float64 `json:"cost_usd"`
			}
			Turns []struct {
				Assertions []struct {
					Type    string
					Details struct {
						In   int      `json:"embedding_tokens"`
						Cost *float64 `json:"embedding_cost_usd"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	for _, r := range results.Runs {
		if r.Scenario != "s" {
			continue
		}
		took, usd, out := r.Usage, r.CostUSD, spentOut
		switch who {
		case "judge":
			if r.Judges == nil {
				t.Fatalf("no judge took anything\n%s", text)
			}
			took, usd = r.Judges.spentTokens, r.Judges.CostUSD
		case "embedding":
			d := r.Turns[0].Assertions[len(r.Turns[0].Assertions)-1].Details
			took, usd, out = spentTokens{In: d.In}, d.Cost, 0
		}
		more := took.In > spentIn || took.Out > out
		if took.In < spentIn || took.Out < out || more != c.more {
			t.Errorf("the call took %+v, want %d and %d, and more: %v\n%s", took, spentIn, out, c.more, text)
		}
		want := float64(took.In)/1000 + float64(took.Out)/500
		most := want
		if who == "embedding" && c.more { // the server begins a reply in words, and details tell of no such tokens
			most += 1
		}
		if c.unpriced != (usd == nil) || usd != nil && (*usd < want-1e-9 || *usd > most+1e-9) {
			t.Errorf("it cost %s, want %g, or nothing known: %v\n%s", encode(usd), want, c.unpriced, text)
		}
		return
	}
	t.Fatalf("the trial is not in the results\n%s", text)
}

type spentTokens struct {
	In  int `json:"input_tokens"`
	Out int `json:"output_tokens"`
}

func (c spentCase) project(t *testing.T, who, url string, limit time.Duration) (dir string) {
	t.Helper()
	dir = t.TempDir()
	provider := func(name, more string) string {
		text := "kind: Provider\nmetadata: {name: " + name + "}\nspec:\n  id: " + name + "\n  type: openai-compatible\n" +
			"  model: m\n  base_url: " + url + "/" + name + "/v1\n  stream_retry: {enabled: true, max_attempts: 2, initial_delay: 1ms}\n"
		if !c.unpriced {
			text += "  pricing: {input_cost_per_1k: 1, output_cost_per_1k: 2}\n"
		}
		return text + more
	}
	keys := ""
	if c.keys != "" {
		keys = "  " + c.keys + "\n"
	}
	check := map[string]string{
		"agent":     "{type: contains, params: {patterns: [hello]}}",
		"judge":     "{type: llm_judge, params: {criteria: It greets}}",
		"embedding": "{type: cosine_similarity, params: {reference: hello, min_similarity: 0.9}}",
	}[who]
	run := ""
	if c.limited {
		run = ", run_timeout: " + limit.String()
	}
	other := ""
	if c.others != "" {
		other = ", {file: other.yaml}"
	}
	for name, text := range map[string]string{
		"config.arena.yaml": "kind: Arena\nspec:\n  scenarios: [{file: s.yaml}" + other + "]\n  prompt_configs: [{file: prompt.yaml}]\n  " +
			"providers: [{file: agent.yaml}, {file: judge.yaml, group: judges}]\n  judges: [{name: j, provider: judge}]\n  embedding_providers: [{file: embedding.yaml}]\n" +
			"  defaults: {verbose: false" + run + "}\n" +
			"  tool_specs: {look: {description: Looks, mode: mock, input_schema: {type: object}, mock_result: {ok: true}}}\n",
		"agent.yaml":     provider("agent", keys),
		"judge.yaml":     provider("judge", keys),
		"embedding.yaml": provider("embedding", "  role: embedding\n"+keys),
		"prompt.yaml":    "task_type: s\nsystem_template: Greet.\n" + c.prompt + "\n",
		"s.yaml": fmt.Sprintf("id: s\ndescription: One\ntask_type: s\nstreaming: %v\n"+
			"turns: [{role: user, content: Hi, assertions: [%s]}]\n", c.streamed, check),
		"other.yaml": "id: other\ndescription: Another\ntask_type: s\n" +
			"turns: [{role: user, content: Other, assertions: [{type: contains, params: {patterns: [hello]}}]}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// spendingModel counts tokens of a first attempt that is of no use, and does at the second what it is told.
type spendingModel struct {
	who, second, other string
	twice, over        chan struct{} // closed when the second attempt has come, and at the end

	mu   sync.Mutex
	seen int
}

func (m *spendingModel) due() bool {
	select {
	case <-m.twice:
		return true
	default:
		return false
	}
}

func (m *spendingModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := &answer{w: w, stream: strings.Contains(string(body), `"stream":true`)}
	who, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case strings.Contains(string(body), "Other"):
		select {
		case <-m.twice:
		case <-m.over:
		}
		a.reply(map[string]any{"content": m.other}, "stop")
		return
	case who != m.who:
		a.reply(map[string]any{"content": "hello"}, "stop")
		return
	}
	m.mu.Lock()
	m.seen++
	seen := m.seen
	m.mu.Unlock()
	if seen == 1 {
		m.useless(a)
		return
	}
	if seen == 2 {
		close(m.twice)
	}
	m.attempt(a, r)
}

// useless is a reply of which nothing can be made, with its tokens.
func (m *spendingModel) useless(a *answer) {
	counted := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, spentIn, spentOut)
	switch {
	case m.who == "embedding":
		a.document(fmt.Sprintf(`{"data":[],"usage":{"prompt_tokens":%d}}`, spentIn))
	case a.stream:
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.write(`data: {"choices":[],` + counted + "}\n\n")
	default:
		a.document(`{"choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}],` + counted + "}")
	}
}

func (a *answer) document(text string) {
	a.w.Header().Set("Content-Type", "application/json")
	a.write(text)
}

func (m *spendingModel) attempt(a *answer, r *http.Request) {
	switch m.second {
	case "good":
		if m.who == "embedding" {
			a.document(`{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]}],"usage":{"prompt_tokens":9}}`)
			return
		}
		a.reply(map[string]any{"content": map[string]string{"agent": "hello", "judge": `{"score": 1, "reasoning": "fine"}`}[m.who]}, "stop")
	case "refused":
		a.status(`400 {"error": {"message": "no"}}`)
	case "reset":
		reset(a.w)
	case "cut":
		a.half()
		panic(http.ErrAbortHandler)
	case "stall":
		a.half()
		m.hang(r)
	case "hang":
		m.hang(r)
	case "tool":
		a.reply(map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": "look", "arguments": "{}"},
		}}}, "tool_calls")
	case "endless":
		a.w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			a.write(a.event(map[string]any{"content": "damn it "}, ""))
			_ = http.NewResponseController(a.w).Flush() // a client that left ends the loop
		}
	}
}

func (m *spendingModel) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-m.over:
	}
}
