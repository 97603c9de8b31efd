package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
)

// model is a server of the API that follows a script and acts out its fault.
type model struct {
	t      *testing.T
	script providertest.Script
	over   chan struct{} // closed when the test is: nothing hangs longer
}

// serve starts a server that follows s.
func serve(t *testing.T, s providertest.Script) *httptest.Server {
	t.Helper()
	m := &model{t: t, script: s, over: make(chan struct{})}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		close(m.over)
		server.Close()
	})
	return server
}

type object = map[string]any

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var asked struct {
		Stream bool `json:"stream"`
	}
	data, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(data, &asked) != nil {
		m.t.Errorf("unreadable request %q: %v", data, err)
	}
	if m.outage(w, r) {
		return
	}
	if asked.Stream {
		m.stream(w)
	} else {
		m.whole(w)
	}
}

// outage acts out the faults that look the same whether the reply would stream or not.
func (m *model) outage(w http.ResponseWriter, r *http.Request) bool {
	echo := fmt.Sprintf("no such luck\nwith %s and %s\x1b[31m", r.Header.Get("Authorization"), r.Header.Get("Api-Key"))
	fault := string(m.script.Fault)
	if status, ok := strings.CutPrefix(fault, "status:"); ok {
		code, err := strconv.Atoi(status)
		if err != nil {
			m.t.Error(err)
		}
		send(w, code, "application/json", encode(object{"error": object{"message": echo, "type": "stub"}}))
		return true
	}
	switch m.script.Fault {
	case providertest.Hang:
		select {
		case <-m.over:
		case <-r.Context().Done():
		}
	case providertest.Close:
		reset(m.t, w)
	case providertest.HTML:
		send(w, 200, "text/html", "<html><title>Sign in</title>\n<body>"+echo+"</body></html>")
	case providertest.NoBody:
		send(w, 200, "application/json", "")
	case providertest.Error200:
		send(w, 200, "application/json", encode(object{"error": object{"message": echo, "type": "overloaded"}}))
	default:
		return false
	}
	return true
}

func reset(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetLinger(0)
	}
	if closeErr := conn.Close(); err != nil || closeErr != nil {
		t.Error(err, closeErr)
	}
}

func send(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may be gone: part of the game
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (m *model) finish() string {
	switch {
	case m.script.Fault == providertest.Filtered:
		return "content_filter"
	case m.script.Fault == providertest.BrokeOff:
		return "error"
	case m.script.Finish != "":
		return m.script.Finish
	case len(m.script.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// choiceError is what a gateway says beside a choice.
var choiceError = object{"code": 429, "message": "the model behind the gateway is busy"}

func (m *model) isOver() bool {
	select {
	case <-m.over:
		return true
	default:
		return false
	}
}

func (m *model) calls() []object {
	calls := m.script.Calls
	if m.script.Fault == providertest.Nameless {
		calls = []providertest.Call{{ID: "a1", Args: "{}"}}
	}
	var out []object
	for i, c := range calls {
		out = append(out, object{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args},
		})
	}
	return out
}

func (m *model) usage() object {
	u := m.script.Usage
	if u == (chat.Usage{}) {
		return nil
	}
	return object{
		"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.Total(),
		"prompt_tokens_details": object{"cached_tokens": u.CachedTokens},
	}
}

func (m *model) whole(w http.ResponseWriter) {
	message := object{"role": "assistant", "content": m.script.Text, "tool_calls": m.calls()}
	if m.script.Fault == providertest.NullContent || m.script.Text == "" && len(m.script.Calls) > 0 {
		message["content"] = nil
	}
	reply := object{"id": "c1", "object": "chat.completion", "created": 1, "model": "served", "usage": m.usage(),
		"choices": []object{{"index": 0, "message": message, "finish_reason": m.finish()}}}
	switch m.script.Fault {
	case providertest.NoChoices:
		reply["choices"] = []object{}
	case providertest.ChoiceError:
		reply["choices"].([]object)[0]["error"] = choiceError
	}
	text := encode(reply)
	switch m.script.Fault {
	case providertest.BadJSON:
		text = text[:len(text)/2]
	case providertest.Truncate:
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		text = text[:len(text)/2]
	}
	send(w, 200, "application/json", text)
}

func (m *model) stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	line := func(text string) {
		_, _ = io.WriteString(w, text+"\n\n")
		_ = http.NewResponseController(w).Flush()
	}
	chunk := func(choices ...object) {
		line("data: " + encode(object{"id": "c1", "model": "served", "choices": choices}))
	}
	delta := func(d object) { chunk(object{"index": 0, "delta": d, "finish_reason": nil}) }
	line(": good morning")
	switch m.script.Fault {
	case providertest.NoChoices:
		chunk()
		line("data: [DONE]")
		return
	case providertest.BadJSON:
		delta(object{"content": "It"})
		line(`data: {"id": "c1", "choi`)
		return
	case providertest.StreamError:
		delta(object{"content": "It"})
		line(`data: {"error": {"message": "overloaded", "type": "server_error"}}`)
		return
	case providertest.ChoiceError:
		delta(object{"content": "It"})
		chunk(object{"index": 0, "delta": object{"content": ""}, "finish_reason": "error", "error": choiceError})
		line("data: [DONE]")
		return
	case providertest.KeepAlive:
		delta(object{"content": "It"})
		for alive := time.Tick(10 * time.Millisecond); ; <-alive {
			line(": PROCESSING")
			delta(object{"content": ""})
			if m.isOver() {
				return
			}
		}
	case providertest.Truncate, providertest.StopEarly, providertest.Silence:
		delta(object{"content": "It"})
		m.breakOff(w)
		return
	}
	delta(object{"role": "assistant", "content": ""})
	for word := range strings.SplitAfterSeq(m.script.Text, " ") {
		delta(object{"content": word})
	}
	for _, c := range m.calls() {
		pieces(c, delta)
	}
	chunk(object{"index": 0, "delta": object{}, "finish_reason": m.finish()})
	if u := m.usage(); u != nil {
		line("data: " + encode(object{"choices": []object{}, "usage": u}))
	}
	line("data: [DONE]")
}

// pieces sends a call as models do: first its id and name, then the arguments a few characters at a time.
func pieces(call object, delta func(object)) {
	function := call["function"].(object)
	args := function["arguments"].(string)
	index := call["index"]
	delta(object{"tool_calls": []object{{"index": index, "id": call["id"], "type": "function",
		"function": object{"name": function["name"], "arguments": ""}}}})
	for len(args) > 0 {
		n := min(5, len(args))
		delta(object{"tool_calls": []object{{"index": index, "function": object{"arguments": args[:n]}}}})
		args = args[n:]
	}
}

// breakOff ends a stream before its time: cut, in good order, or not at all.
func (m *model) breakOff(w http.ResponseWriter) {
	switch m.script.Fault {
	case providertest.Truncate:
		reset(m.t, w)
	case providertest.Silence:
		<-m.over
	}
}
