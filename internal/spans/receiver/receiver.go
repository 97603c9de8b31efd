// Package receiver receives spans that programs send to arena over OTLP/HTTP during a run, and keeps them by trial
// until they are taken. It listens only on this machine and requires the secret of the run. What it keeps is limited:
// spans beyond the limit are counted as lost.
package receiver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/spans"
)

// Limits of what is taken and kept.
const (
	MostBody     = 64 << 20  // bytes of a request, also when unpacked
	mostOfTrial  = 16 << 20  // bytes of spans that are kept for a trial
	mostOfAll    = 128 << 20 // for all of them
	smallBody    = 256 << 10 // larger requests are read one after the other
	mostRequests = 64        // that are read at once
	mostConns    = 1024
)

// Headers with the trial of a request, and the secret.
const (
	TrialHeader  = "x-arena-trial"
	SecretHeader = "x-arena-secret"
)

// Server takes spans until it is closed. It is safe for concurrent use.
type Server struct {
	secret string
	url    string
	server *http.Server
	ln     net.Listener
	slots  chan struct{} // for requests that are read
	large  chan struct{} // for the one request that is large
	after  func(time.Duration) <-chan time.Time
	silent func() bool // whether nobody has connected yet; false if unknown

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something happens
	inboxes map[string]*Inbox
	conns   map[net.Conn]*conn
	probes  map[string]bool // addresses of connections of Drain
	kept    int             // bytes of all inboxes
	counts  Counts
}

// Counts counts spans that belong to no trial.
type Counts struct {
	Refused int // requests without the secret or without a trial
	Late    int // spans of ended or unknown trials
	// LateOf are the first few of these trials, as the requests call them.
	LateOf []string
}

const mostNamed = 3 // trials

// late counts spans for which there is no inbox. The caller holds the lock.
func (c *Counts) late(trial string, n int) {
	c.Late += n
	if trial = ellipsis.Runes(trial, 200); len(c.LateOf) < mostNamed && !slices.Contains(c.LateOf, trial) {
		c.LateOf = append(c.LateOf, trial)
	}
}

// conn is a connection of a program.
type conn struct {
	trial string // of its last request; "": none yet
	fresh bool   // its trial is not known yet
}

// Listen makes a server at a port of its own of this machine.
func Listen(ctx context.Context) (*Server, error) {
	ln, err := (&net.ListenConfig{KeepAlive: -1}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot listen for the traces of programs: %w", err)
	}
	s := &Server{
		secret: rand.Text(), url: "http://" + ln.Addr().String(), changed: make(chan struct{}),
		slots: make(chan struct{}, mostRequests), large: make(chan struct{}, 1),
		inboxes: map[string]*Inbox{}, conns: map[net.Conn]*conn{},
		probes: map[string]bool{}, after: time.After,
	}
	ln, s.silent = countConns(ln)
	s.ln = &limited{Listener: ln, free: make(chan struct{}, mostConns)}
	s.server = &http.Server{
		Handler: s, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		ConnState: s.connState,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	go func() { _ = s.server.Serve(s.ln) }() // until Close
	return s, nil
}

type connKey struct{}

// URL is where the server listens, without a path.
func (s *Server) URL() string { return s.url }

// Secret is the secret that programs must send.
func (s *Server) Secret() string { return s.secret }

// Counts returns the counts so far of spans that belong to no trial.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	counts.LateOf = slices.Clone(counts.LateOf)
	return counts
}

// Close ends the server. Spans that were not taken are lost.
func (s *Server) Close() error { return s.server.Close() }

// happened wakes waiting callers. The caller holds the lock.
func (s *Server) happened() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// connState keeps track of connections, so that it is known when all that a program sent has been read.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c] = &conn{fresh: true}
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, c)
	case http.StateActive, http.StateIdle:
		return
	}
	s.happened()
}

// admit finds the trial of a request. The caller refuses requests without the secret.
func (s *Server) admit(r *http.Request) (trial string, ok bool) {
	secret := r.Header.Get(SecretHeader)
	ok = subtle.ConstantTimeCompare([]byte(secret), []byte(s.secret)) == 1
	trial, err := url.PathUnescape(r.Header.Get(TrialHeader))
	if err != nil {
		trial = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if known := s.conns[c]; known != nil {
		known.trial, known.fresh = trial, false
		s.happened()
	}
	return trial, ok
}

func (s *Server) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Refused++
}

// take keeps a span for its trial.
func (s *Server) take(trial string, span *spans.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.inboxes[trial]
	if in == nil {
		s.counts.late(trial, 1)
		return
	}
	before := len(in.kept)
	in.kept = appendSpan(in.kept, span)
	if size := len(in.kept); size > mostOfTrial || s.kept+size-before > mostOfAll {
		in.kept = in.kept[:before]
		in.lost.Full++
		return
	}
	s.kept += len(in.kept) - before
}

// broken counts unreadable parts of a request.
func (s *Server) broken(trial string, spans int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.inboxes[trial]; in != nil {
		in.lost.Broken += spans
		if in.lost.First == nil {
			in.lost.First = err
		}
		return
	}
	s.counts.late(trial, spans)
}

// requestDone wakes waiting goroutines after a request was read completely.
func (s *Server) requestDone(trial string, d int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.inboxes[trial]; in != nil {
		in.requests += d
		in.arrivals++
	}
	s.happened()
}

// limited is a listener with a limited number of connections at once.
type limited struct {
	net.Listener
	free chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: c, done: func() { <-l.free }}, nil
}

// counted is a connection that makes room for another one when it is closed.
type counted struct {
	net.Conn
	done func()
	once sync.Once
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(c.done)
	return c.Conn.Close()
}
