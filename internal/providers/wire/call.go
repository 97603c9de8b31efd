package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
)

// Call is one request under way. It belongs to the goroutine of the call.
type Call struct {
	*Client
	Request *chat.Request // this package only uses its Stream

	Header http.Header // of the response, once received

	// Model is the server's name of the model. A Decoder sets it as soon as it is known.
	Model string

	onDelta  func(chat.Delta) error
	watch    *watchdog
	text     strings.Builder // streamed so far
	progress bool            // the last event had a part of the reply
	silent   error           // the timeout error for a silent stream
	received receivedPart
	finished bool     // the model has finished
	doubts   []string // see chat.Reply
	signs    []sign
	wordless bool   // the reply is not of a model, so no output was paid for
	declared *bool  // whether the header names a charset other than UTF-8; nil: not checked yet
	over     error  // the cancel cause when nothing follows the end of the reply
	events   Events // of the stream
}

func (c *Client) begin(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) *Call {
	return &Call{Client: c, Request: req, onDelta: onDelta, watch: newWatchdog(ctx, c.request, replyTimeout{c.request})}
}

// Complete makes one call. See providers.Provider.
func (c *Client) Complete(
	ctx context.Context, codec Codec, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if err := done(ctx); err != nil {
		return chat.Reply{}, err
	}
	req, renamed := plainNames(req)
	body, err := encode(codec, req)
	if err != nil {
		return chat.Reply{}, c.Unsent(err)
	}
	call := c.begin(ctx, req, onDelta)
	defer call.watch.stop()
	if _, later := codec.(Later); later {
		limit := min(c.request, defaultRequestTimeout)
		var why error = replyTimeout{limit}
		call.watch.allow(limit, &why)
	}
	began := c.now()
	reply, err := call.run(codec, body)
	if err == nil {
		err = call.impossible()
	}
	if err != nil {
		return chat.Reply{}, call.spent(call.failure(ctx, err))
	}
	renamed.restore(reply.ToolCalls)
	reply.LatencyMS = float64(c.now().Sub(began)) / float64(time.Millisecond)
	var odd bool
	if reply.Usage, odd = within(reply.Usage); odd {
		call.doubt(oddParts)
	}
	if why := oddCount(reply.Usage, req, &reply); why != "" {
		call.doubt(why)
	}
	call.contradicted(reply.FinishReason)
	if lostCharacters(&reply) {
		call.doubt("holds the sign for characters that were lost (U+FFFD)")
	}
	reply.Doubt = strings.Join(call.doubts, ", and ")
	reply.Usage = completed(reply.Usage, req, &reply)
	return reply, nil
}

// Fetch makes one call about texts, and decode reads its reply. Its errors are those of Complete.
func (c *Client) Fetch(
	ctx context.Context, texts []string, body []byte, decode func(c *Call, data []byte) error,
) error {
	if err := done(ctx); err != nil {
		return err
	}
	req := &chat.Request{}
	for _, text := range texts {
		req.Messages = append(req.Messages, chat.Message{Role: chat.User, Content: text})
	}
	call := c.begin(ctx, req, nil)
	call.wordless = true
	defer call.watch.stop()
	err := call.fetch(BodyOf(body), decode)
	if err == nil {
		err = call.impossible()
	}
	if err != nil {
		return call.spent(call.failure(ctx, err))
	}
	return nil
}

// spent adds the usage and cost of the call to an error.
func (c *Call) spent(err error) error {
	usage := c.wasted()
	if failed, ok := err.(*providers.Error); ok { //nolint:errorlint // an error of onDelta is not changed
		failed.Usage = usage
		return failed
	}
	if usage == (chat.Usage{}) {
		return err
	}
	return &providers.Ended{Usage: usage, Err: err}
}

func (c *Call) fetch(body *Body, decode func(c *Call, data []byte) error) error {
	resp, err := c.post(body) //nolint:bodyclose // release closes it
	if err != nil {
		return err
	}
	defer c.release(resp.Body)
	data, err := c.read(resp)
	if err == nil {
		err = decode(c, data)
	}
	if err != nil {
		c.salvage(data, receivedPart{})
	}
	return err
}

func (c *Call) run(codec Codec, body *Body) (chat.Reply, error) {
	resp, err := c.post(body) //nolint:bodyclose // release closes it
	if err != nil {
		return chat.Reply{}, err
	}
	defer c.release(resp.Body)
	if c.Request.Stream && !isDocument(resp.Header) {
		return c.stream(resp.Body, codec.Stream(c))
	}
	data, err := c.read(resp)
	if later, ok := codec.(Later); ok && err == nil {
		data, err = c.await(later, data)
	}
	var reply chat.Reply
	if err == nil {
		reply, err = codec.Decode(c, data)
	}
	if err != nil {
		c.salvage(data, receivedPart{})
		return chat.Reply{}, err
	}
	return c.deliver(reply)
}

// post sends a body. It returns only a response with status 2xx, and limits its length.
func (c *Call) post(body *Body) (*http.Response, error) {
	resp, err := c.send(body)
	if err != nil {
		return nil, err
	}
	c.Header = resp.Header
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer c.release(resp.Body)
		return nil, c.refusal(resp)
	}
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusResetContent {
		defer c.release(resp.Body)
		return nil, c.Fail(providers.BadReply, nil, "the server answers with the status %s, and no reply", resp.Status)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, c.maxReply())
	return resp, nil
}

// send sends a body with current credentials, unless these are in the header. If they are refused, it sends it once
// more with new ones.
func (c *Call) send(body *Body) (*http.Response, error) {
	resp, used, err := c.try(body, "")
	if err != nil || c.endpoint.Authorize == nil || statusKind(resp.StatusCode) != providers.Auth {
		return resp, err
	}
	c.release(resp.Body)
	var why error = replyTimeout{c.request}
	c.watch.allow(c.request, &why)
	resp, _, err = c.try(body, used)
	return resp, err
}

// try sends a body. stale are credentials that were refused before; used are those that were sent.
func (c *Call) try(body *Body, stale string) (resp *http.Response, used string, err error) {
	to, accept := c.endpoint.URL, ""
	if c.Request.Stream {
		to, accept = cmp.Or(c.endpoint.StreamURL, to), cmp.Or(c.endpoint.StreamKind, "text/event-stream")
	}
	method := cmp.Or(c.endpoint.Method, http.MethodPost)
	req, err := http.NewRequestWithContext(c.watch.ctx, method, to, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	body.into(req)
	if req.Header = c.endpoint.Header.Clone(); accept != "" {
		req.Header.Set("Accept", accept)
	}
	if c.endpoint.Authorize != nil {
		if err := c.endpoint.Authorize(req, body, stale); err != nil {
			return nil, "", c.unauthorized(err)
		}
		used = req.Header.Get("Authorization")
		c.scrub.learn(used, req.Header.Get("X-Amz-Security-Token"))
	}
	resp, err = c.http.Do(req)
	return resp, used, err
}

// unauthorized returns the error of a call for which there are no credentials.
func (c *Call) unauthorized(err error) error {
	if c.watch.cause() != nil {
		return err
	}
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		failed.Provider = c.id
		return failed
	}
	failed := c.Fail(providers.Auth, err, "there are no credentials: %s", c.Excerpt(err.Error()))
	failed.Final = true
	return failed
}

// read reads a body that is not streamed, as UTF-8. A reply in an unknown charset is refused, because forbidden words
// would not be found in it.
func (c *Call) read(resp *http.Response) ([]byte, error) {
	var data bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= c.maxReply() {
		data.Grow(int(n) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(resp.Body); err != nil {
		return chat.WithoutBOM(data.Bytes()), err
	}
	text, err := dial.Text(c.Header, data.Bytes())
	if err != nil {
		return data.Bytes(), c.settled(err, "%v: %s", err, c.ExcerptOf(data.Bytes()))
	}
	return text, nil
}

// maxReply is the maximum size of a reply in bytes, after decompression.
func (c *Client) maxReply() int64 { return cmp.Or(c.endpoint.MaxReply, maxReplyBytes) }

// release reads the body to its end, within a time limit, so that the connection can be used again.
func (c *Call) release(body io.ReadCloser) {
	why := errDrain
	c.watch.allow(drainTimeout, &why)
	// If the body cannot be read to its end, only the connection is lost, not the reply.
	_, _ = io.Copy(io.Discard, io.LimitReader(body, maxDrainBytes))
	_ = body.Close()
}

var errDrain = errors.New("the server did not end its reply")

// deliver passes a complete reply to a caller that wants a stream, because the server does not stream.
func (c *Call) deliver(reply chat.Reply) (chat.Reply, error) {
	if !c.Request.Stream || c.onDelta == nil || reply.Content == "" {
		return reply, nil
	}
	c.watch.pause()
	err := c.onDelta(chat.Delta{Text: reply.Content})
	if errors.Is(err, providers.ErrEnough) { // the reply is complete, so there is no stream to close
		reply.ToolCalls = nil
		return reply, nil
	}
	if err != nil {
		return chat.Reply{}, onDeltaError{err}
	}
	return reply, nil
}
