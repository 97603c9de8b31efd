package judges

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// Key is the same for questions that are the same in everything that could change the answer.
type Key [16]byte

// String is the key as results show it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// key covers the endpoint, every part of the request and the vote. Of a simulated endpoint also the place in the run,
// by which it answers.
func (c *call) key(vote int) (k Key, err error) {
	req := c.req
	if !c.endpoint.simulated {
		req.Origin = chat.Origin{}
	}
	data, err := json.Marshal(struct {
		Place []string
		Req   any
		Vote  int
	}{c.endpoint.place, providers.Canonical(&req), vote})
	if err != nil {
		return k, fmt.Errorf("extra: %w", err)
	}
	sum := sha256.Sum256(data)
	copy(k[:], sum[:])
	return k, nil
}

// Memory holds the replies of a run, so that the same question is asked once. It forgets the oldest replies when it
// holds too much; a question that comes up again after that is asked again. It is safe for concurrent use.
type Memory struct {
	limit int // bytes of replies

	mu    sync.Mutex
	asked map[Key]*asking
	order []Key // of the replies, the oldest first
	bytes int
}

// asking is a question that was put, and its reply once done is closed.
type asking struct {
	done  chan struct{}
	reply chat.Reply
	err   error
	own   bool // the error concerns only whoever asked
}

// NewMemory makes a memory for as many bytes of replies. With 0 it keeps none, and only questions under way are not
// asked twice.
func NewMemory(limit int) *Memory { return &Memory{limit: limit, asked: map[Key]*asking{}} }

// MemoryLimit is enough for the judgements of some ten thousand trials.
const MemoryLimit = 16 << 20

// perReply is what a reply takes besides its text.
const perReply = 512

// once returns the reply to a question, which it puts unless somebody has. Errors are not remembered. A caller that
// waits for another one's reply does not share what ended only that one's patience.
func (m *Memory) once(ctx context.Context, key Key, ask func() (chat.Reply, error)) (chat.Reply, error) {
	for {
		m.mu.Lock()
		a, put := m.asked[key]
		if !put {
			a = &asking{done: make(chan struct{})}
			m.asked[key] = a
		}
		m.mu.Unlock()
		if !put {
			return m.lead(ctx, key, a, ask)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return chat.Reply{}, context.Cause(ctx)
		}
		if !a.own {
			return a.reply, a.err
		}
	}
}

var errPanicked = errors.New("the provider panicked")

func (m *Memory) lead(ctx context.Context, key Key, a *asking, ask func() (chat.Reply, error)) (chat.Reply, error) {
	a.err = errPanicked
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if a.err != nil {
			a.own = ctx.Err() != nil || impatient(a.err)
			delete(m.asked, key)
		} else {
			m.keep(key, &a.reply)
		}
		close(a.done)
	}()
	a.reply, a.err = ask()
	return a.reply, a.err
}

// impatient reports whether a call was not made because its caller had too little time left.
func impatient(err error) bool {
	failed, ok := errors.AsType[*providers.Error](err)
	return ok && failed.Kind == providers.Timeout && failed.Final
}

// keep books a reply and forgets the oldest ones beyond the limit.
func (m *Memory) keep(key Key, r *chat.Reply) {
	m.order = append(m.order, key)
	m.bytes += perReply + len(r.Content)
	for m.bytes > m.limit && len(m.order) > 0 {
		oldest := m.order[0]
		m.order = m.order[1:]
		m.bytes -= perReply + len(m.asked[oldest].reply.Content)
		delete(m.asked, oldest)
	}
}
