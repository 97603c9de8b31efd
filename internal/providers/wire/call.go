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
	Request *chat.Request // nothing but Stream matters to this package

	Header http.Header // of the answer, once there is one

	// Model is what the server calls the model. A Decoder sets it as soon as it is known.
	Model string

	onDelta  func(chat.Delta) error
	watch    *watchdog
	text     strings.Builder // said so far, in a stream
	progress bool            // the stream went on
	silent   error           // the cause when it does not
	came     came
	finished bool     // the model has finished
	doubts   []string // see chat.Reply
	signs    []sign
	wordless bool   // no reply of a model: there is no output to be paid
	declared *bool  // whether its header names other characters than those of UTF-8; nil: not looked at yet
	over     error  // the cause when nothing comes after that
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

// Fetch makes one call about texts whose reply is a document, which decode reads. It fails like Complete.
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

// spent adds usage and cost of the call to an error.
func (c *Call) spent(err error) error {
	usage := c.wasted()
	if failed, ok := err.(*providers.Error); ok { //nolint:errorlint // one that onDelta returns is not ours to change
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
		c.salvage(data, came{})
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
		c.salvage(data, came{})
		return chat.Reply{}, err
	}
	return c.deliver(reply)
}

// post sends a body. Its reply has a good status, and a body that ends at the limit.
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

// send sends a body, with the credentials of the moment where those are not in the header. When they are not accepted
// it is sent once more, with others.
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

// try sends a body. stale are credentials that were not accepted before, and used are those that went along.
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

// read reads a body that is not streamed, as UTF-8. What nobody knows the characters of is no reply: a word in it that
// is forbidden would not be found.
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

// maxReply is how many bytes a reply may have, after decompression.
func (c *Client) maxReply() int64 { return cmp.Or(c.endpoint.MaxReply, maxReplyBytes) }

// release makes the connection available for the next call: it reads the body to its end, with a time limit.
func (c *Call) release(body io.ReadCloser) {
	why := errDrain
	c.watch.allow(drainTimeout, &why)
	// A body that cannot be drained costs a connection, and not the reply.
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
	if errors.Is(err, providers.ErrEnough) { // there is nothing left to close
		reply.ToolCalls = nil
		return reply, nil
	}
	if err != nil {
		return chat.Reply{}, onDeltaError{err}
	}
	return reply, nil
}
