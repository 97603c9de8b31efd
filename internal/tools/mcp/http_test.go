package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/mcptest"
)

// address serves over HTTP, and gives the server that is there.
func address(t *testing.T, h http.Handler) *scenario.Server {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return &scenario.Server{Name: "probe", URL: web.URL + "/mcp", Scope: "run", Timeout: hang.Guard}
}

func streamable() http.Handler {
	server := mcptest.New()
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

func events() http.Handler {
	server := mcptest.New()
	return sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

// onlyGet answers messages with a status and hands the rest on, as servers of the older transport do at their address.
func onlyGet(status int, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.RawQuery == "" {
			w.WriteHeader(status)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func TestTransports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, transport string
		handler         http.Handler
	}{
		{"streamable", "", streamable()},
		{"streamable, as one message", "", sdk.NewStreamableHTTPHandler(
			func(*http.Request) *sdk.Server { return mcptest.New() }, &sdk.StreamableHTTPOptions{JSONResponse: true})},
		{"streamable as asked", "streamable_http", streamable()},
		{"events", "sse", events()},
		{"events after 404", "", onlyGet(404, events())},
		{"events after 405", "", onlyGet(405, events())},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			spec := address(t, c.handler)
			spec.Transport = c.transport
			b := boxOf(t, spec)
			b.listed(t)
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					if got := describe(b.call(t, "echo", `{"text": "hi"}`)); got != "hi" {
						t.Error(got)
					}
				})
			}
			all.Wait()
			if got := describe(b.call(t, "fail", `{"text": "no paper"}`)); got != "execution: no paper; twice" {
				t.Error(got)
			}
			if got := describe(b.call(t, "structured", `{"text": ""}`)); got != "{\n  \"id\": 12345678901234567890\n}" {
				t.Errorf("its digits: %s", got)
			}
		})
	}
}

// TestHeaders: every request has the headers of the file, with environment variables filled in.
func TestHeaders(t *testing.T) {
	t.Setenv("SHOP_TOKEN", "abc")
	inner := streamable()
	spec := address(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer abc" {
			t.Errorf("%s with %q", r.Method, r.Header.Get("Authorization"))
		}
		inner.ServeHTTP(w, r)
	}))
	spec.Headers = map[string]string{"Authorization": "Bearer ${SHOP_TOKEN}"}
	b := boxOf(t, spec)
	b.listed(t)
	if got := describe(b.call(t, "echo", `{"text": "hi"}`)); got != "hi" {
		t.Error(got)
	}
}

// TestHostileAddresses: faulty answers of HTTP servers are reported.
func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	says := func(status int, kind, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Location", "http://elsewhere.example/mcp")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		})
	}
	for _, c := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"no key", says(401, "application/json", `{"error":"no key"}`), `it answers 401 Unauthorized: "{\"error\":\"no key\"}"`},
		{"nothing", says(404, "text/html", "<h1>none</h1>"), "404 Not Found"},
		{"moved", says(307, "text/plain", ""), "it answers 307 Temporary Redirect, which leads to http://elsewhere.example/mcp"},
		{"a page", says(200, "text/html", "<h1>Hi</h1>"), `it answers with the content type "text/html" in place of JSON or events: "<h1>Hi</h1>"`},
		{"no content", says(204, "application/json", ""), "failed to decode response: unmarshaling jsonrpc message: EOF"},
		{"no JSON", says(200, "application/json", "Hi"), "failed to decode response: unmarshaling jsonrpc message"},
		{"broken", says(500, "text/plain", "stack trace"), `it answers 500 Internal Server Error: "stack trace"`},
		{"large", says(200, "application/json", `{"x":"`+strings.Repeat("x", 11<<20)+`"}`), "it sent more than 10 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := boxOf(t, address(t, c.handler)).outcome(t)
			if !strings.HasPrefix(got, `list: MCP server "probe": `) || !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMessagesElsewhere: in the older transport the server names the address for messages. Another host than its own
// gets nothing, least of all the headers with the key.
func TestMessagesElsewhere(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	spec := address(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", elsewhere.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	spec.Headers = map[string]string{"Authorization": "Bearer abc"}
	got := boxOf(t, spec).outcome(t)
	if want := "it asks for messages at " + elsewhere.URL + ", which is another host than its own"; !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// TestNobodyThere: a port that is closed, and a run that must not touch the network.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	spec := &scenario.Server{Name: "probe", URL: "http://127.0.0.1:1/mcp"}
	if got := boxOf(t, spec).outcome(t); !strings.Contains(got, "connection refused") {
		t.Error(got)
	}
	client := &http.Client{CheckRedirect: dial.Stay, Transport: &http.Transport{DialContext: dial.New(true)}}
	for _, host := range []Host{{HTTP: client}, {}} {
		host.Getenv = os.LookupEnv
		s := New(spec, host).Open()
		_, err := s.List(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no connection") {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRefusedCalls: a refused call reports the server's text without its session. An invalid result is an error, and
// one without content is a doubt.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status     int
		text, want string
	}{
		{500, "oops", `unavailable: MCP server "probe": it answers 500 Internal Server Error: "oops"`},
		{404, "session gone", `unavailable: MCP server "probe": it answers 404 Not Found: "session gone"`},
		{200, `{"jsonrpc":"2.0","id":ID,"result":null}`, `execution: its answer has the result null, which is none`},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"isError":true,"isError":false}}`,
			`execution: its answer has the key "isError" twice in one object`},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a"}],"content":[]}}`,
			`execution: its answer has the key "content" twice in one object`},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":{"b":1,"b":2}}}}`,
			`execution: its answer has the key "b" twice in one object`},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{}}`,
			"? its result has no content, which the protocol asks for, and counts as one that worked"},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"isError":false,"_meta":null}}`,
			"? its result has no content, which the protocol asks for, and counts as one that worked"},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":null}}`,
			"? its result has no content, which the protocol asks for, and counts as one that worked"},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"image","mimeType":"image/png","data":""}]}}`,
			"[image:image/png]? its result has a part of the type image (image/png) without data"},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"_meta":null}}`, ""},
		{200, `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			spec := address(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var asked struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&asked) != nil {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				say := func(text string) {
					_, _ = w.Write([]byte(strings.ReplaceAll(text, "ID", string(asked.ID))))
				}
				switch asked.Method {
				case "initialize":
					w.Header().Set("Mcp-Session-Id", "secret-session")
					say(`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
						`"serverInfo":{"name":"x","version":"1"}}}`)
				case "tools/list":
					say(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`)
				case "tools/call":
					w.WriteHeader(c.status)
					say(c.text)
				case "server/discover":
					say(`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"unknown method"}}`)
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}))
			if got := boxOf(t, spec).outcome(t); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestOlderServers: servers of older versions do not know the question with which the newest version begins, and answer it in
// many ways. They are asked as their version wants it.
func TestOlderServers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status     int
		kind, text string
	}{
		"accepted":         {202, "application/json", ""},
		"without a type":   {202, "", ""},
		"nothing":          {200, "application/json", ""},
		"an empty object":  {200, "application/json", "{}"},
		"an error, no id":  {200, "application/json", `{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}}`},
		"an error as text": {200, "application/json", `{"jsonrpc": "2.0", "id": 1, "error": "no such method"}`},
		"an unknown method": {200, "application/json", `{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601,
			"message": "no"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := streamable()
			b := boxOf(t, address(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bytes.Contains(body, []byte("server/discover")) {
					w.Header()["Content-Type"] = nil
					if answer.kind != "" {
						w.Header().Set("Content-Type", answer.kind)
					}
					w.WriteHeader(answer.status)
					_, _ = io.WriteString(w, answer.text)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				server.ServeHTTP(w, r)
			})))
			b.listed(t)
			if got := describe(b.call(t, "echo", `{"text": "hi"}`)); got != "hi" {
				t.Error(got)
			}
		})
	}
}
