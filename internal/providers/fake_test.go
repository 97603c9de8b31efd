package providers

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a provider made of a function; n counts its calls from 1.
type fake struct {
	n      int
	answer func(ctx context.Context, n int, onDelta func(chat.Delta) error) (chat.Reply, error)
	closed int
}

func (f *fake) Complete(ctx context.Context, _ *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	f.n++
	return f.answer(ctx, f.n, onDelta)
}

func (f *fake) Close() error {
	f.closed++
	return nil
}

// fails answers with the errors in turn, and then with a reply.
func fails(errs ...error) *fake {
	return &fake{answer: func(_ context.Context, n int, _ func(chat.Delta) error) (chat.Reply, error) {
		if n <= len(errs) {
			return chat.Reply{}, errs[n-1]
		}
		return chat.Reply{Content: "ok"}, nil
	}}
}
