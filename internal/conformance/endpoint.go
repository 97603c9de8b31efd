package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// vectorHTTP is the endpoint's answer to every request of a vector.
type vectorHTTP struct {
	Status  int     `json:"status"` // 0: 200
	Body    any     `json:"body"`
	BodyRaw *string `json:"body_raw"` // instead of Body
	DelayMS int     `json:"delay_ms"`
}

// vectorEndpoint is a server on a free port of this machine. It remembers the first request.
type vectorEndpoint struct {
	answer  *vectorHTTP
	late    bool // it answers later than the check waits
	address string
	server  *http.Server

	mu    sync.Mutex
	first *vectorRequest // nil: there was none
}

// vectorRequest is a request as vectors expect it.
type vectorRequest struct {
	method, path string
	header       http.Header
	body         any    // nil when it is no JSON
	text         string // all texts in the body
}

func startEndpoint(answer *vectorHTTP, late bool) (*vectorEndpoint, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &vectorEndpoint{answer: answer, late: late, address: "http://" + listener.Addr().String()}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: time.Minute}
	go func() { _ = e.server.Serve(listener) }() // ends with Close, and says no more than that
	return e, nil
}

func (e *vectorEndpoint) close() error { return e.server.Close() }

func (e *vectorEndpoint) request() *vectorRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.first
}

func (e *vectorEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, requestLimit)) // half a body is no JSON, and that shows
	e.mu.Lock()
	if e.first == nil {
		e.first = &vectorRequest{method: r.Method, path: r.URL.Path, header: r.Header}
		e.first.body, _ = chat.DecodeJSON(body)
		var texts []string
		leaves(e.first.body, &texts)
		e.first.text = strings.Join(texts, "\n")
	}
	e.mu.Unlock()
	if e.late {
		<-r.Context().Done() // whatever the machine does, the client is tired of waiting before that
		return
	}
	e.answer.write(w)
}

func (a *vectorHTTP) write(w http.ResponseWriter) {
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	if a.BodyRaw == nil {
		send(w, status, a.Body)
		return
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, *a.BodyRaw) // the client may have closed the connection
}

// leaves collects the texts in a JSON value.
func leaves(v any, texts *[]string) {
	for leaf := range jsonvalue.Leaves(v) {
		if text, is := leaf.(string); is {
			*texts = append(*texts, text)
		}
	}
}

// differs is the first difference of a request from the expected one; "": none.
func (r *vectorRequest) differs(want json.RawMessage) (string, error) {
	var w struct {
		Method        string            `json:"method"`
		Path          string            `json:"path"`
		Headers       map[string]string `json:"headers"`
		HeadersAbsent []string          `json:"headers_absent"`
		Body          any               `json:"body"`
		BodyAbsent    []string          `json:"body_absent"`
		TextContains  []string          `json:"text_contains"`
		TextExcludes  []string          `json:"text_excludes"`
	}
	dec := json.NewDecoder(strings.NewReader(string(want)))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return "", err
	}
	fields, _ := r.body.(jsonvalue.Object)
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		if got := r.header.Get(name); got != w.Headers[name] {
			return fmt.Sprintf("header %s %q", name, got), nil
		}
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	says := func(text string) bool { return strings.Contains(r.text, text) }
	switch {
	case w.Method != "" && w.Method != r.method:
		return "method " + r.method, nil
	case w.Path != "" && w.Path != r.path:
		return "path " + r.path, nil
	case slices.ContainsFunc(w.HeadersAbsent, func(name string) bool { return r.header.Get(name) != "" }):
		return "a header that must be absent", nil
	case w.Body != nil && !subset(w.Body, r.body), slices.ContainsFunc(w.BodyAbsent, has):
		return "body " + jsonvalue.Compact(r.body), nil
	case !every(w.TextContains, says), slices.ContainsFunc(w.TextExcludes, says):
		return fmt.Sprintf("text %q", r.text), nil
	}
	return "", nil
}
