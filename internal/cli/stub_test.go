package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// stub is a model server that speaks OpenAI's chat protocol and does what a script says: its n-th line answers the
// n-th request, its last line all that follow. A line is
//
//	text How can I help?              a reply; one in quotes is read as JSON
//	tool get_order {"id": "A1"}       a reply that calls a tool
//	status 429 Retry-After=0 {...}    an error with headers and a body
//	raw text/html <h1>hello</h1>      status 200 and this body; one in quotes is read as JSON
//	cut                               half a reply, then the connection is closed
//	reset                             the connection is closed without a word
//	stall                             half a reply, and then nothing more
//	hang                              nothing at all
//	endless on and on                 a stream of these words, again and again, until the client leaves
//	on refund text Yes.               answers every request that holds the word, and does not count as a line; of words
//	                                  with a + in between it must hold all
//
// @AUTH@ in a body is the Authorization header of the request. A request that wants a stream gets one.
type stub struct {
	server *httptest.Server
	lines  []string
	on     map[string]string // word → line
	over   chan struct{}     // closed at the end of the script

	mu       sync.Mutex
	requests []stubRequest
	left     int           // clients that did not wait for the end of a reply that has none
	arrival  chan struct{} // closed and made anew with each request, and with each client that leaves
}

// stubRequest is a request as `stub log` writes it.
type stubRequest struct {
	Path string          `json:"path"`
	Auth string          `json:"auth,omitempty"`
	Body json.RawMessage `json:"body"`
}

type stubKey struct{}

func stubOf(ts *testscript.TestScript) *stub { return ts.Value(stubKey{}).(*stub) }

// cmdStub is the command stub of scripts:
//
//	stub serve replies.txt   starts the server and sets STUB to its address
//	stub stop now            stops it; nothing answers at its address from then on
//	stub wait 2              waits until so many requests have arrived
//	stub count 4             expects exactly so many
//	stub left 1              waits until so many clients have left a reply that has no end
//	stub log requests.jsonl  writes what has arrived
func cmdStub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stub serve|stop|wait|count|left|log arg")
	}
	s := stubOf(ts)
	switch args[0] {
	case "serve":
		s.close()
		s.start(ts.ReadFile(args[1]))
		ts.Defer(s.close)
		ts.Setenv("STUB", s.address())
	case "stop":
		s.close()
	case "wait":
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		s.wait(func() bool { return len(s.requests) >= n })
	case "left":
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		s.wait(func() bool { return s.left >= n })
	case "count":
		if got := strconv.Itoa(len(s.seen())); got != args[1] {
			ts.Fatalf("%s requests have arrived, want %s", got, args[1])
		}
	case "log":
		f, err := os.Create(ts.MkAbs(args[1]))
		ts.Check(err)
		enc := json.NewEncoder(f)
		for _, r := range s.seen() {
			ts.Check(enc.Encode(r))
		}
		ts.Check(f.Close())
	default:
		ts.Fatalf("stub: unknown command %q", args[0])
	}
}

func (s *stub) start(script string) {
	s.lines, s.on = nil, map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
		if rest, found := strings.CutPrefix(line, "on "); found {
			word, line, _ := strings.Cut(rest, " ")
			s.on[word] = line
			continue
		}
		s.lines = append(s.lines, line)
	}
	s.over, s.arrival, s.requests, s.left = make(chan struct{}), make(chan struct{}), nil, 0
	s.server = httptest.NewServer(s)
}

func (s *stub) close() {
	if s.server != nil {
		close(s.over)
		s.server.Close()
		s.server = nil
	}
}

// address is never empty, so that it can be searched for.
func (s *stub) address() string {
	if s.server == nil {
		return "http://nowhere.test"
	}
	return s.server.URL
}

func (s *stub) seen() []stubRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// wait returns when something has come true; the deadline of the scripts ends it otherwise.
func (s *stub) wait(come func() bool) {
	for {
		s.mu.Lock()
		done, next := come(), s.arrival
		s.mu.Unlock()
		if done {
			return
		}
		<-next
	}
}

func (s *stub) note(r stubRequest) (line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line = "unexpected"
	if len(s.lines) > 0 {
		line = s.lines[min(len(s.requests), len(s.lines)-1)]
	}
	for word, answer := range s.on {
		if holds(string(r.Body), word) {
			line = answer
		}
	}
	s.requests = append(s.requests, r)
	s.tell()
	return line
}

// holds reports whether a request holds all words of a condition.
func holds(body, words string) bool {
	for word := range strings.SplitSeq(words, "+") {
		if !strings.Contains(body, word) {
			return false
		}
	}
	return true
}

// tell wakes those who wait.
func (s *stub) tell() {
	close(s.arrival)
	s.arrival = make(chan struct{})
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	path := r.URL.Path
	if r.Method == http.MethodGet && len(body) == 0 { // a tool over HTTP
		body, path = []byte("null"), r.RequestURI
	}
	if err != nil || !json.Valid(body) {
		http.Error(w, "the request is not JSON", http.StatusTeapot)
		return
	}
	auth := r.Header.Get("Authorization")
	verb, rest, _ := strings.Cut(s.note(stubRequest{path, auth, body}), " ")
	rest = strings.ReplaceAll(rest, "@AUTH@", auth)
	a := &answer{w: w, stream: strings.Contains(string(body), `"stream":true`), model: modelIn(body)}
	switch verb {
	case "text":
		a.reply(map[string]any{"content": unquoted(rest)}, "stop")
	case "tool":
		name, arguments, _ := strings.Cut(rest, " ")
		a.reply(map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}}, "tool_calls")
	case "status":
		a.status(rest)
	case "raw":
		kind, text, _ := strings.Cut(rest, " ")
		w.Header().Set("Content-Type", kind)
		a.write(unquoted(text))
	case "cut":
		a.half()
		panic(http.ErrAbortHandler)
	case "reset":
		reset(w)
	case "stall":
		a.half()
		s.hang(r)
	case "hang":
		s.hang(r)
	case "endless":
		s.endless(a, r, rest)
	default:
		http.Error(w, "the stub does not know "+verb, http.StatusTeapot)
	}
}

// modelIn is the model that a request asks for.
func modelIn(body []byte) string {
	var asked struct{ Model string }
	_ = json.Unmarshal(body, &asked) // a call of a tool asks for none
	return asked.Model
}

func (s *stub) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
		s.leave()
	case <-s.over:
	}
}

func (s *stub) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	s.tell()
}

// endless gives up after 64 KiB, so that a client that reads everything is seen to.
func (s *stub) endless(a *answer, r *http.Request, text string) {
	a.w.Header().Set("Content-Type", "text/event-stream")
	for sent := 0; sent < 64<<10; {
		for word := range strings.SplitAfterSeq(text+" ", " ") {
			a.write(a.event(map[string]any{"content": word}, ""))
			_ = http.NewResponseController(a.w).Flush() // a client that left is what is looked for below
			sent += len(word)
		}
		if r.Context().Err() != nil {
			s.leave()
			return
		}
	}
	a.write(a.event(map[string]any{}, "stop") + "data: [DONE]\n\n")
}

func unquoted(text string) string {
	var s string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closing then resets
	}
	_ = conn.Close()
}

// answer writes one response.
type answer struct {
	w      http.ResponseWriter
	stream bool
	model  string
}

func (a *answer) write(text string) { _, _ = io.WriteString(a.w, text) } // a client that left is its own business

func (a *answer) status(rest string) {
	code, rest, _ := strings.Cut(rest, " ")
	for {
		word, after, _ := strings.Cut(rest, " ")
		name, value, header := strings.Cut(word, "=")
		if !header || strings.ContainsAny(name, `{"`) {
			break
		}
		a.w.Header().Set(name, value)
		rest = after
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		panic(err)
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(n)
	a.write(rest)
}

const usage = `"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}`

func (a *answer) reply(message map[string]any, finish string) {
	if a.stream {
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.write(a.event(message, ""))
		a.write(a.event(map[string]any{}, finish))
		a.write(`data: {"choices":[],` + usage + "}\n\ndata: [DONE]\n\n")
		return
	}
	message["role"] = "assistant"
	a.w.Header().Set("Content-Type", "application/json")
	a.write(fmt.Sprintf(`{"model":%s,"choices":[{"index":0,"message":%s,"finish_reason":%q}],%s}`,
		encode(a.model), encode(message), finish, usage))
}

// half is the start of a reply.
func (a *answer) half() {
	if a.stream {
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.write(a.event(map[string]any{"content": "Your refund "}, ""))
	} else {
		a.w.Header().Set("Content-Type", "application/json")
		a.w.Header().Set("Content-Length", "500")
		a.write(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Your refund `)
	}
	_ = http.NewResponseController(a.w).Flush() // the same
}

func (a *answer) event(delta map[string]any, finish string) string {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	return "data: " + encode(map[string]any{"model": a.model, "choices": []any{choice}}) + "\n\n"
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
