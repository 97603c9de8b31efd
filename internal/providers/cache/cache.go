// Package cache keeps the replies of models on disk, so that the same question is not paid for twice. A reply from the
// cache is marked as such, and has the cost and latency of the call that was made.
package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Store is a folder with replies. It is safe for concurrent use, also by several processes.
type Store struct {
	Dir string
	// Note is told of entries that cannot be used; nil: nobody is.
	Note func(text string)
	// Secret reports whether a text holds a secret; nil: none does. A reply that repeats one is not kept: without it,
	// what would be judged the next time is another reply.
	Secret func(text []byte) bool
	// Now tells how long a call took with its retries and pauses; nil: replies keep the latency that their client tells.
	Now func() time.Time
	// Anew asks models again for what earlier runs kept, and keeps what they say now. What this run kept answers.
	Anew bool

	mu     sync.Mutex
	saved  map[string]bool // keys of what this run kept; only with Anew
	unkept int             // replies that could not be written
	why    error           // the first of them
	kept   plainfile.Kept
}

// Gone is a file of a reply that this run kept and somebody has removed since; "": none is known.
func (s *Store) Gone() string {
	if s == nil {
		return ""
	}
	return s.kept.Gone()
}

// Unkept is how many replies could not be written, and why the first could not. Those that repeat a secret do not
// count: they are not to be kept.
func (s *Store) Unkept() (n int, why error) {
	if s == nil {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unkept, s.why
}

// Wrap answers the calls of a provider from the store where the very same was asked before: the same request to the
// same model at the same address under the same id, in a trial of the same number. Other calls go to p, and whole
// replies are kept. Errors are not, nor replies that were cut short. A reply whose stream guardrails closed is kept for
// calls that the very same guardrails listen to.
func (s *Store) Wrap(p providers.Provider, spec *scenario.Provider) providers.Provider {
	return &cached{next: p, store: s, id: spec.ID, source: sourceOf(p, spec)}
}

// sourceOf is what of a provider decides about its replies, besides the request. Like providers.Canonical it keeps its
// form, so that a field that a provider gets does not change the keys of all that was paid for.
func sourceOf(p providers.Provider, spec *scenario.Provider) any {
	headers := map[string]string{}
	for name, value := range spec.Headers {
		if !credential(name) {
			headers[strings.ToLower(name)] = value
		}
	}
	return []any{
		spec.ID, spec.Type, spec.BaseURL, providers.Address(p), spec.Model, headers, formOfPlatform(spec.Platform),
		spec.Unsupported, string(spec.Extra),
	}
}

type platformForm struct {
	Type, Region, Project, Endpoint string
	APIVersion                      string
	Pos                             struct{} // the first version had it
}

func formOfPlatform(p *scenario.Platform) (form platformForm) {
	if p != nil {
		form.Type, form.Region, form.Project, form.Endpoint, form.APIVersion = p.Type, p.Region, p.Project, p.Endpoint,
			p.APIVersion
	}
	return form
}

// credential reports whether a header holds one: another key gets no other reply.
func credential(header string) bool {
	header = strings.ToLower(header)
	for _, word := range []string{"auth", "key", "token", "secret", "cookie"} {
		if strings.Contains(header, word) {
			return true
		}
	}
	return false
}

type cached struct {
	next   providers.Provider
	store  *Store
	id     string
	source any
}

func (c *cached) Unwrap() providers.Provider { return c.next }

// key is the same for calls that may share a reply: a whole one, or one that guardrails closed.
func (c *cached) key(req *chat.Request, closing string) (string, error) {
	plain := *req
	plain.Origin = chat.Origin{}
	asked := []any{version, c.source, providers.Canonical(&plain), cmp.Or(req.Origin.Repetition, req.Origin.Trial),
		req.Origin.Vote}
	if n := req.Origin.Attempt; n > 0 { // a further attempt is to be another one
		asked = append(asked, fmt.Sprintf("attempt %d", n+1))
	}
	if closing != "" {
		asked = append(asked, closing)
	}
	if sums := fileSums(req); len(sums) > 0 {
		asked = append(asked, sums)
	}
	data, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// fileSums are the contents of the files that go along with a request by their paths. A picture that was painted over
// is another question.
func fileSums(req *chat.Request) (sums []string) {
	look := func(parts []chat.Part) {
		for _, p := range parts {
			if m := p.Media; m != nil && m.Local && m.Path != "" {
				sums = append(sums, hex.EncodeToString(scenario.FileDigest(m.Path)))
			}
		}
	}
	for i := range req.Messages {
		look(req.Messages[i].Parts)
		if r := req.Messages[i].ToolResult; r != nil {
			look(r.Parts)
		}
	}
	return sums
}

func (c *cached) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	key, err := c.key(req, "")
	if err != nil {
		return chat.Reply{}, &providers.Error{
			Kind: providers.Refused, Provider: c.id, Msg: fmt.Sprintf("the request cannot be sent: %v", err), Err: err,
		}
	}
	if e := c.store.replyTo(key); e != nil {
		return e.deliver(req.Stream, onDelta)
	}
	closedKey := ""
	if req.Stream && onDelta != nil && req.Origin.Closing != "" {
		if closedKey, err = c.key(req, req.Origin.Closing); err == nil {
			if e := c.store.replyTo(closedKey); e != nil && e.Closed {
				return c.closedAgain(e, onDelta)
			}
		}
	}
	h := &pieceRecorder{onDelta: onDelta}
	listen := onDelta
	if req.Stream {
		if listen = h.onText; onDelta == nil {
			ctx = providers.RetryStreamed(ctx)
		}
	}
	took := c.store.stopwatch()
	reply, err := c.next.Complete(ctx, req, listen)
	reply.LatencyMS = max(reply.LatencyMS, took())
	kept := entry{Version: version, Key: key, Provider: c.id, Reply: storedFrom(&reply), Pieces: h.piecesOf(reply.Content)}
	switch {
	case err != nil:
	case !h.enough && isComplete(&reply):
		c.store.save(&kept)
	case h.enough && closedKey != "" && reply.Content != "":
		kept.Key, kept.Closed = closedKey, true
		c.store.save(&kept)
	}
	return reply, err
}

// stopwatch returns a function that tells the milliseconds since now; 0 without a clock.
func (s *Store) stopwatch() func() float64 {
	if s.Now == nil {
		return func() float64 { return 0 }
	}
	began := s.Now()
	return func() float64 { return float64(s.Now().Sub(began)) / float64(time.Millisecond) }
}

// closedAgain hands out a reply whose stream guardrails closed. They should close it at the same text again. When they
// do not, a guardrail in Go has changed: the rest of the reply is not known, so the entry goes, and the next run asks
// the model.
func (c *cached) closedAgain(e *entry, onDelta func(chat.Delta) error) (chat.Reply, error) {
	closed := false
	reply, err := e.deliver(true, func(d chat.Delta) error {
		err := onDelta(d)
		closed = closed || errors.Is(err, providers.ErrEnough)
		return err
	})
	if err != nil || closed {
		return reply, err
	}
	c.store.drop(e.Key)
	return chat.Reply{}, &providers.Error{
		Kind: providers.BadReply, Provider: c.id, Final: true,
		Msg: "the cache has only the beginning of this reply: a guardrail closed its stream, and lets it pass now; " +
			"run this again to ask the model",
	}
}

// isComplete reports whether a reply is all that the model had to say.
func isComplete(r *chat.Reply) bool {
	media := false
	for _, p := range r.Parts {
		media = media || p.Media != nil
	}
	return !media && (r.FinishReason == "stop" || r.FinishReason == "tool_calls") &&
		(r.Content != "" || len(r.Parts) > 0 || len(r.ToolCalls) > 0)
}

// pieceRecorder notes in which pieces a reply comes.
type pieceRecorder struct {
	onDelta func(chat.Delta) error // nil: nobody else listens
	pieces  []int                  // in characters
	enough  bool
}

func (h *pieceRecorder) onText(d chat.Delta) error {
	h.pieces = append(h.pieces, utf8.RuneCountInString(d.Text))
	if h.onDelta == nil {
		return nil
	}
	err := h.onDelta(d)
	h.enough = h.enough || errors.Is(err, providers.ErrEnough)
	return err
}

// piecesOf are the pieces of the attempt that gave the text, the last one.
func (h *pieceRecorder) piecesOf(text string) []int {
	at, left := len(h.pieces), utf8.RuneCountInString(text)
	for at > 0 && left > 0 {
		at--
		left -= h.pieces[at]
	}
	return h.pieces[at:]
}

// deliver hands a kept reply out, in the pieces in which it came once.
func (e *entry) deliver(stream bool, onDelta func(chat.Delta) error) (chat.Reply, error) {
	reply := e.Reply.chat()
	reply.Cached = true
	if !stream || onDelta == nil {
		return reply, nil
	}
	rest, sent := []rune(reply.Content), 0
	for i := 0; sent < len(rest); i++ {
		end := len(rest)
		if i < len(e.Pieces)-1 {
			end = min(sent+max(e.Pieces[i], 0), end)
		}
		piece := string(rest[sent:end])
		sent = end
		err := onDelta(chat.Delta{Text: piece})
		if errors.Is(err, providers.ErrEnough) {
			if e.Closed && sent == len(rest) { // as it was paid for
				return reply, nil
			}
			return providers.ClosedReply(reply, string(rest[:sent])), nil
		}
		if err != nil {
			return chat.Reply{}, err
		}
	}
	return reply, nil
}
