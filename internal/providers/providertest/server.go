package providertest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// API describes the messages of an API. Serve adds HTTP, which is the same for all.
type API struct {
	Path string // the end of every call's path; "": any address
	// Streams says whether a request asks for a stream; one that cannot be read is an error of t.
	Streams    func(r *http.Request, body []byte) bool
	Error      func(text string) string  // a document that reports an error
	Unstreamed func(s Script) string     // a reply in one piece, as the script or its fault wants it
	Stream     func(s Script, w *Stream) // the same in events
	// First is the first piece of text in a stream, "It", and Empty an event that brings nothing.
	First, Empty func(w *Stream)
	Failed       func(w *Stream) // an event that reports an error
	// Kind is the content type of streams, and Frame encodes an event or a comment; "" and nil: server-sent events.
	Kind  string
	Frame func(event string) []byte
}

// Stream is a stream of events on its way to the client.
type Stream struct {
	w     http.ResponseWriter
	frame func(event string) []byte
}

// Send writes an event, or a comment, and sees it leave.
func (s *Stream) Send(text string) {
	data := []byte(text + "\n\n")
	if s.frame != nil {
		data = s.frame(text)
	}
	_, _ = s.w.Write(data) // the client may be gone: part of the game
	_ = http.NewResponseController(s.w).Flush()
}

// Send writes a document.
func Send(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may be gone: part of the game
}

// Serve starts a server of the API that follows s and acts out its fault.
func Serve(t *testing.T, api API, s Script) *httptest.Server {
	t.Helper()
	m := &model{t: t, api: api, script: s, over: make(chan struct{})}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		close(m.over)
		server.Close()
	})
	return server
}

type model struct {
	t      *testing.T
	api    API
	script Script
	over   chan struct{} // closed when the test is: nothing hangs longer
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, m.api.Path) {
		http.NotFound(w, r)
		return
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Errorf("unreadable request %q: %v", data, err)
	}
	if m.script.Sees != nil {
		m.script.Sees(data)
	}
	switch streams := m.api.Streams(r, data); {
	case m.outage(w, r):
	case streams:
		w.Header().Set("Content-Type", cmp.Or(m.api.Kind, "text/event-stream; charset=utf-8"))
		m.stream(w)
	default:
		m.serveUnstreamed(w)
	}
}

// outage acts out the faults that look the same whether the reply would stream or not.
func (m *model) outage(w http.ResponseWriter, r *http.Request) bool {
	words := []string{"no such luck\nwith"}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		words = append(words, r.Header[name]...)
	}
	echo := strings.Join(words, " ") + "\x1b[31m"
	if status, ok := strings.CutPrefix(string(m.script.Fault), "status:"); ok {
		code, err := strconv.Atoi(status)
		if err != nil {
			m.t.Error(err)
		}
		Send(w, code, "application/json", m.api.Error(echo))
		return true
	}
	switch m.script.Fault {
	case Hang:
		select {
		case <-m.over:
		case <-r.Context().Done():
		}
	case Close:
		m.reset(w)
	case HTML:
		Send(w, 200, "text/html", fmt.Sprintf("<html><title>Sign in</title>\n<body>%s</body></html>", echo))
	case NoBody:
		Send(w, 200, "application/json", "")
	case Error200:
		Send(w, 200, "application/json", m.api.Error(echo))
	default:
		return false
	}
	return true
}

func (m *model) reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		m.t.Error(err)
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetLinger(0)
	}
	if closeErr := conn.Close(); err != nil || closeErr != nil {
		m.t.Error(err, closeErr)
	}
}

func (m *model) serveUnstreamed(w http.ResponseWriter) {
	text := m.api.Unstreamed(m.script)
	if m.script.Alter != nil {
		text = m.script.Alter(text)
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+m.script.Short))
	}
	switch m.script.Fault {
	case BadJSON:
		text = text[:len(text)/2]
	case Truncate:
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		text = text[:len(text)/2]
	default: // the others are acted out before
	}
	Send(w, 200, "application/json", text)
}

// written is a whole stream.
func (api *API) written(script Script) []byte {
	var w httptest.ResponseRecorder
	w.Body = &bytes.Buffer{}
	s := &Stream{&w, api.Frame}
	s.Send(": good morning")
	api.Stream(script, s)
	return w.Body.Bytes()
}

// cut sends the beginning of a stream.
func (m *model) cut(w http.ResponseWriter) {
	_, _ = w.Write(m.api.written(m.script)[:m.script.Cut]) // the client may be gone: part of the game
	m.leave(w)
}

// leave ends a stream: in order, or with a reset.
func (m *model) leave(w http.ResponseWriter) {
	if m.script.Reset {
		_ = http.NewResponseController(w).Flush()
		m.reset(w)
	}
}

func (m *model) stream(w http.ResponseWriter) {
	switch {
	case m.script.Alter != nil:
		_, _ = io.WriteString(w, m.script.Alter(string(m.api.written(m.script)))) // the client may be gone: part of the game
		m.leave(w)
		return
	case m.script.Cut > 0:
		m.cut(w)
		return
	}
	s := &Stream{w, m.api.Frame}
	s.Send(": good morning")
	switch m.script.Fault {
	case BadJSON:
		m.api.First(s)
		s.Send(`data: {"id": "c1", "choi`)
	case StreamError:
		m.api.First(s)
		m.api.Failed(s)
	case KeepAlive:
		m.api.First(s)
		for alive := time.Tick(10 * time.Millisecond); !m.isOver(); <-alive {
			s.Send(": PROCESSING")
			m.api.Empty(s)
		}
	case StopEarly:
		m.api.First(s)
	case Truncate:
		m.api.First(s)
		m.reset(w)
	case Silence:
		m.api.First(s)
		<-m.over
	default:
		m.api.Stream(m.script, s)
	}
}

func (m *model) isOver() bool {
	select {
	case <-m.over:
		return true
	default:
		return false
	}
}
