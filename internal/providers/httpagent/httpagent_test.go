package httpagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

// TestAnswers: what becomes of whatever an endpoint answers. What is no reply is an error, and nothing is asked for
// again that the agent may have heard.
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

// TestStreams: what becomes of a stream.
func TestStreams(t *testing.T) {
	t.Parallel()
	const hello = "data: {\"delta\": {\"text\": \"Hel\"}}\n\ndata: {\"delta\": {\"text\": \"lo\"}}\n\n"
	const done = "data: [DONE]\n\n"
	for _, c := range []struct{ name, done, kind, body, want, pieces string }{
		{"whole", "", "", hello + done, "Hello", "Hel|lo"},
		{"comments, ids and other events", "", "",
			": hi\n\n" + hello + "id: 5\nevent: meta\ndata: {\"delta\": null}\n\n" + done,
			"Hello", "Hel|lo"},
		{"CRLF", "", "", strings.ReplaceAll(hello+done, "\n", "\r\n"), "Hello", "Hel|lo"},
		{"an event over several lines", "", "",
			"data: {\"delta\":\ndata: {\"text\": \"Hello\"}}\n\n" + done, "Hello", "Hello"},
		{"an event by its name", "end", "", hello + "event: end\ndata: {}\n\n", "Hello", "Hel|lo"},
		{"what comes after the end", "", "", hello + done + "data: {\"delta\": {\"text\": \"no\"}}\n\n", "Hello", "Hel|lo"},
		{"one document", "", jsonKind, `{"reply": "Hello"}`, "Hello", "Hello"},

		{"HTML", "", "text/html", "<title>Log in</title>", "bad_reply: the reply is an HTML page, not JSON; check " +
			`additional_config.url URL: HTML page "Log in"`, ""},
		{"no end", "", "", hello, "bad_reply: the stream ended before the reply did: no event has the data or the name " +
			`"[DONE]" (stream.done)`, "Hel|lo"},
		{"cut within an event", "", "", hello + "data: {\"delta\": {\"te", "transport: the connection was cut before the " +
			"reply ended", "Hel|lo"},
		{"the end without its line", "", "", hello + "data: [DONE]",
			"transport: the connection was cut before the reply ended", "Hel|lo"},
		{"no text", "", "", "data: {\"text\": \"Hello\"}\n\n" + done, "bad_reply: no event of the stream has text at " +
			`"delta.text" (stream.data); the first one is: {"text": "Hello"}`, ""},
		{"blanks", "", "", "data: {\"delta\": {\"text\": \" \"}}\n\n" + done,
			`bad_reply: the reply is empty: {"delta": {"text": " "}}`, " "},
		{"nothing", "", "", "", "bad_reply: the stream brought no event of a reply", ""},
		{"an end alone", "", "", done, "bad_reply: the stream brought no event of a reply", ""},
		{"words", "", "", "data: Hello\n\n" + done, "bad_reply: a chunk of the stream is not JSON: Hello", ""},
		{"an error", "", "", hello + "event: error\ndata: {\"message\": \"no database\"}\n\n" + done,
			"bad_reply: the server reports an error: no database", "Hel|lo"},
		{"an error in the data", "", "", hello + "data: {\"error\": \"no database\"}\n\n" + done,
			"bad_reply: the server reports an error: no database", "Hel|lo"},
		{"a piece of another kind", "", "", "data: {\"delta\": {\"text\": 5}}\n\n" + done,
			"bad_reply: a piece of the reply " +
				`should be a text at "delta.text" (stream.data), and there is a number: {"delta": {"text": 5}}`, ""},
		{"a key twice", "", "", "data: {\"delta\": {\"text\": \"a\", \"text\": \"b\"}}\n\n" + done,
			"bad_reply: a chunk of the " +
				`stream has the key "text" twice in one object, and it is not known which one holds: ` +
				`{"delta": {"text": "a", "text": "b"}}`, ""},
		{"invalid UTF-8", "", "", "data: {\"delta\": {\"text\": \"a\xff\"}}\n\n" + done,
			"bad_reply: a chunk of the stream is not UTF-8: {\"delta\": {\"text\": \"a\uFFFD\"}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind := c.kind
			if kind == "" {
				kind = "text/event-stream"
			}
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept"); got != "text/event-stream" {
					t.Errorf("the request accepts %s", got)
				}
				answer(200, kind, c.body)(w, r)
			})
			p := agent(t, url, func(s *scenario.Provider) {
				s.HTTP.Stream = &scenario.HTTPStream{Data: "delta.text", Done: "[DONE]"}
				if c.done != "" {
					s.HTTP.Stream.Done = c.done
				}
			})
			for _, listens := range []bool{true, false} {
				var pieces []string
				req := ask("Hi")
				req.Stream = listens
				r, err := p.Complete(t.Context(), req, func(d chat.Delta) error {
					pieces = append(pieces, d.Text)
					return nil
				})
				if diff := cmp.Diff(c.want, outcome(url, r, err)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				want := c.pieces
				if !listens {
					want = ""
				}
				if got := strings.Join(pieces, "|"); got != want {
					t.Errorf("listening: %v; the pieces are %q, want %q", listens, got, want)
				}
			}
		})
	}
}

// TestSilentStream: events that bring nothing of a reply are silence.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: {\"ping\": 1}\n\n"); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	})
	p := agent(t, url, func(s *scenario.Provider) {
		s.RequestTimeout = 50 * time.Millisecond // is meant to pass
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
	})
	_, err := p.Complete(t.Context(), ask("Hi"), nil)
	got := outcome(url, chat.Reply{}, err)
	if got != "timeout: timeout: no reply in 0.05s (request_timeout)" &&
		got != "bad_reply: the reply is larger than 32 MiB" {
		t.Errorf("got %s", got)
	}
}

// TestEnough: a guardrail closes the stream, and what came is the reply.
func TestEnough(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"text\": \"My password\"}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	p := agent(t, url, func(s *scenario.Provider) {
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
	})
	req := ask("Hi")
	req.Stream = true
	r, err := p.Complete(t.Context(), req, func(chat.Delta) error { return providers.ErrEnough })
	if err != nil || r.Content != "My password" || len(r.Untold) != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
	told := agent(t, url, func(s *scenario.Provider) {
		s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
		s.HTTP.SessionFrom, s.HTTP.SessionName = "path", "id"
	})
	ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "t"})
	if _, err := told.Complete(ctx, req, func(chat.Delta) error { return providers.ErrEnough }); err != nil {
		t.Error(err)
	}
	_, err = told.Complete(ctx, req, func(chat.Delta) error { return providers.ErrEnough })
	if err == nil || !strings.Contains(err.Error(), "closed before the endpoint had told its session") {
		t.Errorf("a conversation goes on without its session: %v", err)
	}
	refused := errors.New("refused")
	if _, err := p.Complete(t.Context(), req, func(chat.Delta) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

// seen is what a server got.
type seen struct {
	mu   sync.Mutex
	list []string
}

func (s *seen) add(r *http.Request) int {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	line := r.Method + " " + r.RequestURI
	for _, name := range []string{"X-Session", "X-A", "Content-Type", "Authorization"} {
		if v := r.Header.Get(name); v != "" {
			line += " " + name + "=" + v
		}
	}
	s.list = append(s.list, line+" "+string(body))
	return len(s.list)
}

type row map[string]string

func (r row) FillText(text string) (string, []string) {
	name := strings.Trim(text, "{}")
	if v, there := r[name]; there {
		return v, nil
	}
	return text, []string{name}
}

func (row) FillCalls(calls []chat.ToolCall) ([]chat.ToolCall, []string) { return calls, nil }

// TestRequests: what a server gets.
func TestRequests(t *testing.T) {
	t.Parallel()
	body := func(text string) any {
		v, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	messages := []chat.Message{
		{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: "Hi"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "get", Args: chat.Args{"a": "b"}}}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "get", Content: "c"}},
		{Role: chat.Assistant, Content: "Hello"}, {Role: chat.User, Content: "a \"b\" & c/../?d=e\nü"},
	}
	const past = `{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"1",` +
		`"type":"function","function":{"name":"get","arguments":"{\"a\":\"b\"}"}}]},{"role":"tool","content":"c",` +
		`"tool_call_id":"1","name":"get"},{"role":"assistant","content":"Hello"}`
	for _, c := range []struct {
		name, method, url, body string
		headers                 map[string]string
		want                    string // what the server got, or the error
	}{
		{"by value", "POST", "/", `{"m": "{{message}}", "t": "{{turn}}", "trial": "{{trial}}", "sc": "{{ scenario }}", ` +
			`"sys": "{{system}}", "n": 1.50, "l": [true, null, "{{turn}}"]}`, nil,
			`POST / Content-Type=application/json {"l":[true,null,2],"m":"a \"b\" & c/../?d=e\nü","n":1.50,"sc":"sc",` +
				`"sys":"Be kind.","t":2,"trial":"trial-1"}`},
		{"history", "PUT", "/", `{"h": "{{json history}}"}`, nil,
			`PUT / Content-Type=application/json {"h":[` + past + `]}`},
		{"messages", "POST", "/", `{"h": "{{messages}}"}`, nil,
			`POST / Content-Type=application/json {"h":[{"role":"system","content":"Be kind."},` + past +
				`,{"role":"user","content":"a \"b\" & c/../?d=e\nü"}]}`},
		{"within a text", "POST", "/", `{"m": "turn {{turn}}: {{json message}}, {{unknown}}"}`, nil,
			`POST / Content-Type=application/json {"m":"turn 2: \"a \\\"b\\\" & c/../?d=e\\nü\", {{unknown}}"}`},
		{"a list", "POST", "/", `["{{turn}}"]`, nil, `POST / Content-Type=application/json [2]`},
		{"an address", "GET", "/a/{{message}}?t={{turn}}", "", nil,
			`GET /a/a%20%22b%22%20%26%20c%2F..%2F%3Fd%3De%0A%C3%BC?t=2 `},
		{"a header", "POST", "/", `{"t": "{{turn}}"}`, map[string]string{"X-A": "{{row.city}}", "Authorization": "Bearer k"},
			`POST / X-A=Berlin Content-Type=application/json Authorization=Bearer k {"t":2}`},
		{"a row", "POST", "/", `{"c": "{{row.city}}"}`, nil, `POST / Content-Type=application/json {"c":"Berlin"}`},
		{"a header with a line break", "POST", "/", `{}`, map[string]string{"X-A": "{{message}}"},
			"refused: the header X-A cannot hold what stands in the place of {{message}}: it has a line break or another " +
				"control character"},
		{"a field that no row has", "POST", "/", `{"c": "{{row.town}}"}`, nil,
			`refused: the row of the dataset has no field "town"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got seen
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				got.add(r)
				answer(200, jsonKind, `{"reply": "Hello"}`)(w, r)
			})
			p := agent(t, url+c.url, func(s *scenario.Provider) {
				s.HTTP.Method, s.HTTP.Filled, s.Headers = c.method, nil, c.headers
				if c.body != "" {
					s.HTTP.Filled = body(c.body)
				}
			})
			ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "trial-1", Scenario: "sc"})
			req := &chat.Request{Messages: messages, Origin: chat.Origin{Turn: 2, Row: row{"city": "Berlin"}}}
			r, err := p.Complete(ctx, req, nil)
			said := outcome(url, r, err)
			if err == nil {
				said = strings.Join(got.list, "\n")
			}
			if diff := cmp.Diff(c.want, said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNothingToAsk: messages that cannot be sent.
func TestNothingToAsk(t *testing.T) {
	t.Parallel()
	p := agent(t, "http://127.0.0.1:1", nil)
	_, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{{Role: chat.System}}}, nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: there is no message of a user to answer" {
		t.Errorf("got %s", got)
	}
	picture := &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{
		{Type: "text", Text: "What is it?"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "aGk="}},
	}}}}
	_, err = p.Complete(t.Context(), picture, nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: a message has a part of type image, and the "+
		"endpoint gets text alone" {
		t.Errorf("got %s", got)
	}
	p = agent(t, "http://127.0.0.1:1", func(s *scenario.Provider) {
		s.HTTP.Filled = map[string]any{"city": "{{row.city}}"}
	})
	_, err = p.Complete(t.Context(), ask("Hi"), nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: {{row.city}} stands for a field of a row, and the "+
		"scenario has no dataset" {
		t.Errorf("got %s", got)
	}
}

// TestSessions: each trial has a session of its own, for all its turns, by whatever way the endpoint tells it.
func TestSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, where string }{
		{"made up", "", ""}, {"by a header", "header", "X-Session"}, {"by a path", "path", "meta.id"},
		{"a number", "path", "meta.number"}, {"in a stream", "path", "meta.id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var number atomic.Int64
			var mu sync.Mutex
			said := map[string][]string{}
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					Message string
					Session any
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				n := 1000000 + number.Add(1)
				id := fmt.Sprint(in.Session)
				switch {
				case in.Session != nil && c.name == "a number":
					n = int64(in.Session.(float64))
					id = fmt.Sprint(n)
				case in.Session == nil:
					id = fmt.Sprint(n)
				}
				mu.Lock()
				said[id] = append(said[id], in.Message)
				all := strings.Join(said[id], " ")
				mu.Unlock()
				w.Header().Set("X-Session", id)
				if c.name == "in a stream" {
					answer(200, "text/event-stream", fmt.Sprintf("data: {\"meta\": {\"id\": %q}}\n\ndata: {\"text\": %q}\n\n"+
						"data: [DONE]\n\n", id, all))(w, r)
					return
				}
				answer(200, jsonKind, fmt.Sprintf(`{"reply": %q, "meta": {"id": %q, "number": %d}}`, all, id, n))(w, r)
			})
			p := agent(t, url, func(s *scenario.Provider) {
				s.HTTP.SessionFrom, s.HTTP.SessionName = c.from, c.where
				if c.name == "in a stream" {
					s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
				}
			})
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					trial := &providers.Trial{ID: "same"} // ids of earlier runs come again
					ctx := providers.InTrial(t.Context(), trial)
					want := ""
					for turn := range 3 {
						word := fmt.Sprintf("%d-%d", i, turn)
						want = strings.TrimSpace(want + " " + word)
						req := ask(word)
						req.Origin.Turn = turn
						r, err := p.Complete(ctx, req, nil)
						if err != nil || r.Content != want {
							t.Errorf("got %q, %v, want %q", r.Content, err, want)
						}
					}
					if _, err := trial.End(ctx); err != nil {
						t.Error(err)
					}
					if _, err := p.Complete(ctx, ask("more"), nil); err == nil || !strings.Contains(err.Error(), "the trial is over") {
						t.Errorf("after its end a trial says %v", err)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestTold: what an endpoint tells of its work, and what it leaves untold.
func TestTold(t *testing.T) {
	t.Parallel()
	const whole = `{"reply": "Lost.", "why": "length", "usage": {"prompt_tokens": 12, "completion_tokens": 3, ` +
		`"cached_tokens": 2, "cost_usd": 0.25}, "calls": [` +
		`{"id": 7, "name": "get", "args": {"id": 12345678901234567890}, "result": {"status": "lost"}}, ` +
		`{"id": "b", "function": {"name": "mail", "arguments": "{\"to\": \"x\"}"}, "error": "no server"}, ` +
		`{"tool": "wait", "input": {}, "output": "ok"}, {"name": "odd", "arguments": "not JSON"}]}`
	streamed := "data: {\"calls\": [{\"id\": \"7\", \"name\": \"get\", \"args\": {\"id\": 12345678901234567890}}]}\n\n" +
		"data: {\"reply\": \"Lost.\"}\n\n" +
		"data: {\"calls\": [{\"id\": \"7\", \"name\": \"get\", \"result\": {\"status\": \"lost\"}}]}\n\n" +
		strings.ReplaceAll("data: "+whole[strings.Index(whole, `"why"`)-1:]+"\n\n", `"why"`, `{"why"`)
	streamed = strings.Replace(streamed, ` {"why"`, `{"why"`, 1) + "data: [DONE]\n\n"
	for _, kind := range []string{jsonKind, "text/event-stream"} {
		url := served(t, answer(200, kind, map[string]string{jsonKind: whole, "text/event-stream": streamed}[kind]))
		p := agent(t, url, func(s *scenario.Provider) {
			h := s.HTTP
			h.ToolCalls, h.Usage, h.Finish = "calls", "usage", "why"
			if kind != jsonKind {
				h.Stream = &scenario.HTTPStream{Data: "reply", Done: "[DONE]"}
			}
		})
		ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "t"})
		req := ask("Where is it?")
		req.Stream = true
		var pieces []string
		listen := func(d chat.Delta) error {
			pieces = append(pieces, d.Text)
			return nil
		}
		r, err := p.Complete(ctx, req, listen)
		if err != nil || len(pieces) != 0 || r.Content != "" || r.FinishReason != "tool_calls" || r.Usage != (chat.Usage{}) ||
			*r.CostUSD != 0 {
			t.Fatalf("%s: %+v, %v, %q", kind, r, err, pieces)
		}
		var lines []string
		for i, call := range r.ToolCalls {
			res := r.ToolResults[i]
			lines = append(lines, fmt.Sprint(call.ID, " ", call.Name, " ", call.Args, call.BadArgs, " ",
				strings.Join(strings.Fields(res.Content), ""), " ", res.Error))
			if res.ID != call.ID {
				t.Errorf("the result of %s is that of %s", call.ID, res.ID)
			}
		}
		want := []string{
			`7 get map[id:12345678901234567890] {"status":"lost"} `, `b mail map[to:x] noserver no server`,
			`call-3 wait map[] ok `, `call-4 odd map[]not JSON  `,
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		req.Origin.Reply = 1
		r, err = p.Complete(ctx, req, listen)
		if err != nil || r.Content != "Lost." || strings.Join(pieces, "|") != "Lost." || r.FinishReason != "length" ||
			*r.CostUSD != 0.25 || r.Usage != (chat.Usage{InputTokens: 12, OutputTokens: 3, CachedTokens: 2}) ||
			!cmp.Equal(r.Untold, []string{chat.UntoldModelCalls}) {
			t.Errorf("%s: %+v, %v, %q", kind, r, err, pieces)
		}
		if want := "tells a call of odd without a result or an error"; !strings.Contains(r.Notice, want) {
			t.Errorf("%s: the notice is %q", kind, r.Notice)
		}
		if _, err := p.Complete(ctx, req, listen); err == nil {
			t.Error("it goes on with a reply that is finished")
		}
	}
}

// TestUntold: an answer without the list of calls tells nothing of tools, and an empty list tells that there were none.
func TestUntold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, answer string
		want         int
	}{
		{"", `{"reply": "Hello"}`, 2},
		{"", `{"reply": "Hello", "calls": []}`, 2},
		{"calls", `{"reply": "Hello"}`, 2},
		{"calls", `{"reply": "Hello", "calls": null}`, 2},
		{"$.steps[*].calls[*]", `{"reply": "Hello", "calls": []}`, 2},
		{"calls", `{"reply": "Hello", "calls": []}`, 1},
		{"calls || `[]`", `{"reply": "Hello"}`, 1},
	} {
		p := agent(t, served(t, answer(200, jsonKind, c.answer)), func(s *scenario.Provider) { s.HTTP.ToolCalls = c.path })
		r, err := p.Complete(t.Context(), ask("Hi"), nil)
		if err != nil || len(r.Untold) != c.want || !r.Usage.Estimated || r.Usage.InputTokens == 0 || r.CostUSD != nil {
			t.Errorf("%s %s: %+v, %v", c.path, c.answer, r, err)
		}
	}
}

// TestSecrets: what the environment has put into a request is in no error, also when the endpoint repeats it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(403, "text/plain", r.RequestURI+" "+r.Header.Get("Authorization")+" "+string(body))(w, r)
	})
	p := agent(t, url+"/a?k=in-the-address", func(s *scenario.Provider) {
		s.Headers = map[string]string{"Authorization": "Bearer in-the-header"}
		s.HTTP.Filled = map[string]any{"k": "in-the-body"}
		s.HTTP.FromEnv = []scenario.EnvPut{
			{Name: "url", Value: "in-the-address"}, {Name: "Authorization", Value: "in-the-header"},
			{Name: "k", Value: "in-the-body"},
		}
	})
	_, err := p.Complete(t.Context(), ask("Hi"), nil)
	if err == nil || strings.Contains(err.Error(), "in-the") || strings.Count(err.Error(), "redacted") != 3 {
		t.Errorf("got %v", err)
	}
}
