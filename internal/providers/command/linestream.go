package command

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/arena-evals/arena/internal/process"
)

// lineStream is a running program, line by line.
type lineStream struct {
	running *process.Running
	lines   chan []byte   // closed at the end
	gone    chan struct{} // closed when the reader stops
	leave   func()
	err     error // why no more lines come; nil: the output ended. Set before lines is closed
}

func listen(running *process.Running) *lineStream {
	t := &lineStream{running: running, lines: make(chan []byte), gone: make(chan struct{})}
	t.leave = sync.OnceFunc(func() { close(t.gone) })
	go func() {
		defer close(t.lines)
		t.err = process.EachLine(running, maxLine, func(line []byte) bool {
			select {
			case t.lines <- append([]byte(nil), line...):
				return true
			case <-t.gone:
				return false
			}
		})
	}()
	return t
}

// next is the next line.
func (t *lineStream) next(ctx context.Context) ([]byte, error) {
	select {
	case text, more := <-t.lines:
		if more {
			return text, nil
		}
		if t.err != nil {
			return nil, t.err
		}
		return nil, t.running.Silence("replied", patience)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// send writes a message in the background: a program may write before it has read all. nil is none.
func (t *lineStream) send(ctx context.Context, m any) <-chan error {
	sent := make(chan error, 1)
	if m == nil {
		sent <- nil
		return sent
	}
	data, err := json.Marshal(m)
	if err != nil {
		sent <- err
		return sent
	}
	go func() { sent <- t.running.Write(ctx, append(data, '\n')) }()
	return sent
}
