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

// listener hears a reply as it streams in. It belongs to one call.
type listener struct {
	now     func() time.Time
	onDelta func(chat.Delta) error // nil: nobody else listens
	began   time.Time
	text    strings.Builder
	pieces  chunks
	enough  bool
}

func (h *listener) hear(d chat.Delta) error {
	ms := float64(h.now().Sub(h.began).Round(time.Microsecond)) / float64(time.Millisecond)
	h.pieces = append(h.pieces, chunk{utf8.RuneCountInString(d.Text), max(ms, 0)})
	h.text.WriteString(d.Text)
	if h.onDelta == nil {
		return nil
	}
	err := h.onDelta(d)
	h.enough = h.enough || errors.Is(err, providers.ErrEnough)
	return err
}

// chunksOf are the pieces of the attempt that gave the text: the last ones, when others broke off before it.
func (h *listener) chunksOf(text string) chunks {
	want := utf8.RuneCountInString(text)
	for i, piece := range slices.Backward(h.pieces) {
		if want -= piece.runes; want <= 0 {
			return h.pieces[i:]
		}
	}
	return h.pieces
}

// speak hands a recorded reply out as it came. Where the listener closes the stream before the recorded end, the reply
// becomes what was handed out.
func (l *Lane) speak(
	ctx context.Context, e *entry, reply *chat.Reply, stream bool, onDelta func(chat.Delta) error,
) (closed bool, err error) {
	r, _ := e.reply.(*modelReply)
	if r == nil || !stream {
		return false, l.tape.wait(ctx, e.latency)
	}
	at, said := 0.0, ""
	for i, piece := range r.Chunks.cut(reply.Content) {
		if i < len(r.Chunks) {
			if err := l.tape.wait(ctx, r.Chunks[i].ms-at); err != nil {
				return false, err
			}
			at = max(at, r.Chunks[i].ms)
		}
		if onDelta == nil {
			continue
		}
		said += piece
		err := onDelta(chat.Delta{Text: piece})
		if closed = errors.Is(err, providers.ErrEnough); closed {
			break
		}
		if err != nil {
			return false, err
		}
	}
	switch {
	case closed && (!r.Closed || said != reply.Content):
		*reply = providers.ClosedReply(*reply, said)
		return true, nil
	case r.Closed && !closed:
		return false, l.miss(e.place, "the recording of this reply ends where a guardrail closed the stream, and none "+
			"closes it there now")
	}
	return closed, l.tape.wait(ctx, e.latency-at)
}
