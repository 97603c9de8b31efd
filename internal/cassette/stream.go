package cassette

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// streamRecorder records how a reply streams. It belongs to one call.
type streamRecorder struct {
	now     func() time.Time
	onDelta func(chat.Delta) error // called next; nil: none
	began   time.Time
	text    strings.Builder
	pieces  chunks
	closed  bool
}

func (h *streamRecorder) handle(d chat.Delta) error {
	ms := float64(h.now().Sub(h.began).Round(time.Microsecond)) / float64(time.Millisecond)
	h.pieces = append(h.pieces, chunk{utf8.RuneCountInString(d.Text), max(ms, 0)})
	h.text.WriteString(d.Text)
	if h.onDelta == nil {
		return nil
	}
	err := h.onDelta(d)
	h.closed = h.closed || errors.Is(err, providers.ErrEnough)
	return err
}

// chunksOf returns the chunks of the attempt that gave the text: the last ones, after failed attempts.
func (h *streamRecorder) chunksOf(text string) chunks {
	want := utf8.RuneCountInString(text)
	for i, piece := range slices.Backward(h.pieces) {
		if want -= piece.runes; want <= 0 {
			return h.pieces[i:]
		}
	}
	return h.pieces
}

// replayStream streams a recorded reply as it came. When onDelta closes the stream early, the reply is cut there.
func (l *Lane) replayStream(
	ctx context.Context, e *entry, reply *chat.Reply, stream bool, onDelta func(chat.Delta) error,
) (closed bool, err error) {
	r, _ := e.reply.(*modelReply)
	if r == nil || !stream {
		return false, l.recorder.wait(ctx, e.latency)
	}
	at, text := 0.0, ""
	for i, piece := range r.Chunks.cut(reply.Content) {
		if i < len(r.Chunks) {
			if err := l.recorder.wait(ctx, r.Chunks[i].ms-at); err != nil {
				return false, err
			}
			at = max(at, r.Chunks[i].ms)
		}
		if onDelta == nil {
			continue
		}
		text += piece
		err := onDelta(chat.Delta{Text: piece})
		if closed = errors.Is(err, providers.ErrEnough); closed {
			break
		}
		if err != nil {
			return false, err
		}
	}
	switch {
	case closed && (!r.Closed || text != reply.Content):
		*reply = providers.ClosedReply(*reply, text)
		return true, nil
	case r.Closed && !closed:
		return false, l.miss(e.position, "the recording of this reply ends where a guardrail closed the stream, and none "+
			"closes it there now")
	}
	return closed, l.recorder.wait(ctx, e.latency-at)
}
