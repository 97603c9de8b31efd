package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/process"
)

// maxNoise is how many lines that are no JSON-RPC a program may write: banners, logs.
const maxNoise = 100

// freeForm are the keys of an answer below which there may be any keys, also those that differ in case alone.
var freeForm = map[string]bool{"result": true, "data": true, "params": true}

// conversation is what goes to a running program and comes from it, line by line.
type conversation struct {
	running *process.Running
	answers chan *message // closed when no more come
	gone    chan struct{} // closed when there is no reader any more
	leave   func()

	mu    sync.Mutex
	noise int
	first string // line that is no JSON-RPC
	err   error  // why no more answers come; nil: the program ended
}

func converse(running *process.Running) *conversation {
	c := &conversation{running: running, answers: make(chan *message), gone: make(chan struct{})}
	c.leave = sync.OnceFunc(func() { close(c.gone) })
	go c.listen()
	return c
}

// listen reads until the program ends, or writes what cannot be used. It is over soon after the program is.
func (c *conversation) listen() {
	defer close(c.answers)
	err := process.EachLine(c.running, maxOutput, func(text []byte) bool {
		m := c.read(text)
		if m == nil || c.problem() != nil {
			return c.problem() == nil
		}
		select {
		case c.answers <- m:
			return true
		case <-c.gone:
			return false
		}
	})
	if err != nil {
		c.fail(err)
	}
}

// read is the answer on a line; nil for anything else.
func (c *conversation) read(text []byte) *message {
	if len(text) == 0 {
		return nil
	}
	m := &message{}
	var fields map[string]json.RawMessage
	if !utf8.Valid(text) {
		if json.Unmarshal(bytes.ToValidUTF8(text, []byte("\uFFFD")), m) == nil && m.ID != nil && m.Method == "" {
			m.Error = &rpcError{Message: "the answer is not valid UTF-8: " + process.Excerpt(text)}
			return m
		}
		c.addNoise(text)
		return nil
	}
	if json.Unmarshal(text, &fields) != nil || fields == nil {
		c.addNoise(text)
		return nil
	}
	err := json.Unmarshal(text, m)
	_, answers := fields["result"]
	key, twice := jsonvalue.KeyTwiceOutside(text, freeForm)
	switch {
	case twice && err == nil && m.ID != nil && m.Method == "":
		m.Result, m.Error = nil, &rpcError{Message: fmt.Sprintf("the answer has the key %q twice in one object: %s", key,
			process.Excerpt(text))}
		return m
	case m.Method != "": // a request or notification of the program, which arena does not answer
		return nil
	case err == nil && m.ID != nil && (answers || m.Error != nil):
		return m
	case err == nil && m.ID != nil:
		m.Error = &rpcError{Message: "the answer has neither result nor error: " + process.Excerpt(text)}
		return m
	case err != nil && fields["id"] != nil && fields["error"] != nil: // an error of a form of its own
		m.Error = &rpcError{Message: string(fields["error"])}
		return m
	}
	c.addNoise(text)
	return nil
}

// addNoise counts a line that is not a JSON-RPC message.
func (c *conversation) addNoise(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noise++; c.noise == 1 {
		c.first = process.Excerpt(text)
	}
	if c.noise > maxNoise && c.err == nil {
		c.err = fmt.Errorf("it wrote more than %d lines that are no JSON-RPC, the first of them %s", maxNoise, c.first)
	}
}

func (c *conversation) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

func (c *conversation) problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// firstNoise is the first line that is no JSON-RPC; "" when there was none.
func (c *conversation) firstNoise() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// over reports whether the program has ended, or cannot be used any more.
func (c *conversation) over() bool {
	if c.problem() != nil || c.running.Ended() {
		return true
	}
	select {
	case m, more := <-c.answers: // an answer that came too late
		return !more && m == nil
	default:
		return false
	}
}

// exchange sends a request and waits for the answer with its id. Other answers are late, and dropped.
func (c *conversation) exchange(ctx context.Context, request []byte, id string) (*message, error) {
	other := "" // the id of an answer that was dropped
	sent := make(chan error, 1)
	go func() { sent <- c.running.Write(ctx, request) }() // a program may answer before it has read all
	for {
		select {
		case m, more := <-c.answers:
			if !more {
				return nil, c.end()
			}
			if string(m.ID) == id {
				if err := <-sent; err != nil { // it is not known where the next request would begin
					c.fail(errors.New("it does not read its input"))
				}
				return m, nil
			}
			other = string(m.ID)
		case <-ctx.Done():
			if other != "" {
				return nil, fmt.Errorf("%w; an answer came with the id %s in the place of %s", context.Cause(ctx),
					process.Excerpt([]byte(other)), id)
			}
			return nil, context.Cause(ctx)
		}
	}
}

// end is why no more answers come.
func (c *conversation) end() error {
	if err := c.problem(); err != nil {
		return err
	}
	return c.running.Silence("answered", patience)
}
