package httpagent

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a server on a socket of its own.
func served(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// agent is a provider as its file would describe it.
func agent(t *testing.T, url string, edit func(*scenario.Provider)) *Provider {
	t.Helper()
	body := map[string]any{"message": "{{message}}", "session": "{{session}}"}
	spec := &scenario.Provider{
		Meta: scenario.Meta{ID: "shop"}, Type: scenario.HTTPType, BaseURL: url, RequestTimeout: hang.Guard,
		StreamIdleTimeout: hang.Guard,
		HTTP:              &scenario.HTTPAgent{Method: "POST", Error: "error", Body: body, Filled: body},
	}
	if edit != nil {
		edit(spec)
	}
	p, err := New(spec, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func ask(text string) *chat.Request {
	return &chat.Request{Messages: []chat.Message{
		{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: text},
	}}
}

// outcome is the text of a reply, or its error without the address of the server.
func outcome(url string, r chat.Reply, err error) string {
	if err == nil {
		return r.Content
	}
	kind := "?"
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		if kind = string(failed.Kind); !failed.Final {
			kind += ", again"
		}
	}
	return kind + ": " + strings.ReplaceAll(strings.TrimPrefix(err.Error(), "provider shop: "), url, "URL")
}

const jsonKind = "application/json"

func answer(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestAnswers: replies and errors for all kinds of answers. Nothing that the agent may have received is sent again.
func TestAnswers(t *testing.T) {
	t.Parallel()
	reply := func(path string) func(*scenario.HTTPAgent) { return func(h *scenario.HTTPAgent) { h.Reply = path } }
	usage := func(h *scenario.HTTPAgent) { h.Usage = "usage" }
	calls := func(h *scenario.HTTPAgent) { h.ToolCalls = "calls" }
	session := func(h *scenario.HTTPAgent) { h.SessionFrom, h.SessionName = "path", "sid" }
	for _, c := range []struct {
		name   string
		edit   func(*scenario.HTTPAgent)
		answer http.HandlerFunc
		want   string
	}{
		{"reply", nil, answer(200, jsonKind, `{"reply": "Hello"}`), "Hello"},
		{"output", nil, answer(200, jsonKind, `{"output": "Hello"}`), "Hello"},
		{"a usual place with something else", nil, answer(200, jsonKind, `{"output": {"a": 1}, "text": "Hello"}`), "Hello"},
		{"chat completions", nil, answer(200, jsonKind, `{"choices": [{"message": {"content": "Hello"}}]}`), "Hello"},
		{"a path", reply("data.answers[-1].words"), answer(201, jsonKind,
			`{"data": {"answers": [{"words": "no"}, {"words": "Hello"}]}}`), "Hello"},
		{"JSONPath", reply("$.data[?(@.kind == 'text')].text"), answer(200, jsonKind,
			`{"data": [{"kind": "note", "text": "no"}, {"kind": "text", "text": "Hello"}]}`), "Hello"},
		{"a text alone", reply("@"), answer(200, jsonKind, `"Hello"`), "Hello"},
		{"another Content-Type", nil, answer(200, "text/plain", `{"reply": "Hello"}`), "Hello"},
		{"Latin-1", nil, answer(200, "application/json; charset=iso-8859-1", "{\"reply\": \"Z\xfcrich\"}"), "Zürich"},
		{"keys that differ in case", nil, answer(200, jsonKind, `{"reply": "Hello", "id": 1, "ID": 2}`), "Hello"},
		{"no error", nil, answer(200, jsonKind, `{"reply": "Hello", "error": null}`), "Hello"},
		{"error: false", nil, answer(200, jsonKind, `{"reply": "Hello", "error": false}`), "Hello"},

		{"HTML", nil, answer(200, "text/html", "<html><title>Log in</title></html>"),
			`bad_reply: the reply is an HTML page, not JSON; check additional_config.url URL: HTML page "Log in"`},
		{"words", nil, answer(200, "text/plain", "Hello"),
			`bad_reply: the reply is not valid JSON, or only a part of it; check additional_config.url URL: Hello`},
		{"a part", nil, answer(200, jsonKind, `{"reply": "Hel`),
			`bad_reply: the reply is not valid JSON, or only a part of it; check additional_config.url URL: {"reply": "Hel`},
		{"nothing", nil, answer(200, jsonKind, ""), "bad_reply: the reply is empty; check additional_config.url URL"},
		{"204", nil, answer(204, jsonKind, ""), "bad_reply: the server answers with the status 204 No Content, and no reply"},
		{"another form", nil, answer(200, jsonKind, `{"answer": "Hello"}`),
			"bad_reply: the answer has a text in none of the " +
				"usual places (reply, output, text, content, choices[0].message.content); write the path to it as " +
				`additional_config.reply: {"answer": "Hello"}`},
		{"a number in a usual place", nil, answer(200, jsonKind, `{"reply": 42}`),
			"bad_reply: the answer has a text in none of the " +
				"usual places (reply, output, text, content, choices[0].message.content; at reply is a number); write the " +
				`path to it as additional_config.reply: {"reply": 42}`},
		{"a stream", nil, answer(200, "text/event-stream", "data: {\"t\": \"Hel\"}\n\n"),
			"bad_reply: the answer is a stream of events, and the file does not say how it is read: write " +
				`additional_config.stream: data: {"t": "Hel"}`},
		{"the path leads nowhere", reply("data.text"), answer(200, jsonKind, `{"reply": "Hello"}`),
			`bad_reply: the answer has nothing at "data.text" (additional_config.reply): {"reply": "Hello"}`},
		{"null", reply("reply"), answer(200, jsonKind, `{"reply": null}`),
			`bad_reply: the answer has nothing at "reply" (additional_config.reply): {"reply": null}`},
		{"an object", reply("reply"), answer(200, jsonKind, `{"reply": {"text": "Hello"}}`),
			`bad_reply: the reply should be a text at "reply", and there is an object: {"reply": {"text": "Hello"}}`},
		{"a number", reply("reply"), answer(200, jsonKind, `{"reply": 5}`),
			`bad_reply: the reply should be a text at "reply", and there is a number: {"reply": 5}`},
		{"two texts", reply("$.l[*]"), answer(200, jsonKind, `{"l": ["a", "b"]}`),
			`bad_reply: the reply should be a text at "$.l[*]", and there is 2 values: {"l": ["a", "b"]}`},
		{"an empty reply", nil, answer(200, jsonKind, `{"reply": " \n"}`), `bad_reply: the reply is empty: {"reply": " \n"}`},
		{"invalid UTF-8", nil, answer(200, jsonKind, "{\"reply\": \"a\xff\"}"),
			"bad_reply: the reply is not UTF-8, and its " +
				"Content-Type (\"application/json\") names no other character set: {\"reply\": \"a\uFFFD\"}"},
		{"a NUL", nil, answer(200, jsonKind, `{"reply": "a\u0000b"}`),
			`bad_reply: the reply holds a NUL character: {"reply": "a\u0000b"}`},
		{"a key twice", nil, answer(200, jsonKind, `{"reply": "yes", "reply": "no"}`),
			`bad_reply: the reply has the key "reply" ` +
				`twice in one object, and it is not known which one holds: {"reply": "yes", "reply": "no"}`},
		{"two documents", nil, answer(200, jsonKind, `{"reply": "yes"}{"reply": "no"}`),
			"bad_reply: the reply is not valid JSON, " +
				`or only a part of it; check additional_config.url URL: {"reply": "yes"}{"reply": "no"}`},
		{"too deep", nil, answer(200, jsonKind, strings.Repeat("[", 20000)+strings.Repeat("]", 20000)),
			"bad_reply: the reply is " +
				"not valid JSON, or only a part of it; check additional_config.url URL: " + strings.Repeat("[", 300) + "…"},
		{"too large", nil, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"reply": "`)
			for range 33 {
				_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
			}
		}, "bad_reply: the reply is larger than 32 MiB"},
		{"an error beside a reply", nil, answer(200, jsonKind, `{"reply": "Hello", "error": {"message": "no database"}}`),
			"bad_reply: the server reports an error: no database"},
		{"an error elsewhere", func(h *scenario.HTTPAgent) { h.Error = "status.failed" }, answer(200, jsonKind,
			`{"reply": "Hello", "status": {"failed": true}}`), `bad_reply: the server reports an error: {"error":true}`},
		{"a reply that broke off", func(h *scenario.HTTPAgent) { h.Finish = "why" }, answer(200, jsonKind,
			`{"reply": "Hel", "why": "error"}`),
			`bad_reply: the endpoint broke the reply off (finish_reason error): {"reply": "Hel", "why": "error"}`},
		{"a finish reason of another kind", func(h *scenario.HTTPAgent) { h.Finish = "why" }, answer(200, jsonKind,
			`{"reply": "Hel", "why": 3}`),
			`bad_reply: finish_reason should be a text at "why", and there is a number: {"reply": "Hel", "why": 3}`},
		{"no session", session, answer(200, jsonKind, `{"reply": "Hello"}`),
			`bad_reply: the answer tells no session (path "sid"): {"reply": "Hello"}`},
		{"a session of another kind", session, answer(200, jsonKind, `{"reply": "Hello", "sid": ["a"]}`),
			`bad_reply: the session should be a text or a number at "sid", and there is a list: ` +
				`{"reply": "Hello", "sid": ["a"]}`},
		{"usage of another form", usage, answer(200, jsonKind, `{"reply": "Hello", "usage": 5}`),
			`bad_reply: usage should be an object at "usage", and there is a number: {"reply": "Hello", "usage": 5}`},
		{"arguments told in two ways", calls, answer(200, jsonKind,
			`{"reply": "Hi", "calls": [{"name": "get", "args": {"a": 1}, "input": {"a": 2}}]}`),
			`bad_reply: a call of a tool is told in two ways, as args and as input: ` +
				`{"reply": "Hi", "calls": [{"name": "get", "args": {"a": 1}, "input": {"a": 2}}]}`},
		{"a name told in two ways", calls, answer(200, jsonKind,
			`{"reply": "Hi", "calls": [{"name": "get", "tool": "refund"}]}`),
			`bad_reply: a call of a tool is told in two ways, as name and as tool: ` +
				`{"reply": "Hi", "calls": [{"name": "get", "tool": "refund"}]}`},
		{"usage of other words", usage, answer(200, jsonKind, `{"reply": "Hello", "usage": {"in": 5}}`),
			`bad_reply: usage at "usage" has neither input_tokens nor output_tokens nor cost_usd: ` +
				`{"reply": "Hello", "usage": {"in": 5}}`},
		{"tokens that cannot be", usage, answer(200, jsonKind, `{"reply": "Hello", "usage": {"input_tokens": -5}}`),
			`bad_reply: usage.input_tokens is -5, which no call can have taken: ` +
				`{"reply": "Hello", "usage": {"input_tokens": -5}}`},
		{"half a token", usage, answer(200, jsonKind, `{"reply": "Hello", "usage": {"output_tokens": 1.5}}`),
			`bad_reply: usage.output_tokens is 1.5, which no call can have taken: ` +
				`{"reply": "Hello", "usage": {"output_tokens": 1.5}}`},
		{"a cost that cannot be", usage, answer(200, jsonKind, `{"reply": "Hello", "usage": {"cost_usd": "free"}}`),
			`bad_reply: usage.cost_usd is "free", which no cost can be: {"reply": "Hello", "usage": {"cost_usd": "free"}}`},
		{"calls that are no list", calls, answer(200, jsonKind, `{"reply": "Hello", "calls": {"name": "x"}}`),
			`bad_reply: tool_calls should be a list at "calls", and there is an object: ` +
				`{"reply": "Hello", "calls": {"name": "x"}}`},
		{"a call that is none", calls, answer(200, jsonKind, `{"reply": "Hello", "calls": ["x"]}`),
			`bad_reply: a call of a tool should be an object, and is a text: {"reply": "Hello", "calls": ["x"]}`},
		{"a call without a name", calls, answer(200, jsonKind, `{"reply": "Hello", "calls": [{"args": {}}]}`),
			`bad_reply: a call of a tool has no name: {"reply": "Hello", "calls": [{"args": {}}]}`},
		{"arguments of another kind", calls, answer(200, jsonKind,
			`{"reply": "Hello", "calls": [{"name": "x", "args": [1]}]}`),
			`bad_reply: the arguments of x should be an object, and are a list: ` +
				`{"reply": "Hello", "calls": [{"name": "x", "args": [1]}]}`},
		{"two calls with one id", calls, answer(200, jsonKind,
			`{"reply": "Hello", "calls": [{"id": "1", "name": "x"}, {"id": "1", "name": "y"}]}`),
			`bad_reply: two calls of tools have the id 1: {"reply": "Hello", "calls": [{"id": "1", "name": "x"}, ` +
				`{"id": "1", "name": "y"}]}`},
		{"calls without words", calls, answer(200, jsonKind, `{"calls": [{"name": "x"}]}`),
			`bad_reply: the agent called tools and said nothing: {"calls": [{"name": "x"}]}`},

		{"400", nil, answer(400, jsonKind, `{"detail": "no such field"}`), "refused: http 400: no such field; check what " +
			"additional_config.body sends; arena prompt --wire shows it"},
		{"401", nil, answer(401, jsonKind, `{"error": "who are you"}`), "auth: http 401: who are you; check what " +
			"additional_config.headers sends to prove who asks"},
		{"403", nil, answer(403, "text/plain", `no`), "auth: http 403: no; who asks may not do this; check " +
			"additional_config.headers"},
		{"404", nil, answer(404, "text/html", `<title>Not here</title>`), `refused: http 404: HTML page "Not here"; check ` +
			"additional_config.url"},
		{"405", nil, answer(405, "text/plain", `no`), "refused: http 405: no; check additional_config.method"},
		{"408", nil, answer(408, "text/plain", `slow`), "timeout: http 408: slow"},
		{"429", nil, answer(429, "text/plain", `slow down`), "rate_limit, again: http 429: slow down"},
		{"500", nil, answer(500, "text/plain", `oops`), "transport, again: http 500: oops"},
		{"503", nil, answer(503, "text/plain", `later`), "transport, again: http 503: later"},
		{"a redirect", nil, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/login?next=x", http.StatusFound)
		}, "refused: http 302; URL redirects to http://elsewhere.test/login, which is not followed; check " +
			"additional_config.url"},
		{"a redirect that keeps the body", nil, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/login?next=x", http.StatusPermanentRedirect)
		}, "refused: http 308; URL redirects to http://elsewhere.test/login, which is not followed; check " +
			"additional_config.url"},
		{"a body that is cut", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"reply": "Hello"}`)
		}, "transport: the connection was cut before the reply ended"},
		{"a connection that is cut", nil, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"transport: the connection was cut before the reply ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := served(t, c.answer)
			p := agent(t, url, func(s *scenario.Provider) {
				if c.edit != nil {
					c.edit(s.HTTP)
				}
			})
			r, err := p.Complete(t.Context(), ask("Hi"), nil)
			if diff := cmp.Diff(c.want, outcome(url, r, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNobodyThere: what was never reached may be asked again; an endpoint that hangs may have heard.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = agent(t, url, nil).Complete(t.Context(), ask("Hi"), nil)
	if got, want := outcome(url, chat.Reply{}, err),
		"transport, again: cannot reach URL: connection refused; is the server running?"; got != want {
		t.Errorf("got %s", got)
	}

	free := make(chan struct{})
	url = served(t, func(http.ResponseWriter, *http.Request) { <-free })
	t.Cleanup(func() { close(free) })
	p := agent(t, url, func(s *scenario.Provider) { s.RequestTimeout = 50 * time.Millisecond }) // is meant to pass
	_, err = p.Complete(t.Context(), ask("Hi"), nil)
	if got, want := outcome(url, chat.Reply{}, err), "timeout: timeout: no reply in 0.05s (request_timeout)"; got != want {
		t.Errorf("got %s", got)
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	cancel(ended)
	if _, err := p.Complete(ctx, ask("Hi"), nil); !errors.Is(err, ended) {
		t.Errorf("a call whose trial has ended says %v", err)
	}
}
