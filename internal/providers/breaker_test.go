package providers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// scripted is a server whose answers a test sets; it counts its calls. It is safe for concurrent use.
type scripted struct {
	calls  atomic.Int64
	answer func(n int64) error
}

func (s *scripted) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	return chat.Reply{Content: "ok"}, s.answer(s.calls.Add(1))
}

func (s *scripted) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, s.answer(s.calls.Add(1))
}

func always(err error) func(int64) error { return func(int64) error { return err } }

var (
	dead    = &Error{Kind: Transport, Provider: "p", Msg: "connection refused"}
	unknown = &Error{Kind: Auth, Provider: "p", Status: 401, Msg: "http 401: wrong key"}
	spent   = &Error{Kind: RateLimit, Provider: "p", Status: 429, Final: true, Msg: "http 429: quota"}
	later   = &Error{Kind: RateLimit, Provider: "p", Status: 429, RetryAfter: time.Hour, Msg: "http 429: later"}
)

func guarded(s *scripted, set scenario.Breaker, attempts int) Provider {
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Breaker: set}
	return Resilient(s, spec, &Resilience{Policy: scenario.RetryPolicy{Attempts: attempts}})
}

// TestDeadServer: of 2,000 calls, 50 at a time, only the first ask a server that is dead, and all are over at once
// then.
func TestDeadServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  *Error
		most int64
		took time.Duration
	}{
		"nobody there":  {dead, 4 * 50, 5 * time.Second},
		"a wrong key":   {unknown, 50, 0},
		"a spent quota": {spent, 50, 0},
		"a long pause":  {later, 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answer: always(c.err)}
				p := guarded(s, scenario.Breaker{}, 0)
				began := time.Now()
				all(t, 2000, 50, func() {
					_, err := p.Complete(t.Context(), &chat.Request{}, nil)
					failed, ok := errors.AsType[*Error](err)
					if !ok || failed.Kind != c.err.Kind || failed.Status != c.err.Status {
						t.Errorf("got %v, want kind %s", err, c.err.Kind)
					}
				})
				if took, n := time.Since(began), s.calls.Load(); took > c.took || n > c.most {
					t.Errorf("%d calls in %s; want at most %d in %s", n, took, c.most, c.took)
				}
				_, err := p.Complete(t.Context(), &chat.Request{}, nil)
				want := map[string]string{
					"nobody there":  "provider p: not called, after 10 failures in a row: connection refused",
					"a wrong key":   "provider p: not called, after 3 failures in a row: http 401: wrong key",
					"a spent quota": "provider p: not called, after 3 failures in a row: http 429: quota",
					"a long pause":  "provider p: not called, after 3 failures in a row: http 429: later; the server asks to wait 1h",
				}[name]
				if err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			})
		})
	}
}

// all runs a function n times, so many at once.
func all(t *testing.T, n, jobs int, run func()) {
	t.Helper()
	work := make(chan struct{})
	var g sync.WaitGroup
	for range jobs {
		g.Go(func() {
			for range work {
				run()
			}
		})
	}
	for range n {
		work <- struct{}{}
	}
	close(work)
	g.Wait()
}

// TestStaysClosed: failures among which something succeeds, or that say that somebody is there, open nothing; nor does
// a hiccup that retries outlast.
func TestStaysClosed(t *testing.T) {
	t.Parallel()
	const oneShort = "nine of ten calls fail"
	for name, answer := range map[string]func(n int64) error{
		"every fifth call fails": func(n int64) error {
			if n%5 == 0 {
				return dead
			}
			return nil
		},
		oneShort: func(n int64) error {
			if n%10 != 0 {
				return dead
			}
			return nil
		},
		"a rate limit":        always(&Error{Kind: RateLimit, Msg: "slow down"}),
		"a refusal":           always(&Error{Kind: Refused, Status: 400, Msg: "no"}),
		"a forbidden request": always(&Error{Kind: Auth, Status: 403, Msg: "not this"}),
		"garbage":             always(&Error{Kind: BadReply, Msg: "no JSON"}),
		"the run is over":     always(context.Canceled),
		"a hiccup": func(n int64) error {
			if n <= 100 { // the first two attempts of 50 calls
				return dead
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answer: answer}
				p := guarded(s, scenario.Breaker{}, 0)
				workers := 50
				if name == oneShort {
					workers = 1 // else failures overtake the call that succeeds
				}
				all(t, 300, workers, func() {
					_, err := p.Complete(t.Context(), &chat.Request{}, nil)
					if failed, ok := errors.AsType[*Error](err); ok && failed.Err != nil {
						t.Errorf("not called: %v", err)
					}
				})
				if n := s.calls.Load(); n < 300 {
					t.Errorf("%d calls of 300 were made", n)
				}
			})
		})
	}
}

// TestProbe: after a while one call tries again, and when it works all do.
func TestProbe(t *testing.T) {
	t.Parallel()
	asked := *dead
	asked.RetryAfter = 2 * time.Minute
	for name, c := range map[string]struct {
		err  error
		set  scenario.Breaker
		wait time.Duration
	}{
		"by default":         {dead, scenario.Breaker{}, 30 * time.Second},
		"as the file says":   {dead, scenario.Breaker{ProbeAfter: time.Minute}, time.Minute},
		"as the server says": {&asked, scenario.Breaker{}, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				back := errors.Join()
				err := c.err
				s := &scripted{}
				s.answer = func(int64) error { return err }
				p := guarded(s, c.set, 1)
				call := func() error {
					_, err := p.Complete(t.Context(), &chat.Request{}, nil)
					return err
				}
				for range 20 {
					_ = call() // fails
				}
				if n := s.calls.Load(); n != 10 {
					t.Fatalf("opened after %d failures, want 10", n)
				}
				<-time.After(c.wait - time.Nanosecond)
				if _ = call(); s.calls.Load() != 10 {
					t.Error("it was called too soon")
				}
				<-time.After(time.Nanosecond)
				for range 5 {
					_ = call()
				}
				if n := s.calls.Load(); n != 11 {
					t.Errorf("%d probes, want one", n-10)
				}
				<-time.After(c.wait)
				err = back
				for range 5 {
					if err := call(); err != nil {
						t.Error(err)
					}
				}
				if n := s.calls.Load(); n != 16 {
					t.Errorf("%d calls, want 16", n)
				}
			})
		})
	}
}

func TestBreakerSettings(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int64{0: 40, 1: 1, 25: 25} {
		s := &scripted{answer: always(dead)}
		p := guarded(s, scenario.Breaker{MaxFailures: &most}, 1)
		for range 40 {
			_, _ = p.Complete(t.Context(), &chat.Request{}, nil) // fails
		}
		if n := s.calls.Load(); n != want {
			t.Errorf("max_failures %d: %d calls, want %d", most, n, want)
		}
	}
}

func TestDeadEmbedder(t *testing.T) {
	t.Parallel()
	s := &scripted{answer: always(unknown)}
	e := Embedding(s, &scenario.Provider{}, &Resilience{})
	for range 20 {
		if _, err := e.Embed(t.Context(), []string{"a"}); err == nil {
			t.Error("no error")
		}
	}
	if n := s.calls.Load(); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}
