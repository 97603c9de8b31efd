package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// toolOf is the tool "probe" of an endpoint, with its box.
func toolOf(t *testing.T, client *http.Client, h *scenario.HTTPTool) *tools.Box {
	t.Helper()
	if h.Timeout == 0 {
		h.Timeout = hang.Guard
	}
	if h.Method == "" {
		h.Method = http.MethodPost
	}
	h.Written = "the endpoint"
	getenv := func(name string) (string, bool) { return "key-from-" + name, name != "UNSET" }
	registry, err := tools.New([]*scenario.Tool{{Meta: scenario.Meta{ID: "probe"}, Mode: "live", HTTP: h}},
		func(spec *scenario.Tool) (tools.Runner, error) { return New(spec, client, getenv), nil })
	if err != nil {
		t.Fatal(err)
	}
	box := tools.NewKit(registry).Box("")
	return &box
}

func called(t *testing.T, b *tools.Box, args string) chat.ToolResult {
	t.Helper()
	parsed, _ := chat.ParseArgs(args)
	return b.Call(t.Context(), chat.ToolCall{ID: "c", Name: "probe", Args: parsed})
}

// describe is a result, or the type and the text of its error.
func describe(res chat.ToolResult) string {
	if res.Error != "" {
		return res.ErrorType + ": " + res.Error
	}
	return res.Content
}

// TestRequests: what a server gets of the arguments.
func TestRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heads := ""
		for _, name := range []string{"X-A", "X-B", "X-C", "X-D", "Content-Type"} {
			if v := r.Header.Get(name); v != "" {
				heads += " " + name + "=" + v
			}
		}
		_, _ = fmt.Fprintf(w, "%s %s %s%s", r.Method, r.RequestURI, body, heads)
	}))
	t.Cleanup(server.Close)
	const jsonType = " Content-Type=application/json"
	for _, c := range []struct {
		name string
		http scenario.HTTPTool
		args string
		want string // of what came, or the error
	}{
		{"a body", scenario.HTTPTool{URL: "/o"}, `{"id": 12345678901234567890, "n": 1.5}`,
			`POST /o {"id":12345678901234567890,"n":1.5}` + jsonType},
		{"no arguments, no body", scenario.HTTPTool{URL: "/o"}, `{}`, `POST /o `},
		{"a query", scenario.HTTPTool{URL: "/o?page=1&q=old", Method: "GET"},
			`{"q": "a b&c", "n": 5.0, "f": 1.5, "ok": true, "none": null, "l": [1, "x"], "o": {"a": 1}}`,
			`GET /o?f=1.5&l=%5B1%2C%22x%22%5D&n=5&none=&o=%7B%22a%22%3A1%7D&ok=true&page=1&q=a+b%26c `},
		{"a path", scenario.HTTPTool{URL: "/o/{{.id}}", Shaped: true, Placed: []string{"id"}, Method: "DELETE"},
			`{"id": "../x?y=1&z#/ü"}`, `DELETE /o/..%2Fx%3Fy%3D1%26z%23%2F%C3%BC `},
		{"a number in a path", scenario.HTTPTool{URL: "/o/{{.id}}", Shaped: true, Method: "GET"},
			`{"id": 12345678901234567890}`, `GET /o/12345678901234567890 `},
		{"a path upwards", scenario.HTTPTool{URL: "/o/{{.id}}/x", Method: "GET"}, `{"id": ".."}`,
			`unavailable: probe: url: ".." cannot stand in an address`},
		{"an argument too few", scenario.HTTPTool{URL: "/o/{{.id}}", Method: "GET"}, `{}`,
			`unavailable: probe: url: the call lacks an argument that stands in it`},
		{"a choice", scenario.HTTPTool{URL: `/{{if eq .kind "a b"}}ab{{else}}{{.kind}}{{end}}`, Shaped: true, Method: "GET"},
			`{"kind": "a b"}`, `GET /ab `},
		{"request", scenario.HTTPTool{
			URL: "/o/{{.id}}", Shaped: true, Placed: []string{"id", "who"}, QueryParams: []string{"page", "none"}, Exclude: []string{"secret"},
			HeaderParams: map[string]string{"X-A": "by {{.who}}", "X-B": "{{.who}}"}, StaticQuery: map[string]string{"v": "2"},
			StaticHeads: map[string]string{"X-B": "static", "X-C": "static"}, Headers: map[string]string{"X-C": "own", "X-D": "own"},
			FromEnv:    []scenario.EnvHeader{{Name: "X-D", Variable: "KEY"}},
			StaticBody: map[string]any{"source": "test", "a": json.Number("2")},
		}, `{"id": 7, "who": "ada", "page": 3, "secret": "s", "a": 1, "b": 2}`,
			`POST /o/7?page=3&v=2 {"a":2,"b":2,"source":"test"} X-A=by ada X-B=static X-C=own X-D=key-from-KEY` + jsonType},
		{"a mapping", scenario.HTTPTool{URL: "/o", Shaped: true, BodyMapping: "{order: {id: id}}"}, `{"id": "A1", "x": 1}`,
			`POST /o {"order":{"id":"A1"}}` + jsonType},
		{"a mapping to a list", scenario.HTTPTool{URL: "/o", BodyMapping: "[id]", StaticBody: map[string]any{"a": "b"}}, `{"id": 1}`,
			"unavailable: probe: request.body_mapping makes no object to which static_body could be added"},
		{"GET has no body", scenario.HTTPTool{URL: "/o", Shaped: true, Method: "GET", StaticBody: map[string]any{"a": "b"}}, `{"x": 1}`,
			`GET /o `},
		{"a header with a line break", scenario.HTTPTool{URL: "/o", HeaderParams: map[string]string{"X-A": "{{.a}}"}},
			`{"a": "x\r\nX-B: y"}`, "unavailable: probe: header X-A: a line break cannot stand in a header"},
		{"a variable that is gone", scenario.HTTPTool{URL: "/o", FromEnv: []scenario.EnvHeader{{Name: "X-A", Variable: "UNSET"}}}, `{}`,
			"unavailable: probe: header X-A: the environment has no UNSET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := c.http
			h.URL = server.URL + h.URL
			res := called(t, toolOf(t, server.Client(), &h), c.args)
			got := describe(res)
			var wrapped struct{ Result string }
			if json.Unmarshal([]byte(got), &wrapped) == nil {
				got = wrapped.Result
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReplies: what becomes of whatever a server answers.
func TestReplies(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"stolen": true}`)
	}))
	t.Cleanup(elsewhere.Close)
	png := "\x89PNG\r\n\x1a\n"
	say := func(kind string, status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	to := func(status int, address string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, status) }
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		http   scenario.HTTPTool
		want   string
	}{
		{"JSON", say("application/json", 200, `{"n": 1.10}`+"\n"), scenario.HTTPTool{}, "{\n  \"n\": 1.10\n}"},
		{"JSON of another type", say("text/plain", 201, "\xef\xbb\xbf[1]"), scenario.HTTPTool{}, "[\n  1\n]"},
		{"a page", say("text/html; charset=utf-8", 200, "<html>Log in"), scenario.HTTPTool{}, "unavailable: probe: POST the endpoint: " +
			`it answers with an HTML page in place of data: "<html>Log in"; if pages are what the tool gets, let its headers ` +
			`say so: Accept: text/html`},
		{"a page, mapped", say("application/xhtml+xml", 200, "<html>"), scenario.HTTPTool{Mapping: "a.b"}, "unavailable: probe: " +
			`POST the endpoint: it answers with an HTML page in place of data: "<html>"; if pages are what the tool gets, let ` +
			`its headers say so: Accept: text/html`},
		{"a page of no type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<!DOCTYPE html>")
		}, scenario.HTTPTool{}, "unavailable: probe: POST the endpoint: it answers with an HTML page in place of data: " +
			`"<!DOCTYPE html>"; if pages are what the tool gets, let its headers say so: Accept: text/html`},
		{"a page that calls itself text", say("text/plain", 200, "<!doctype html><title>Log in"), scenario.HTTPTool{},
			`unavailable: probe: POST the endpoint: it answers with an HTML page in place of data: ` +
				`"<!doctype html><title>Log in"; if pages are what the tool gets, let its headers say so: Accept: text/html`},
		{"a piece of HTML", say("text/plain", 200, "<b>A-1</b>"), scenario.HTTPTool{}, "{\n  \"result\": \"<b>A-1</b>\"\n}"},
		{"half of what it announces", say("application/json", 200, `{"ok":1`), scenario.HTTPTool{},
			`unavailable: probe: POST the endpoint: it announces its reply as JSON, which it is not: "{\"ok\":1"`},
		{"a page that was asked for", say("text/html", 200, "<html>"), scenario.HTTPTool{
			Headers: map[string]string{"accept": "text/plain, text/HTML;q=0.5"},
		}, "{\n  \"result\": \"<html>\"\n}"},
		{"JSON that calls itself a page", say("text/html", 200, "{}"), scenario.HTTPTool{}, "{}"},
		{"204", say("application/json", 204, ""), scenario.HTTPTool{}, "{\n  \"result\": \"\"\n}"},
		{"invalid UTF-8", say("application/json", 200, "{\"a\": \"\xff\"}"), scenario.HTTPTool{}, "unavailable: " +
			`probe: POST the endpoint: the reply is not UTF-8, and its Content-Type ("application/json") names no other ` +
			`character set`},
		{"Latin-1", say("application/json; charset=ISO-8859-1", 200, "{\"a\": \"Z\xfcrich\"}"),
			scenario.HTTPTool{Mapping: "a"}, "Zürich"},
		{"Latin-1 in words", say("text/plain; charset=iso-8859-1", 200, "Z\xfcrich"), scenario.HTTPTool{},
			"{\n  \"result\": \"Zürich\"\n}"},
		{"UTF-16", say("application/json", 200, "\xff\xfe{\x00}\x00"), scenario.HTTPTool{}, "{}"},
		{"redacted in Latin-1", say("application/json; charset=latin1", 200, "{\"t\u00f6ken\": \"t\"}"),
			scenario.HTTPTool{Redact: []string{"tÃ¶ken"}},
			"{\n  \"tÃ¶ken\": \"[REDACTED]\"\n}"},
		{"a refusal in Latin-1", say("text/plain; charset=iso-8859-1", 404, "Z\xfcrich"), scenario.HTTPTool{},
			`execution: probe: POST the endpoint: status 404 Not Found: Zürich`},
		{"a refusal in nobody's words", say("text/plain; charset=x-own", 404, "\xfc"), scenario.HTTPTool{},
			`execution: probe: POST the endpoint: status 404 Not Found: the reply has the character set "x-own", which is ` +
				`not known here; known are UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252`},
		{"a key twice", say("application/json", 200, `{"ok": false, "l": [{"ok": 1, "ok": 2}]}`), scenario.HTTPTool{Mapping: "ok"},
			`unavailable: probe: POST the endpoint: its reply has the key "ok" twice in one object`},
		{"a refusal", say("application/json", 404, `{"error": "no order"}`), scenario.HTTPTool{},
			`execution: probe: POST the endpoint: status 404 Not Found: {"error": "no order"}`},
		{"a long refusal", say("text/plain", 500, strings.Repeat("x", 5000)), scenario.HTTPTool{},
			"execution: probe: POST the endpoint: status 500 Internal Server Error: " + strings.Repeat("x", 2000) + "…"},
		{"redacted", say("application/json", 200, `{"token": "t", "l": [{"token": {"a": 1}, "b": 2}]}`),
			scenario.HTTPTool{Redact: []string{"token"}, Mapping: "{a: token, b: l[0].token, c: l[0].b}"},
			"{\n  \"a\": \"[REDACTED]\",\n  \"b\": \"[REDACTED]\",\n  \"c\": 2\n}"},
		{"redacted in another case, and in a text", say("application/json", 200, `{"TOKEN": 1, "t": "{\"l\": [{\"Token\": 2}]}"}`),
			scenario.HTTPTool{Redact: []string{"token"}},
			"{\n  \"TOKEN\": \"[REDACTED]\",\n  \"t\": \"{\\\"l\\\":[{\\\"Token\\\":\\\"[REDACTED]\\\"}]}\"\n}"},
		{"redacted beside markup", say("application/json", 200, `{"token": "t", "l": "<Q&A>"}`), scenario.HTTPTool{Redact: []string{"token"}},
			"{\n  \"l\": \"<Q&A>\",\n  \"token\": \"[REDACTED]\"\n}"},
		{"a redacted refusal", say("application/json", 400, `{"token": "t"}`), scenario.HTTPTool{Redact: []string{"token"}},
			`execution: probe: POST the endpoint: status 400 Bad Request: {"token":"[REDACTED]"}`},
		{"a mapping that finds nothing", say("application/json", 200, `{"a": 1}`), scenario.HTTPTool{Mapping: "b.c"}, "null"},
		{"a mapping of what is no JSON", say("text/plain", 200, `try later`), scenario.HTTPTool{Mapping: "a.b"},
			`unavailable: probe: POST the endpoint: response.body_mapping finds nothing: the reply is no JSON: "try later"`},
		{"a mapping of nothing", say("application/json", 204, ""), scenario.HTTPTool{Mapping: "a.b"}, "null"},
		{"a mapping of a text", say("text/plain", 200, `fine`), scenario.HTTPTool{Mapping: "result"}, "fine"},
		{"12 MB", say("application/json", 200, `"`+strings.Repeat("x", 12<<20)+`"`), scenario.HTTPTool{},
			"unavailable: probe: POST the endpoint: the reply is larger than 10 MB"},
		{"a picture", say("image/png", 200, png), scenario.HTTPTool{Media: true},
			`{"type":"image","content_type":"image/png","size_bytes":8}`},
		{"a document", say("application/pdf; x=y", 200, "%PDF"), scenario.HTTPTool{Media: true, AcceptTypes: []string{"application/pdf"}},
			`{"type":"document","content_type":"application/pdf","size_bytes":4}`},
		{"no picture wanted", say("image/png", 200, "x"), scenario.HTTPTool{}, "{\n  \"result\": \"x\"\n}"},
		{"to another host", to(307, elsewhere.URL), scenario.HTTPTool{},
			fmt.Sprintf("unavailable: probe: POST the endpoint: it redirects to another host, %q, which is not followed",
				strings.TrimPrefix(elsewhere.URL, "http://"))},
		{"to a private address", to(308, "http://169.254.169.254/latest/meta-data"), scenario.HTTPTool{Method: "GET"},
			`unavailable: probe: GET the endpoint: it redirects to another host, "169.254.169.254", which is not followed`},
		{"that loses the body", to(302, "/elsewhere"), scenario.HTTPTool{}, "unavailable: probe: POST the endpoint: " +
			"it redirects with status 302, which loses what was sent; write the address where it is, or let it answer 307"},
		{"in a circle", to(307, "/"), scenario.HTTPTool{}, "unavailable: probe: POST the endpoint: it redirects more than 5 times"},
		{"half a reply", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"half"`)
		}, scenario.HTTPTool{}, "unavailable: probe: POST the endpoint: the reply broke off: unexpected EOF"},
		{"garbage", func(w http.ResponseWriter, _ *http.Request) {
			conn, buffer, _ := w.(http.Hijacker).Hijack()
			_, _ = buffer.WriteString("hello\r\n")
			_ = buffer.Flush()
			_ = conn.Close()
		}, scenario.HTTPTool{}, `unavailable: probe: POST the endpoint: net/http: HTTP/1.x transport connection broken: ` +
			`malformed HTTP response "hello"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.answer)
			t.Cleanup(server.Close)
			h := c.http
			h.URL = server.URL
			res := called(t, toolOf(t, server.Client(), &h), `{}`)
			if diff := cmp.Diff(c.want, describe(res)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if media := h.Media; media != (len(res.Parts) == 2 && res.Parts[1].Media.Data != "") {
				t.Errorf("parts %+v", res.Parts)
			}
		})
	}
}

// TestRepeats: what does no harm twice is sent twice to a server that is not there for a moment; what may is not.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method string
		status int
		asked  int32
	}{
		{"GET", 503, 2}, {"HEAD", 502, 2}, {"PUT", 504, 2}, {"DELETE", 503, 2}, {"POST", 503, 1}, {"PATCH", 503, 1},
		{"GET", 500, 1},
	} {
		t.Run(fmt.Sprint(c.method, c.status), func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(c.status)
			}))
			t.Cleanup(server.Close)
			res := called(t, toolOf(t, server.Client(), &scenario.HTTPTool{URL: server.URL, Method: c.method}), `{}`)
			if res.Error == "" || asked.Load() != c.asked {
				t.Errorf("asked %d times: %s", asked.Load(), describe(res))
			}
		})
	}
}

// TestNobodyThere: an endpoint that is gone, or never answers, is an error result.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	gone := server.URL
	server.Close()
	got := describe(called(t, toolOf(t, &http.Client{}, &scenario.HTTPTool{URL: gone}), `{}`))
	if !strings.HasPrefix(got, "unavailable: probe: POST the endpoint: cannot reach it: connection refused; is") {
		t.Error(got)
	}
	arrived := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		_, _ = bufio.NewReader(r.Body).ReadByte() // a server hears of the end of a client only when it reads
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	box := toolOf(t, slow.Client(), &scenario.HTTPTool{URL: slow.URL})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-arrived
		cancel(overdueError{3 * time.Second})
	}()
	res := box.Call(ctx, chat.ToolCall{Name: "probe", Args: map[string]any{}})
	if describe(res) != "unavailable: probe: POST the endpoint: no answer within 3s (timeout_ms)" {
		t.Error(describe(res))
	}
	if got := describe(called(t, toolOf(t, nil, &scenario.HTTPTool{URL: gone}), `{}`)); got != "unavailable: probe: there is no network here" {
		t.Error(got)
	}
}

// TestTrialLimit: the replies of one trial are bounded together.
func TestTrialLimit(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 9<<20) + `"`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, big) }))
	t.Cleanup(server.Close)
	box := toolOf(t, server.Client(), &scenario.HTTPTool{URL: server.URL})
	for i := range 6 {
		if res := called(t, box, `{}`); (res.Error == "") != (i < 5) || i == 5 && !strings.HasSuffix(res.Error, "larger than 50 MB") {
			t.Errorf("call %d: %.100s", i, res.Error)
		}
	}
}
