package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

func half() float64 { return 0.5 }

func TestRetry(t *testing.T) {
	t.Parallel()
	down := func() error { return &Error{Kind: Transport, Msg: "down"} }
	busy := func(wait time.Duration) error { return &Error{Kind: RateLimit, Msg: "busy", RetryAfter: wait} }
	plain := errors.New("not ours")
	cases := []struct {
		name   string
		policy scenario.RetryPolicy
		errs   []error
		random func() float64
		calls  int
		took   time.Duration
		retry  int    // Reply.Retries
		err    string // of the call; "" is none
	}{
		{"works at once", scenario.RetryPolicy{}, nil, half, 1, 0, 0, ""},
		{"works later", scenario.RetryPolicy{}, []error{down(), down()}, half, 3, 1125 * time.Millisecond, 2, ""},
		{"waits grow and are capped", scenario.RetryPolicy{Attempts: 5, BaseDelay: time.Second, MaxDelay: 3 * time.Second},
			[]error{down(), down(), down(), down()}, nil, 5, (500 + 1000 + 1500 + 1500) * time.Millisecond, 4, ""},
		{"gives up", scenario.RetryPolicy{}, slices.Repeat([]error{down()}, 9), nil, 4, 1750 * time.Millisecond, 0,
			"down (4 attempts)"},
		{"one attempt is no retry", scenario.RetryPolicy{Attempts: 1}, []error{down()}, half, 1, 0, 0, "down"},
		{"not for a refusal", scenario.RetryPolicy{}, []error{&Error{Kind: Refused, Msg: "no"}}, half, 1, 0, 0, "no"},
		{"not for a bad key", scenario.RetryPolicy{}, []error{&Error{Kind: Auth, Msg: "no"}}, half, 1, 0, 0, "no"},
		{"not when it is final", scenario.RetryPolicy{}, []error{&Error{Kind: BadReply, Msg: "no", Final: true}},
			half, 1, 0, 0, "no"},
		{"a refusal after a retry", scenario.RetryPolicy{}, []error{down(), &Error{Kind: Refused, Msg: "no"}}, nil, 2,
			250 * time.Millisecond, 0, "no (2 attempts)"},
		{"a refusal at the last attempt", scenario.RetryPolicy{Attempts: 2},
			[]error{down(), &Error{Kind: Refused, Msg: "no"}}, nil, 2, 250 * time.Millisecond, 0, "no (2 attempts)"},
		{"not for errors of others", scenario.RetryPolicy{}, []error{plain}, half, 1, 0, 0, "not ours"},
		{"for an error that is wrapped", scenario.RetryPolicy{}, []error{fmt.Errorf("wrapped: %w", down())}, nil, 2,
			250 * time.Millisecond, 1, ""},
		{"as long as the server asks", scenario.RetryPolicy{}, []error{busy(7 * time.Second)}, half, 2,
			7250 * time.Millisecond, 1, ""},
		{"not shorter than the wait", scenario.RetryPolicy{}, []error{busy(time.Millisecond)}, nil, 2,
			250 * time.Millisecond, 1, ""},
		{"ten minutes at most", scenario.RetryPolicy{}, []error{busy(10 * time.Minute)}, nil, 2, 10 * time.Minute, 1, ""},
		{"not as long as nobody waits", scenario.RetryPolicy{}, []error{busy(time.Hour)}, nil, 1, 0, 0,
			"busy; the server asks to wait 1h, longer than a call waits for, 10m in all; " +
				"run this again later, or ask for less at a time with rate_limit.rps or --jobs"},
		{"ten minutes in all", scenario.RetryPolicy{Attempts: 99}, slices.Repeat([]error{busy(4 * time.Minute)}, 99), nil, 3,
			8 * time.Minute, 0, "busy; the server asks to wait 4m, longer than a call waits for, 10m in all; " +
				"run this again later, or ask for less at a time with rate_limit.rps or --jobs (3 attempts)"},
		{"not a day either", scenario.RetryPolicy{}, []error{down(), busy(24 * time.Hour)}, nil, 2, 250 * time.Millisecond, 0,
			"busy; the server asks to wait a day or more, longer than a call waits for, 10m in all; " +
				"run this again later, or ask for less at a time with rate_limit.rps or --jobs (2 attempts)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := fails(c.errs...)
				began := time.Now()
				reply, err := Retry(f, c.policy, c.random).Complete(t.Context(), &chat.Request{}, nil)
				if got := time.Since(began); got != c.took || f.n != c.calls || reply.Retries != c.retry {
					t.Errorf("%d calls in %s, %d retries; want %d in %s, %d", f.n, got, reply.Retries, c.calls, c.took, c.retry)
				}
				if got := fmt.Sprint(err); c.err != "" && got != c.err || c.err == "" && err != nil {
					t.Errorf("got error %q, want %q", got, c.err)
				}
			})
		})
	}
}

func TestRetryKeepsTheError(t *testing.T) {
	t.Parallel()
	first := &Error{Kind: Transport, Provider: "p", Status: 503, Msg: "down"}
	_, err := Retry(fails(first, first), scenario.RetryPolicy{Attempts: 2, BaseDelay: 1}, nil).
		Complete(t.Context(), &chat.Request{}, nil)
	want := &Error{Kind: Transport, Provider: "p", Status: 503, Msg: "down", Attempts: 2}
	if diff := cmp.Diff(error(want), err); diff != "" || first.Attempts != 0 {
		t.Errorf("error (-want +got):\n%s\nthe provider's own error now says %d attempts", diff, first.Attempts)
	}
}

func TestRetryAndStreams(t *testing.T) {
	t.Parallel()
	down := &Error{Kind: Transport, Msg: "cut"}
	for _, c := range []struct {
		name   string
		before int // deltas before the cut
		calls  int
	}{{"nothing was said", 0, 2}, {"a word was said", 1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answer: func(_ context.Context, n int, onDelta func(chat.Delta) error) (chat.Reply, error) {
					for range c.before {
						if err := onDelta(chat.Delta{Text: "It"}); err != nil {
							return chat.Reply{}, err
						}
					}
					if n == 1 {
						return chat.Reply{}, down
					}
					return chat.Reply{}, onDelta(chat.Delta{Text: "It shipped."})
				}}
				var text strings.Builder
				_, err := Retry(f, scenario.RetryPolicy{}, nil).Complete(t.Context(), &chat.Request{Stream: true},
					func(d chat.Delta) error {
						text.WriteString(d.Text)
						return nil
					})
				if f.n != c.calls || (err != nil) != (c.calls == 1) {
					t.Errorf("%d calls, said %q, %v; want %d calls", f.n, text.String(), err, c.calls)
				}
			})
		})
	}
}

func TestRetryAndContext(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	t.Run("done while waiting", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, over)
			defer cancel()
			busy := &Error{Kind: RateLimit, Msg: "busy"}
			began := time.Now()
			slow := scenario.RetryPolicy{BaseDelay: time.Minute, MaxDelay: time.Minute}
			_, err := Retry(fails(busy, busy), slow, nil).Complete(ctx, &chat.Request{}, nil)
			took := time.Since(began)
			if !errors.Is(err, over) || err.Error() != "over (last attempt: busy)" || took != time.Second {
				t.Errorf("got %v after %s", err, took)
			}
		})
	})
	t.Run("done before the server is ready", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 90*time.Second, over)
			defer cancel()
			busy := &Error{Kind: RateLimit, Status: 429, Msg: "http 429: busy", RetryAfter: time.Minute}
			began := time.Now()
			_, err := Retry(fails(busy, busy, busy), scenario.RetryPolicy{}, nil).Complete(ctx, &chat.Request{}, nil)
			took := time.Since(began)
			const want = "http 429: busy; the server asks to wait 1m, longer than the time limit leaves; " +
				"run this again later, or ask for less at a time with rate_limit.rps or --jobs (2 attempts)"
			if errors.Is(err, over) || err == nil || err.Error() != want || took != time.Minute {
				t.Errorf("got %v after %s", err, took)
			}
		})
	})
	t.Run("done within the call", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		f := &fake{answer: func(ctx context.Context, _ int, _ func(chat.Delta) error) (chat.Reply, error) {
			cancel(over)
			return chat.Reply{}, context.Cause(ctx)
		}}
		_, err := Retry(f, scenario.RetryPolicy{}, nil).Complete(ctx, &chat.Request{}, nil)
		if !errors.Is(err, over) || err.Error() != "over" || f.n != 1 {
			t.Errorf("got %v after %d calls", err, f.n)
		}
	})
}
