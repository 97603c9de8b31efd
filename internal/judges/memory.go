package judges

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// Key is equal for questions that are equal in everything that could change the answer.
type Key [16]byte

// String is the key in hexadecimal, as results hold it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// nth names the n-th answer to a question, from 1: each of them was paid for.
func (k Key) nth(n int) string {
	if n == 1 {
		return k.String()
	}
	return k.String() + "-" + strconv.Itoa(n)
}

// parseKey reads what nth wrote.
func parseKey(text string) (k Key, n int, ok bool) {
	digits, number, repeated := strings.Cut(text, "-")
	if n = 1; repeated {
		n, _ = strconv.Atoi(number)
	}
	if len(digits) != hex.EncodedLen(len(k)) || n < 1 {
		return k, 0, false
	}
	_, err := hex.Decode(k[:], []byte(digits))
	return k, n, err == nil
}

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
// too much; their questions are asked again, and that answer has a key of its own. It is safe for concurrent use.
type Memory struct {
	limit int // bytes of replies

	mu       sync.Mutex
	replies  map[Key]*pendingReply
	order    []Key // of the replies, the oldest first
	bytes    int
	answered map[Key]int // how many answers there were to questions whose reply is not held
}

// pendingReply is a question that was asked, and its reply once done is closed.
type pendingReply struct {
	done       chan struct{}
	reply      chat.Reply
	n          int // the reply is the n-th to its question
	err        error
	callerOnly bool // the error comes from the caller's context, and does not concern others
}

// NewMemory returns a memory for limit bytes of replies. With 0 it keeps no replies, but a question that is being asked
// is still not asked twice.
func NewMemory(limit int) *Memory {
	return &Memory{limit: limit, replies: map[Key]*pendingReply{}, answered: map[Key]int{}}
}

// Recall takes an answer from an earlier part of the run. Its question is not asked again if the answer is usable. If
// it is not, or with anew, the next answer has another key.
func (m *Memory) Recall(j *result.Judgement, anew bool) {
	if !j.Took() {
		return
	}
	reply := &chat.Reply{
		Content: j.Reply, FinishReason: "stop", Model: cmp.Or(j.AnsweredBy, j.Model), Usage: j.Usage,
		CostUSD: j.CostUSD, LatencyMS: j.LatencyMS, Cached: j.Cached, Doubt: j.Doubt,
	}
	// Results do not record how a reply ended: an unreadable one may have been cut.
	if anew || j.Score == nil || strings.Contains(j.Reply, secret.Redacted) {
		reply = nil
	}
	m.recall(j.Key, reply)
}

// recall takes the answer to a question; nil: there was one.
func (m *Memory) recall(name string, reply *chat.Reply) {
	key, n, ok := parseKey(name)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.replies[key] != nil {
		return
	}
	m.answered[key] = max(m.answered[key], n)
	if reply == nil {
		return
	}
	a := &pendingReply{done: make(chan struct{}), reply: *reply, n: n}
	close(a.done)
	m.replies[key] = a
	m.store(key, &a.reply)
}

// MemoryLimit is the default limit in bytes: enough for the judgements of some ten thousand trials.
const MemoryLimit = 16 << 20

// perReply is the memory of a reply in addition to its text, in bytes.
const perReply = 512

// reply returns the reply to a question, and the key of this answer. It calls ask, unless the reply is known or another
// caller is asking: then it waits for that one's reply. Errors are not remembered. An error from the other caller's
// context is not shared: the question is asked again.
func (m *Memory) reply(
	ctx context.Context, key Key, ask func() (chat.Reply, error),
) (reply chat.Reply, named string, err error) {
	for {
		m.mu.Lock()
		a, put := m.replies[key]
		if !put {
			a = &pendingReply{done: make(chan struct{}), n: m.answered[key] + 1}
			m.replies[key] = a
		}
		m.mu.Unlock()
		if !put {
			reply, err = m.ask(ctx, key, a, ask)
			return reply, key.nth(a.n), err
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return chat.Reply{}, key.nth(a.n), context.Cause(ctx)
		}
		if !a.callerOnly {
			return a.reply, key.nth(a.n), a.err
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
		m.answered[oldest] = max(m.answered[oldest], m.replies[oldest].n)
		delete(m.replies, oldest)
	}
}
