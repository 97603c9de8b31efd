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

// Key is equal for questions that are equal in everything that could change the answer.
type Key [16]byte

// String is the key in hexadecimal, as results hold it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// key is a hash of the endpoint, every part of the request and the vote. For a simulated endpoint it covers the place
// in the run as well, because the answer depends on it.
func (c *call) key(vote int) (k Key, err error) {
	req := c.req
	if !c.endpoint.simulated {
		req.Origin = chat.Origin{}
	}
	data, err := json.Marshal(struct {
		Place []string
		Req   any
		Vote  int
	}{c.endpoint.identity, providers.Canonical(&req), vote})
	if err != nil {
		return k, fmt.Errorf("extra: %w", err)
	}
	sum := sha256.Sum256(data)
	copy(k[:], sum[:])
	return k, nil
}

// Memory holds the replies of a run, so that the same question is asked once. It drops the oldest replies when it holds
// too much; their questions are asked again. It is safe for concurrent use.
type Memory struct {
	limit int // bytes of replies

	mu      sync.Mutex
	replies map[Key]*pendingReply
	order   []Key // of the replies, the oldest first
	bytes   int
}

// pendingReply is a question that was asked, and its reply once done is closed.
type pendingReply struct {
	done       chan struct{}
	reply      chat.Reply
	err        error
	callerOnly bool // the error comes from the caller's context, and does not concern others
}

// NewMemory returns a memory for limit bytes of replies. With 0 it keeps no replies, but a question that is being asked
// is still not asked twice.
func NewMemory(limit int) *Memory { return &Memory{limit: limit, replies: map[Key]*pendingReply{}} }

// MemoryLimit is the default limit in bytes: enough for the judgements of some ten thousand trials.
const MemoryLimit = 16 << 20

// perReply is the memory of a reply besides its text, in bytes.
const perReply = 512

// reply returns the reply to a question. It calls ask, unless the reply is known or another caller is asking: then it
// waits for that one's reply. Errors are not remembered. An error from the other caller's context is not shared: the
// question is asked again.
func (m *Memory) reply(ctx context.Context, key Key, ask func() (chat.Reply, error)) (chat.Reply, error) {
	for {
		m.mu.Lock()
		a, put := m.replies[key]
		if !put {
			a = &pendingReply{done: make(chan struct{})}
			m.replies[key] = a
		}
		m.mu.Unlock()
		if !put {
			return m.ask(ctx, key, a, ask)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return chat.Reply{}, context.Cause(ctx)
		}
		if !a.callerOnly {
			return a.reply, a.err
		}
	}
}

var errPanicked = errors.New("the provider panicked")

func (m *Memory) ask(
	ctx context.Context, key Key, a *pendingReply, ask func() (chat.Reply, error),
) (chat.Reply, error) {
	a.err = errPanicked
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if a.err != nil {
			a.callerOnly = ctx.Err() != nil || outOfTime(a.err)
			delete(m.replies, key)
		} else {
			m.store(key, &a.reply)
		}
		close(a.done)
	}()
	a.reply, a.err = ask()
	return a.reply, a.err
}

// outOfTime reports whether a call failed because its caller had too little time left.
func outOfTime(err error) bool {
	failed, ok := errors.AsType[*providers.Error](err)
	return ok && failed.Kind == providers.Timeout && failed.Final
}

// store keeps a reply, and drops the oldest ones beyond the limit.
func (m *Memory) store(key Key, r *chat.Reply) {
	m.order = append(m.order, key)
	m.bytes += perReply + len(r.Content)
	for m.bytes > m.limit && len(m.order) > 0 {
		oldest := m.order[0]
		m.order = m.order[1:]
		m.bytes -= perReply + len(m.replies[oldest].reply.Content)
		delete(m.replies, oldest)
	}
}
