package providertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

var (
	errNoMore = errors.New("no more text")
	errOver   = errors.New("the run is over")
)

// behaviour tests what holds around a call.
func (d Dialect) behaviour(t *testing.T, stream bool) {
	script := Script{Text: "It shipped on Monday, it travels by rail, and it will be there soon."}
	t.Run("the request stays as it is", func(t *testing.T) {
		t.Parallel()
		req := Request(stream)
		if _, err := d.Open(t, script).Complete(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Request(stream), req); diff != "" {
			t.Errorf("request (-before +after):\n%s", diff)
		}
	})
	t.Run("a done context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errOver)
		_, err := d.Open(t, script).Complete(ctx, Request(stream), nil)
		if !errors.Is(err, errOver) {
			t.Errorf("got %v, want the cause of the context", err)
		}
	})
	t.Run("many at once", func(t *testing.T) { d.concurrent(t, stream, script) })
	if stream {
		t.Run("enough", func(t *testing.T) { d.enough(t, script) })
		t.Run("an error of onDelta", func(t *testing.T) { d.failingDelta(t, script) })
		t.Run("cancelled within the stream", func(t *testing.T) { d.cancelledInStream(t, script) })
	}
	if d.shows(Hang) {
		t.Run("cancelled while waiting", func(t *testing.T) { d.cancelled(t, stream, script) })
	}
}

// isSpent expects that a call of a model over a network which ended after the first words of its reply counts them.
func (d Dialect) isSpent(t *testing.T, err error) {
	t.Helper()
	if !d.shows(Hang) {
		return
	}
	if took, _ := providers.Spent(err); took.OutputTokens == 0 || !took.Estimated {
		t.Errorf("the call took %+v, want an estimate of its first words", took)
	}
}

// concurrent tests that a provider serves many calls at once.
func (d Dialect) concurrent(t *testing.T, stream bool, script Script) {
	t.Parallel()
	p := d.Open(t, script)
	var g sync.WaitGroup
	for range 32 {
		g.Go(func() {
			reply, err := p.Complete(t.Context(), Request(stream), nil)
			if err != nil || reply.Content != script.Text {
				t.Errorf("got %q, %v", reply.Content, err)
			}
		})
	}
	g.Wait()
}

// failingDelta tests that an error of onDelta ends the call, and comes back with its own text.
func (d Dialect) failingDelta(t *testing.T, script Script) {
	t.Parallel()
	n := 0
	_, err := d.Open(t, script).Complete(t.Context(), Request(true), func(chat.Delta) error {
		n++
		return errNoMore
	})
	if !errors.Is(err, errNoMore) || err.Error() != errNoMore.Error() || n != 1 {
		t.Errorf("got %v after %d deltas, want %v after 1", err, n, errNoMore)
	}
	d.isSpent(t, err)
}

// cancelledInStream tests that a stream ends with its context.
func (d Dialect) cancelledInStream(t *testing.T, script Script) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	long := script
	long.Text, long.Usage = strings.Repeat(script.Text, 1000), chat.Usage{}
	_, err := d.Open(t, long).Complete(ctx, Request(true), func(chat.Delta) error {
		cancel(errOver)
		return nil
	})
	if !errors.Is(err, errOver) || err.Error() != errOver.Error() {
		t.Fatalf("got %v, want the cause of the context", err)
	}
	d.isSpent(t, err)
}

// cancelled tests that a call ends with its context, with the cause of the context as its error.
func (d Dialect) cancelled(t *testing.T, stream bool, script Script) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := d.Open(t, Script{Text: script.Text, Fault: Hang, Patient: true})
	done := make(chan error)
	go func() {
		_, err := p.Complete(ctx, Request(stream), nil)
		done <- err
	}()
	cancel(fmt.Errorf("interrupted: %w", errOver))
	if err := <-done; !errors.Is(err, errOver) {
		t.Errorf("got %v, want the cause of the context", err)
	}
}

// enough tests that a stream which is closed leaves what came of it.
func (d Dialect) enough(t *testing.T, script Script) {
	t.Parallel()
	script.Usage = chat.Usage{}
	script.Text = strings.Repeat(script.Text, 100)
	var text strings.Builder
	reply, err := d.Open(t, script).Complete(t.Context(), Request(true), func(delta chat.Delta) error {
		text.WriteString(delta.Text)
		return providers.ErrEnough
	})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Content == "" || reply.Content != text.String() || len(reply.ToolCalls) > 0 {
		t.Errorf("got %+v, want the text %q", reply, text.String())
	}
	if whole := text.String() == script.Text; reply.FinishReason != "" && !whole {
		t.Errorf("a part of the reply has the finish reason %q", reply.FinishReason)
	}
	if u := reply.Usage; !u.Estimated || u.OutputTokens <= 0 || u.OutputTokens > len(text.String()) {
		t.Errorf("the tokens of %d bytes are %+v", text.Len(), u)
	}
}
