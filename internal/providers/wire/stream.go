package wire

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// onDeltaError is an error that onDelta returned.
type onDeltaError struct{ error }

// enough reports whether onDelta ended the stream and keeps the text so far.
func enough(err error) bool {
	s, ok := errors.AsType[onDeltaError](err)
	return ok && errors.Is(s.error, providers.ErrEnough)
}

// lateLimit is how long to wait for the next event after the model has finished. Only the usage can still follow.
const lateLimit = 5 * time.Second

// errOver is the cancel cause when nothing follows within lateLimit.
var errOver = errors.New("the reply is whole")

// stream reads a reply event by event. Only events with a part of the reply restart the idle timeout.
func (c *Call) stream(body io.Reader, d Decoder) (chat.Reply, error) {
	c.silent, c.over, c.events = idleTimeout{c.idle}, errOver, c.endpoint.events(body)
	for {
		e, err := c.events.Next()
		last := errors.Is(err, io.EOF) || c.lost(err)
		if err == nil && len(e.Data) > 0 { // an event without data only keeps the connection alive
			last, err = c.event(d, e)
		}
		switch {
		case last:
			return d.Reply()
		case enough(err):
			return chat.Reply{Content: c.EmittedText(), Model: c.Model}, nil
		case err != nil:
			return chat.Reply{}, err
		}
		if c.progress {
			c.progress = false
			c.wait()
		}
	}
}

// event passes an event to the decoder. Usage in an error event or an unreadable event is counted too.
func (c *Call) event(d Decoder, e Event) (last bool, err error) {
	before := c.received
	last, err = d.Event(e)
	if _, ours := errors.AsType[onDeltaError](err); err != nil && !ours {
		c.salvage(e.Data, before)
	}
	return last || c.lost(err), err
}

// lost reports whether an error is the end of lateLimit, or of a connection after the server's counts were received:
// the reply is complete.
func (c *Call) lost(err error) bool {
	if err == nil || !c.finished {
		return false
	}
	if cause := c.watch.cause(); cause != nil {
		return errors.Is(cause, errOver)
	}
	counted := c.received.usage.OutputTokens > 0
	_, failed := errors.AsType[*providers.Error](err)
	_, ours := errors.AsType[onDeltaError](err)
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	return counted && !failed && !ours && !tooLarge
}

// wait restarts the timeout for the next event.
func (c *Call) wait() {
	if c.finished {
		c.watch.allow(min(c.idle, lateLimit), &c.over)
		return
	}
	c.watch.allow(c.idle, &c.silent)
}

// EmitText passes on the next text of a streamed reply. A Decoder must return its error unchanged.
func (c *Call) EmitText(text string) error {
	if text == "" {
		return nil
	}
	if c.progress = true; c.finished {
		c.goesOn()
	}
	c.text.WriteString(text)
	if c.onDelta == nil {
		return nil
	}
	c.watch.pause() // the time that onDelta takes does not count as silence of the server
	if err := c.onDelta(chat.Delta{Text: text}); err != nil {
		c.watch.stop() // end the call, so that unwanted text is not paid for
		return onDeltaError{err}
	}
	return nil
}

// EmittedText returns all text that was passed on.
func (c *Call) EmittedText() string { return c.text.String() }

// Finished notes that the model has finished. The stream is complete, even if no further events follow.
func (c *Call) Finished() { c.progress, c.finished = true, true }

// Progress notes that an event had a part of the reply other than text: thoughts, a piece of a tool call, or its end. A
// stream without progress runs into the idle timeout.
func (c *Call) Progress() { c.progress = true }
