// Package openai talks to OpenAI's chat completions API and to the many servers that speak it: Ollama, vLLM, Azure,
// gateways.
//
// The words of the protocol come from github.com/sashabaranov/go-openai; the calls are made here and not by its
// client, because a test runner must be able to say what that client cannot: a temperature of 0, an empty tool result
// and a null content are values; a seed has 64 bits; a model is refused by the server, not by a list of names. And it
// must see what the client hides: the headers of an error, the difference between a stream that ended and one that was
// cut, an error object with status 200, and how much a server sends.
package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Limits, and the defaults of what can be configured.
const (
	defaultRequestTimeout = 60 * time.Second
	defaultIdleTimeout    = 30 * time.Second
	maxReplyBytes         = 32 << 20 // of one reply, streamed or not, after decompression
	maxErrorBytes         = 64 << 10 // of the body of a failed call
	maxDrainBytes         = 256 << 10
	drainTimeout          = time.Second
)

// Options is what the surroundings give to a provider.
type Options struct {
	Getenv func(string) (string, bool) // for keys; nil: an empty environment
	Jobs   int                         // connections at most, one for each trial that runs at once; 0: no limit
	Now    func() time.Time            // nil: time.Now
	// Offline makes every connection fail that would be opened.
	Offline bool
	// Transport replaces the provider's own connections, in tests.
	Transport http.RoundTripper
}

// Provider is a model behind the API.
type Provider struct {
	id, model string
	endpoint  endpoint
	shape     shape
	body      map[string]any // extra_body, for embeddings: that of a chat stands in its requests
	client    *http.Client
	scrub     *providers.Scrubber
	now       func() time.Time
	request   time.Duration // until the whole reply, or the first chunk of a stream
	idle      time.Duration // between two chunks
}

// New makes a provider of the types that Types lists. It resolves the key, and fails with an *providers.Error of kind
// Auth when one is named that is not there; it does not touch the network.
func New(spec *scenario.Provider, o Options) (*Provider, error) {
	return newProvider(spec, chatPath, o)
}

func newProvider(spec *scenario.Provider, path string, o Options) (*Provider, error) {
	e, err := newEndpoint(spec, path, o.Getenv)
	if err != nil {
		return nil, err
	}
	p := &Provider{
		id: spec.ID, model: spec.Model, endpoint: e, shape: newShape(spec), body: spec.Body, scrub: e.scrubber(),
		now: o.Now, request: spec.RequestTimeout, idle: spec.StreamIdleTimeout,
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.request <= 0 {
		p.request = defaultRequestTimeout
	}
	if p.idle <= 0 {
		p.idle = defaultIdleTimeout
	}
	transport := o.Transport
	if transport == nil {
		transport = newTransport(o.Jobs, o.Offline, spec.Transport)
	}
	// A redirect is handed out as it came: following it would send the conversation, and keys in custom headers, to a host
	// that nobody configured.
	p.client = &http.Client{Transport: transport, CheckRedirect: dial.Stay}
	return p, nil
}

// Close drops the idle connections.
func (p *Provider) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// Address is where the calls go.
func (p *Provider) Address() string { return p.endpoint.url }

// Complete makes one call. See providers.Provider.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	body, err := p.shape.encode(p.model, req)
	if err != nil {
		return chat.Reply{}, p.fail(providers.Refused, err, "the request cannot be sent: %v", err)
	}
	w := newWatch(ctx, p.request, noReply{p.request})
	defer w.stop()
	began := p.now()
	c := &call{Provider: p, req: req, onDelta: onDelta, watch: w}
	reply, err := c.run(body)
	if err != nil {
		return chat.Reply{}, c.failure(ctx, err)
	}
	reply.LatencyMS = float64(p.now().Sub(began)) / float64(time.Millisecond)
	if reply.Usage == (chat.Usage{}) {
		reply.Usage = guessUsage(req, &reply)
	}
	return reply, nil
}

// call is one request under way.
type call struct {
	*Provider
	req     *chat.Request
	onDelta func(chat.Delta) error
	watch   *watch
}

func (c *call) run(body []byte) (chat.Reply, error) {
	resp, err := c.send(body) //nolint:bodyclose // release closes it
	if err != nil {
		return chat.Reply{}, err
	}
	defer c.release(resp.Body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return chat.Reply{}, c.refusal(resp)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxReplyBytes)
	if c.req.Stream && !isDocument(resp.Header) {
		return c.stream(resp.Body)
	}
	return c.whole(resp)
}

func (c *call) send(body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(c.watch.ctx, http.MethodPost, c.endpoint.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = c.endpoint.header.Clone()
	if c.req.Stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	return c.client.Do(req)
}

// release gives the connection back for the next call, which needs a body that was read to its end. A server that does
// not end it is not waited for.
func (c *call) release(body io.ReadCloser) {
	why := errDrain
	c.watch.allow(drainTimeout, &why)
	// A body that cannot be drained costs a connection, and not the reply.
	_, _ = io.Copy(io.Discard, io.LimitReader(body, maxDrainBytes))
	_ = body.Close()
}

var errDrain = errors.New("the server did not end its reply")

// whole reads a reply that comes in one piece.
func (c *call) whole(resp *http.Response) (chat.Reply, error) {
	var data bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= maxReplyBytes {
		data.Grow(int(n) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(resp.Body); err != nil {
		return chat.Reply{}, err
	}
	reply, err := c.decode(data.Bytes())
	if err != nil {
		return chat.Reply{}, err
	}
	if c.req.Stream && c.onDelta != nil && reply.Content != "" { // a server that does not stream
		c.watch.pause()
		err := c.onDelta(chat.Delta{Text: reply.Content})
		if errors.Is(err, providers.ErrEnough) { // there is nothing left to close
			reply.ToolCalls = nil
			return reply, nil
		}
		if err != nil {
			return chat.Reply{}, stopped{err}
		}
	}
	return reply, nil
}

// fail makes an error of this provider. The text must not hold anything from outside that was not scrubbed.
func (p *Provider) fail(kind providers.Kind, cause error, format string, args ...any) *providers.Error {
	return &providers.Error{Kind: kind, Provider: p.id, Msg: fmt.Sprintf(format, args...), Err: cause}
}
