package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// echoed is the key that the server of TestServerThatEchoesTheKey repeats. Its signs are escaped by most formats.
const echoed = `echo"key<5>&/1`

// echoes are whole answers of a server, streamed and not, of which each text becomes the key.
var echoes = map[string]string{
	"calls": `{"id": "a", "object": "chat.completion", "model": "m", "system_fingerprint": "f", "choices": [{"index": 0,
		"message": {"role": "assistant", "content": "hm", "reasoning": "r", "refusal": "no", "tool_calls": [
			{"id": "call-1", "type": "function", "function": {"name": "find", "arguments": "{\"order\": \"A1\"}"}}]},
		"finish_reason": "tool_calls", "logprobs": "x"}],
		"usage": {"prompt_tokens": 3, "completion_tokens": 4, "note": "u"}, "service_tier": "t"}`,
	"text": `{"id": "a", "model": "m", "choices": [{"message": {"role": "assistant", "content": "hello"},
		"finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "prompt_tokens_details": {"kind": "k"}}}`,
	"error": `{"error": {"message": "no", "type": "t", "code": "c", "param": "p"}, "detail": "d"}`,
	"chunk": `{"id": "a", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta":
		{"role": "assistant", "content": "hm", "tool_calls": [{"index": 0, "id": "call-1", "type": "function",
			"function": {"name": "find", "arguments": "{\"order\": \"A1\"}"}}]}, "finish_reason": "tool_calls"}]}`,
}

// spoil puts text in the place of the n-th value of an answer, counted from 0, be it a text or a number; more reports
// whether there is one.
func spoil(answer string, n int, text string) (spoiled string, more bool) {
	var v any
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		panic(err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				v[key] = walk(v[key])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		default:
			if n--; n == -1 {
				return text
			}
		}
		return v
	}
	v = walk(v)
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data), n < 0
}

// echo answers under /calls/3/v1/chat/completions with the third value of the answer spoiled, until a tool has
// answered, and greets then.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, _, _ := strings.Cut(rest, "/")
	n, _ := strconv.Atoi(number)
	answer, _ := spoil(echoes[kind], n, echoed)
	for _, name := range []string{"X-Request-Id", "Retry-After", "Server", "X-" + echoed[:4]} {
		w.Header().Set(name, echoed)
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case kind == "error":
		w.WriteHeader(http.StatusBadRequest)
	case bytes.Contains(body, []byte(`"role":"tool"`)):
		answer = `{"model": "m", "choices": [{"message": {"content": "the key is ` + inJSON(echoed) + `"}, "finish_reason": "stop"}]}`
	case kind == "chunk":
		w.Header().Set("Content-Type", "text/event-stream")
		answer = "data: " + answer + "\n\ndata: [DONE]\n\n"
	}
	_, _ = io.WriteString(w, answer)
}

// TestServerThatEchoesTheKey has servers repeat the key in every field of their answers, one after the other: nothing
// that arena writes or sends shows it, and what was recorded plays again.
func TestServerThatEchoesTheKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	written := map[string]string{}
	hold := func(name, text string) {
		mu.Lock()
		defer mu.Unlock()
		written[name] += text
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/watch/") {
			body, _ := io.ReadAll(r.Body)
			hold(r.Method+" "+r.URL.Path, r.URL.String()+string(body))
			return
		}
		echo(w, r)
	}))
	t.Cleanup(server.Close)
	broker := natstest.New(t)
	dir := t.TempDir()
	specs, n := "", 0
	for _, kind := range slices.Sorted(maps.Keys(echoes)) {
		for i := 0; ; i++ {
			if _, more := spoil(echoes[kind], i, ""); !more {
				break
			}
			n++
			specs += fmt.Sprintf("    %s-%d: {type: openai-compatible, model: m, base_url: %q, credential: {credential_env: KEY}}\n",
				kind, i, fmt.Sprintf("%s/%s/%d/v1", server.URL, kind, i))
		}
	}
	for name, text := range map[string]string{
		"config.arena.yaml": "kind: Arena\nmetadata: {name: shop}\nspec:\n  scenarios: [{file: talk.yaml}]\n  pack_file: shop.pack.json\n" +
			"  tools: [{file: find.yaml}]\n  defaults: {output: {recording: {enabled: true}}}\n  provider_specs:\n" + specs + "  providers: []\n",
		"talk.yaml": "id: talk\ntask_type: talk\nstreaming: true\nturns:\n  - role: user\n    content: hi\n" +
			"    assertions: [{type: max_turns, params: {max: 5}}]\n", // not of the text, from which the key is taken out
		"find.yaml": "kind: Tool\nmetadata: {name: find}\nspec:\n  name: find\n  description: Finds\n  mode: mock\n" +
			"  input_schema: {type: object, properties: {order: {type: string}}}\n  mock_result: {found: true}\n",
		"shop.pack.json": `{"id": "shop", "name": "Shop", "version": "1.0.0", "template_engine": {"version": "v1", "syntax": "{{variable}}"},
 "prompts": {"talk": {"id": "talk", "name": "Talk", "version": "1.0.0", "system_template": "Be kind.", "tools": ["find"]}},
 "tools": {"find": {"name": "find", "description": "Finds", "parameters": {"type": "object", "properties": {"order": {"type": "string"}}}}},
 "evals": [{"id": "kind", "type": "contains", "trigger": "every_turn", "params": {"patterns": ["key"]}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	arena := func(args ...string) int {
		var out, complaints bytes.Buffer
		code := cli.Main(&cli.App{
			Args: args, Out: &out, Err: &complaints,
			Env: map[string]string{"KEY": echoed, "PATH": os.Getenv("PATH")}, Now: time.Now, Width: func() int { return 200 },
			Exit: func(int) {}, Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		hold("stdout of "+args[0], out.String())
		hold("stderr of "+args[0], complaints.String())
		if code == 2 {
			t.Fatalf("%s\n%s%s", args, out.String(), complaints.String())
		}
		return code
	}
	config, results, tapes := filepath.Join(dir, "config.arena.yaml"), filepath.Join(dir, "out"), filepath.Join(dir, "out", "tapes")
	live := arena("run", "-c", config, "-o", results, "-v", "--retries", "0", "--events", filepath.Join(results, "events.jsonl"),
		"--record", tapes, "--cache", filepath.Join(results, "kept"), "--metrics-file", filepath.Join(results, "metrics.txt"),
		"--metrics-push", server.URL+"/watch/push", "--otlp-endpoint", server.URL+"/watch/otlp", "--otlp-content")
	arena("run", "-c", config, "-o", filepath.Join(results, "dispatched"), "--retries", "0", "--dispatch", broker.URL())
	arena("worker", "--nats", broker.URL(), "--pack", filepath.Join(dir, "shop.pack.json"), "--idle", "100ms", "--output",
		filepath.Join(results, "scores.jsonl"))
	messages(t, broker.URL(), hold)
	again := filepath.Join(dir, "again")
	if code := arena("run", "-c", config, "-o", again, "--replay", tapes, "--retries", "0"); code != live {
		t.Errorf("the replay ended with %d, the run with %d", code, live)
	}
	if was, is := statuses(t, results), statuses(t, again); !slices.Equal(was, is) || len(was) != n {
		t.Errorf("replayed otherwise:\n%s\nwas\n%s", strings.Join(is, "\n"), strings.Join(was, "\n"))
	}
	err := filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		hold(path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range written {
		for _, form := range formsOf(echoed) {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s shows the key: …%s…", name, text[max(at-200, 0):min(at+100, len(text))])
			}
		}
	}
	for _, name := range []string{"results.json", "report.html", "events.jsonl", "metrics.txt", "scores.jsonl"} {
		if written[filepath.Join(results, name)] == "" {
			t.Errorf("%s is empty", name)
		}
	}
	if len(written) < 2*n {
		t.Errorf("only %d outputs: %s", len(written), slices.Sorted(maps.Keys(written)))
	}
}

// messages holds what a broker keeps.
func messages(t *testing.T, url string, hold func(name, text string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang.Guard)
	defer cancel()
	conn, err := natsgo.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames(ctx).Name() {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		info := stream.CachedInfo().State
		for seq := info.FirstSeq; seq <= info.LastSeq && info.Msgs > 0; seq++ {
			if msg, err := stream.GetMsg(ctx, seq); err == nil { // what was taken is gone
				hold(fmt.Sprintf("message %d of %s", seq, name), fmt.Sprint(msg.Subject, msg.Header, string(msg.Data)))
			}
		}
	}
}

// statuses are how the trials of a run ended.
func statuses(t *testing.T, dir string) (list []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Runs []struct{ ID, Status, Error string }
	}
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Runs {
		list = append(list, r.ID+" "+r.Status+" "+r.Error)
	}
	return list
}
