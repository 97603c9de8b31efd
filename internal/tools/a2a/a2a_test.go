package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks/a2atest"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// TestAnswers: what becomes of whatever an agent answers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const failed, silent = "execution: " + find + ": the agent: ", "unavailable: " + find + ": the agent: "
	for _, c := range []struct {
		name    string
		results []string
		want    string
		method  string // "": message/send
	}{
		{"a message", []string{`{"kind": "message", "parts": [{"kind": "text", "text": "Two"}, {"text": "shoes"}]}`}, "Two\nshoes", ""},
		{"a wrapped message", []string{`{"message": {"role": "ROLE_AGENT", "parts": [{"text": "Shoes"}]}}`}, "Shoes", ""},
		{"a status", []string{task("completed", says("Shoes")+`}, "artifacts": [{"parts": [{"text": "not this"}]}]}`)}, "Shoes", ""},
		{"the first text of it", []string{task("completed", `, "message": {"parts": [{"text": "One"}, {"text": "two"}]}}}`)}, "One", ""},
		{"artifacts", []string{task("completed", `}, "artifacts": [{"parts": [{"text": "a"}, {"kind": "text", "text": "b"}]}, {"parts": []}, {"parts": [{"text": "c"}]}]}`)},
			"a\nb\nc", ""},
		{"a wrapped task", []string{`{"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [{"parts": [{"text": "a"}]}]}}`}, "a", ""},
		{"data", []string{`{"parts": [{"kind": "data", "data": {"n":  1.10}}, {"data": [true]}, {"data": null}]}`}, "{\"n\":1.10}\n[true]", ""},
		{"files", []string{`{"parts": [{"text": "Look"},
			{"kind": "file", "file": {"bytes": "aGk=", "mimeType": "image/png"}},
			{"raw": "aGk", "mediaType": "audio/wav; x=y", "filename": "a"},
			{"url": "https://example.com/a.mp4", "mediaType": "video/mp4"},
			{"file": {"fileWithUri": "https://example.com/b", "mediaType": "application/pdf"}},
			{"kind": "file", "file": {"uri": "file:///etc/passwd"}},
			{"kind": "file", "file": {"bytes": "eyJhIjogMX0=", "mimeType": "application/json"}},
			{"raw": "iVBORw0KGgo="}]}`},
			"Look\n[file: file:///etc/passwd]\n{\"a\": 1} [image image/png aGk=] [audio audio/wav aGk=] [video video/mp4 https://example.com/a.mp4] " +
				"[document application/pdf https://example.com/b] [image image/png iVBORw0KGgo=]", ""},
		{"a file alone", []string{task("completed", `}, "artifacts": [{"parts": [{"raw": "aGk=", "mediaType": "image/gif"}]}]}`)}, " [image image/gif aGk=]", ""},
		{"a broken file", []string{`{"parts": [{"raw": "?"}]}`}, failed + "the agent sent a file that is not base64", ""},
		{"nothing", []string{task("completed", `}}`)}, "The agent completed the task and said nothing.", ""},
		{"an empty message", []string{`{"parts": []}`}, failed + "the agent answered with an empty message", ""},
		{"parts of the future", []string{`{"parts": [{"kind": "hologram", "text": "x"}]}`},
			silent + `message/send was answered with a part of a kind that is not known ("hologram"); what is read is text, data or a file: ` +
				`{"jsonrpc": "2.0", "id": 1, "result": {"parts": [{"kind": "hologram", "text": "x"}]}}`, ""},
		{"failed", []string{task("failed", says("no shoes")+"}}")}, failed + `the task is failed: no shoes`, ""},
		{"failed without a word", []string{task("TASK_STATE_FAILED", "}}")}, failed + `the task is failed`, ""},
		{"rejected", []string{task("rejected", says("not you")+"}}")}, failed + `the task is rejected: not you`, ""},
		{"canceled", []string{task("cancelled", "}}")}, failed + `the task is canceled`, ""},
		{"needs more", []string{task("input_required", says("which size?")+"}}")}, failed + `the task is input-required: which size?`, ""},
		{"needs a password", []string{task("TASK_STATE_AUTH_REQUIRED", "}}")}, failed + `the task is auth-required`, ""},
		{"no state", []string{task("", "}}")}, failed + "the task has no state", ""},
		{"a state of the future", []string{task("dreaming", "}}")}, failed + `the task is dreaming`, ""},
		{"slow", []string{task("submitted", "}}"), task("working", "}}"), task("working", "}}"), task("completed", says("Shoes")+"}}")}, "Shoes",
			"message/send tasks/get tasks/get tasks/get"},
		{"slow, then failed", []string{task("working", "}}"), task("failed", says("no")+"}}")}, failed + "the task is failed: no",
			"message/send tasks/get"},
		{"slow without an id", []string{`{"status": {"state": "working"}}`}, silent + "the task is working and has no id by which to ask for it", ""},
		{"neither", []string{`{"ok": true}`}, silent + `message/send was answered with neither a task nor a message: {"jsonrpc": "2.0", "id": 1, "result": {"ok": true}}`, ""},
		{"null", []string{`null`}, silent + `message/send was answered with neither a task nor a message: {"jsonrpc": "2.0", "id": 1, "result": null}`, ""},
		{"broken", []string{`{`}, silent + `message/send was not answered with JSON-RPC: {"jsonrpc": "2.0", "id": 1, "result": {}`, ""},
		{"of wrong types", []string{`{"status": "done"}`}, silent + `message/send was answered with neither a task nor a message: {"jsonrpc": "2.0", "id": 1, "result": {"status": "done"}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, &fake{results: c.results})
			if diff := cmp.Diff(c.want, describe(called(opened(t, f, scenario.Agent{}), find, `{"query": "shoes"}`))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.method == "" {
				c.method = "message/send"
			}
			if f.lastText() != c.method {
				t.Errorf("asked %s, want %s", f.lastText(), c.method)
			}
		})
	}
}

// TestAmbiguousAnswers: what an agent said twice, or in a part that nobody reads, must not vanish beside what is read.
func TestAmbiguousAnswers(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"status": {"state": "failed", "state": "completed"}}`:                                                       `the key "state" twice`,
		`{"status": {"state": "failed", "State": "completed"}}`:                                                       `the key "State" twice`,
		`{"status": {"state": "completed"}, "ſtatus": {"state": "failed"}}`:                                           `the key "ſtatus" twice`,
		`{"parts": [{"kind": "text", "text": "password", "text": "hi"}]}`:                                             `the key "text" twice`,
		`{"parts": [{"text": "password"}], "parts": [{"text": "hi"}]}`:                                                `the key "parts" twice`,
		`{"status": {"state": "completed"}, "artifacts": [{"parts": [{"text": "a"}], "Parts": []}]}`:                  `the key "Parts" twice`,
		`{"parts": [{"data": {"a": {"b": 1, "b": 2}}}]}`:                                                              `the key "b" twice`,
		`{"parts": [{"text": "hi"}]}, "error": {"code": -1, "message": "boom"}, "error": null`:                        `the key "error" twice`,
		`{"parts": [{"text": "hi"}]}, "error": {"code": -1, "message": "boom"}, "Error": null`:                        `the key "Error" twice`,
		`{"parts": [{"text": "hi"}, {"kind": "hologram", "x": 1}]}`:                                                   `not known ("hologram")`,
		`{"status": {"state": "completed", "message": {"parts": [{"text": "hi"}, {"kind": "odd"}]}}}`:                 `not known ("odd")`,
		`{"status": {"state": "completed"}, "artifacts": [{"parts": [{"text": "a"}]}, {"parts": [{"type": "odd"}]}]}`: `not known ("odd")`,
		`{"parts": [{"kind": "text", "text": "hi", "data": {"a": 1}}]}`:                                               `not only what its kind says (text)`,
		`{"parts": [{"kind": "data", "text": "password"}, {"text": "hi"}]}`:                                           `not only what its kind says (data)`,
		`{"parts": [{"text": "hi", "url": "https://example.com/a"}]}`:                                                 `not only what its kind says (none)`,
		`{"parts": [{"text": "hi", "metadata": {"a": 1, "A": 2}}, {"data": {"b": 1, "B": 2}}]}`:                       "",
		`{"parts": [{"text": "hi"}, {"kind": "text", "text": ""}, {"kind": "data"}, {}]}`:                             "",
	} {
		f := start(t, &fake{results: []string{result}})
		got := describe(called(opened(t, f, scenario.Agent{}), find, `{"query": "shoes"}`))
		if failed := strings.HasPrefix(got, "unavailable: "); failed != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q", result, got, want)
		}
	}
}

// TestDoubts: an answer that says something against itself is an answer, and a warning.
func TestDoubts(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		task("completed", `}}`): "said nothing",
		task("completed", says("Done")+`}, "artifacts": [{"parts": [{"text": "shoes"}]}]}`):  "nobody is shown it: shoes",
		task("completed", `, "message": {"parts": [{"text": "One"}, {"text": "two"}]}}}`):    "nobody is shown it: two",
		task("completed", says("Shoes")+`}, "error": {"code": 7}}`):                          `(error: {"code":7})`,
		task("completed", says("Shoes")+`, "error": "no stock"}}`):                           `(status.error: "no stock")`,
		task("completed", says("Shoes")+`}, "metadata": {"success": false}}`):                "(metadata.success: false)",
		`{"parts": [{"text": "Shoes"}], "errors": ["no stock"]}`:                             "(errors: ",
		`{"role": "user", "parts": [{"text": "Shoes"}]}`:                                     "a message of the user",
		`{"message": {"role": "ROLE_USER", "parts": [{"text": "Shoes"}]}}`:                   "a message of the user",
		`{"parts": [{"text": "Shoes"}]}, "id": 77`:                                           "the request 77",
		`{"parts": [{"text": "Shoes"}]}, "id": null`:                                         "",
		`{"role": "agent", "parts": [{"text": "Shoes"}], "metadata": {"status": "failed"}}`:  "",
		`{"role": "ROLE_AGENT", "parts": [{"text": "Shoes"}], "error": null}`:                "",
		task("completed", says("Shoes")+`}, "artifacts": [{"parts": [{"text": "Shoes"}]}]}`): "",
		task("completed", `}, "artifacts": [{"parts": [{"text": "a"}, {"text": "b"}]}]}`):    "",
	} {
		f := start(t, &fake{serve: func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "result": %s}`, result)
		}})
		res := called(opened(t, f, scenario.Agent{}), find, `{"query": "shoes"}`)
		if res.Error != "" || (res.Doubt == "") != (want == "") || !strings.Contains(res.Doubt, want) {
			t.Errorf("%s: %+v, want %q", result, res, want)
		}
	}
}

// TestAmbiguousCard: of a card that has a key twice nobody knows the skills.
func TestAmbiguousCard(t *testing.T) {
	t.Parallel()
	f := start(t, &fake{card: strings.Replace(plainCard, `"skills"`, `"Skills": [], "skills"`, 1), results: []string{`{"parts": [{"text": "hi"}]}`}})
	got := describe(called(opened(t, f, scenario.Agent{}), find, `{"query": "shoes"}`))
	if !strings.Contains(got, `its agent card has the key "skills" twice in one object`) {
		t.Error(got)
	}
}

// TestUgly: servers that are no agents, or not any more.
func TestUgly(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody else was asked") }))
	t.Cleanup(elsewhere.Close)
	write := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
		asked int
	}{
		{"HTML", write(200, "text/html", "<html>\n"), "message/send was not answered with JSON-RPC: <html>", 1},
		{"204", write(204, "", ""), "status 204 No Content", 1},
		{"nothing", write(200, "application/json", ""), "message/send was not answered with JSON-RPC", 1},
		{"401", write(401, "text/plain", "who are you?"), "status 401 Unauthorized: who are you?", 1},
		{"500", write(500, "text/plain", "oops"), "status 500 Internal Server Error: oops", 1},
		{"503", write(503, "text/plain", "later"), "status 503 Service Unavailable: later", 4},
		{"429", write(429, "text/plain", ""), "status 429 Too Many Requests", 4},
		{"an error", write(200, "application/json", `{"jsonrpc": "2.0", "error": {"code": -32000, "message": "no quota"}}`),
			"message/send failed with error -32000: no quota", 1},
		{"12 MB", write(200, "application/json", `{"result": "`+strings.Repeat("x", 12<<20)+`"}`), "the reply is larger than 10 MB", 1},
		{"invalid UTF-8", write(200, "application/json", `{"result": {"parts": [{"text": "a`+"\xff"+`b"}]}}`),
			`the reply is not UTF-8, and its Content-Type ("application/json") names no other character set`, 1},
		{"to somebody else", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
			fmt.Sprintf("it redirects to another host, %q, which is not followed", strings.TrimPrefix(elsewhere.URL, "http://")), 1},
		{"that loses the message", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) },
			"it redirects with status 302, which loses what was sent; write the address where it is, or let it answer 307", 1},
		{"half a reply", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"half"`)
		}, "the reply broke off: unexpected EOF", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, &fake{serve: c.serve})
			res := called(opened(t, f, scenario.Agent{}), find, `{"query": "shoes"}`)
			want := "unavailable: " + find + ": the agent: " + c.want
			if c.want == "" {
				want = "a\uFFFDb"
			}
			if diff := cmp.Diff(want, describe(res)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := len(f.seen()) - 1; got != c.asked {
				t.Errorf("asked %d times, want %d", got, c.asked)
			}
		})
	}
}

// TestRequests: what an agent gets, in the words of either version of the protocol.
func TestRequests(t *testing.T) {
	t.Parallel()
	const args = `{"query": "shoes", "image_data": "iVBORw0KGgo=", "image_url": "https://example.com/a.png",
		"audio_data": "data:audio/mp3;base64,aGk=", "size": 42, "skillId": "other"}`
	for _, c := range []struct {
		name, card, result, want string
		newer                    bool
	}{
		{"older", plainCard, `{"parts": [{"text": "x"}]}`, `{"configuration":{"blocking":true},"message":{"kind":"message",` +
			`"metadata":{"size":42,"skillId":"find"},"parts":[{"kind":"text","text":"shoes"},` +
			`{"file":{"bytes":"aGk=","mimeType":"audio/mp3"},"kind":"file"},{"file":{"bytes":"iVBORw0KGgo=","mimeType":"image/png"},"kind":"file"},` +
			`{"file":{"mimeType":"image/*","uri":"https://example.com/a.png"},"kind":"file"}],"role":"user"}}`, false},
		{"newer", `{"name": "Shop Agent", "supportedInterfaces": [{"url": "/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
			{"url": "%s/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "skills": [{"id": "find"}]}`,
			`{"message": {"parts": [{"text": "x"}]}}`,
			`{"message":{"metadata":{"size":42,"skillId":"find"},"parts":[{"text":"shoes"},{"mediaType":"audio/mp3","raw":"aGk="},` +
				`{"mediaType":"image/png","raw":"iVBORw0KGgo="},{"mediaType":"image/*","url":"https://example.com/a.png"}],"role":"ROLE_USER"}}`, true},
	} {
		f := start(t, &fake{card: c.card, results: []string{c.result}})
		s := opened(t, f, scenario.Agent{
			Scheme: "Token", TokenFrom: scenario.EnvHeader{Name: "Authorization", Variable: "KEY"},
			Headers: map[string]string{"X-A": "a", "X-B": "a"}, FromEnv: []scenario.EnvHeader{{Name: "X-B", Variable: "B"}},
		})
		for range 2 {
			if got := describe(called(s, find, args)); got != "x" {
				t.Fatalf("%s: %s", c.name, got)
			}
		}
		ids := map[any]bool{}
		for _, a := range f.seen() {
			for name, want := range map[string]string{"Authorization": "Token value-of-KEY", "X-A": "a", "X-B": "value-of-B"} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: %s: header %s is %q, want %q", c.name, a.path, name, got, want)
				}
			}
			if a.method == "" {
				continue
			}
			if want := map[bool]string{true: "SendMessage 1.0", false: "message/send "}[c.newer]; a.method+" "+a.header.Get("A2A-Version") != want {
				t.Errorf("%s: %s %v", c.name, a.method, a.header)
			}
			m := a.params["message"].(map[string]any)
			ids[m["messageId"]] = true
			delete(m, "messageId")
			got, _ := json.Marshal(a.params)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		if len(ids) != 2 || ids[""] || ids[nil] || len(f.seen()) != 3 {
			t.Errorf("%s: ids %v of %d requests", c.name, ids, len(f.seen()))
		}
	}
	s := opened(t, start(t, &fake{}), scenario.Agent{FromEnv: []scenario.EnvHeader{{Name: "X", Variable: "UNSET"}}})
	if got := describe(called(s, find, `{"query": "x"}`)); !strings.HasSuffix(got, "header X: the environment has no UNSET") {
		t.Error(got)
	}
	for args, want := range map[string]string{
		`{"query": "x", "image_data": "?"}`:               "image_data is not base64",
		`{"query": "x", "audio_data": "data:x;base64,?"}`: "audio_data is not base64",
		`{"query": "x", "image_url": "file:///etc"}`:      "image_url is not an HTTP address",
	} {
		s := opened(t, start(t, &fake{}), scenario.Agent{})
		if got := describe(called(s, find, args)); got != "validation: invalid arguments for "+find+": "+want {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// TestModes: an agent that takes pictures or sounds is offered with arguments for them.
func TestModes(t *testing.T) {
	t.Parallel()
	f := start(t, &fake{place: "/.well-known/agent.json", card: `{"name": "Eye", "defaultInputModes": ["text/plain", "image/png"], "skills": [
		{"id": "see"}, {"id": "hear", "inputModes": ["AUDIO/*"]}, {"id": "talk", "inputModes": ["text"]}]}`})
	list, err := opened(t, f, scenario.Agent{}).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"image_data,image_url,query", "audio_data,query", "query"} {
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(list[i].Schema, &schema); err != nil || len(schema.Required) != 1 || schema.Required[0] != "query" {
			t.Errorf("%v %s", err, list[i].Schema)
		}
		var names []string
		for _, name := range []string{"audio_data", "image_data", "image_url", "query"} {
			if schema.Properties[name] != nil {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, ","); got != want || len(schema.Properties) != len(names) {
			t.Errorf("%s takes %s, want %s", list[i].Name, got, want)
		}
	}
}

// TestNobodyWaits: the end of a call, and of its time, ends the waiting for a task; the agent is told.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		result string
		want   string
		newer  bool
	}{
		{"older", task("working", "}}"), "tasks/get tasks/cancel", false},
		{"newer", `{"task": {"id": "t7", "status": {"state": "TASK_STATE_WORKING"}}}`, "GetTask CancelTask", true},
	} {
		card := plainCard
		if c.newer {
			card = strings.Replace(card, "0.3.0", "1.0", 1)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		f := &fake{card: card}
		polls := 0
		f.serve = func(w http.ResponseWriter, _ *http.Request) {
			if polls++; polls == 2 {
				cancel(overdueError{3 * time.Second})
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, "result": %s}`, c.result)
		}
		s := opened(t, start(t, f), scenario.Agent{})
		res := s.Call(ctx, chat.ToolCall{Name: find, Args: map[string]any{"query": "x"}})
		if got := describe(res); !strings.HasPrefix(got, "unavailable: "+find+": the agent: no answer within 3s (timeout_ms)") {
			t.Error(got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if !strings.HasSuffix(f.lastText(), c.want) {
			t.Errorf("%s: asked %s", c.name, f.lastText())
		}
		all := f.seen()
		if got := all[len(all)-1].params["id"]; got != "t7" {
			t.Errorf("%s: canceled %v", c.name, got)
		}
	}
}

// TestAtOnce: calls wait for nobody.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	const calls = 8
	var arrived sync.WaitGroup
	arrived.Add(calls)
	f := start(t, &fake{serve: func(w http.ResponseWriter, _ *http.Request) {
		arrived.Done()
		arrived.Wait()
		_, _ = io.WriteString(w, `{"result": {"parts": [{"text": "x"}]}}`)
	}})
	s := opened(t, f, scenario.Agent{})
	var asking sync.WaitGroup
	for range calls {
		asking.Go(func() {
			if got := describe(called(s, find, `{"query": "x"}`)); got != "x" {
				t.Error(got)
			}
		})
	}
	asking.Wait()
}

// TestNobodyThere: an agent that is gone is an error result, as is a run without a network.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	f := start(t, &fake{})
	s := opened(t, f, scenario.Agent{})
	if _, err := s.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := describe(called(s, find, `{"query": "x"}`)); !strings.HasPrefix(got, "unavailable: "+find+": the agent: dial tcp") {
		t.Error(got)
	}
	none := open(&scenario.Agent{URL: f.URL, Written: "w", Timeout: hang.Guard}, nil, nil)
	if _, err := none.List(t.Context()); err == nil || err.Error() != "there is no network here" {
		t.Error(err)
	}
	_ = none.Close()
}

var _ tools.Source = (*source)(nil)

// TestOfficialAgents: agents of the official library are understood, in every way in which they answer.
func TestOfficialAgents(t *testing.T) {
	t.Parallel()
	const grade = "a2a__grader__grade"
	repeats := func(text string) string { return "heard " + text }
	for name, c := range map[string]struct {
		agent a2atest.Agent
		want  string
	}{
		"a status":           {a2atest.Agent{Answer: repeats}, "heard shoes"},
		"a message":          {a2atest.Agent{Answer: repeats, Plain: true}, "heard shoes"},
		"an artifact":        {a2atest.Agent{Answer: repeats, Artifact: true}, "heard shoes"},
		"a slow task":        {a2atest.Agent{Answer: repeats, Slow: true}, "heard shoes"},
		"elsewhere":          {a2atest.Agent{Answer: repeats, Path: "/invoke", Slow: true, Artifact: true}, "heard shoes"},
		"silence":            {a2atest.Agent{}, "The agent completed the task and said nothing."},
		"a failed task":      {a2atest.Agent{Answer: repeats, State: a2a.TaskStateFailed}, "execution: " + grade + ": the agent: the task is failed: heard shoes"},
		"a rejected task":    {a2atest.Agent{State: a2a.TaskStateRejected}, "execution: " + grade + ": the agent: the task is rejected"},
		"a question":         {a2atest.Agent{Answer: repeats, State: a2a.TaskStateInputRequired}, "execution: " + grade + ": the agent: the task is input-required: heard shoes"},
		"a token":            {a2atest.Agent{Answer: repeats, Token: "value-of-KEY"}, "heard shoes"},
		"some other's token": {a2atest.Agent{Answer: repeats, Token: "x"}, "unavailable: " + grade + ": the agent: status 401 Unauthorized: who are you?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := c.agent.Start()
			t.Cleanup(server.Close)
			s := opened(t, &fake{Server: server}, scenario.Agent{
				Scheme: "Bearer", TokenFrom: scenario.EnvHeader{Name: "Authorization", Variable: "KEY"},
			})
			if diff := cmp.Diff(c.want, describe(called(s, grade, `{"query": "shoes"}`))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
