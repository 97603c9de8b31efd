package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/process"
)

// maxRefusal is how much of the body of a refusal is read, in bytes.
const maxRefusal = 2000

// openAddress connects to a server behind HTTP. transport is what the file says.
func (s *source) openAddress(address, transport string) (*session, error) {
	if s.host.HTTP == nil || s.host.HTTP.Transport == nil {
		return nil, errors.New("no connection may be opened")
	}
	home, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if transport == "sse" {
		return s.openWeb(home, "", func(c *http.Client) sdk.Transport {
			return &sdk.SSEClientTransport{Endpoint: address, HTTPClient: c, MaxEventSize: maxMessage}
		})
	}
	var w *web
	streamable := func(c *http.Client) sdk.Transport {
		w, _ = c.Transport.(*web)
		return &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: c, MaxEventSize: maxMessage}
	}
	live, err := s.openWeb(home, "", streamable)
	if err != nil && w.misled(err) {
		if older, failed := s.openWeb(home, oldVersion, streamable); failed == nil {
			return older, nil
		}
	}
	if err == nil || transport != "" || w == nil || !w.unknown() {
		return live, err
	}
	live, older := s.openAddress(address, "sse")
	if older != nil {
		return nil, fmt.Errorf("%w; nor does it speak the older transport: %w", err, older)
	}
	return live, nil
}

// openWeb connects to a server over HTTP.
func (s *source) openWeb(home *url.URL, version string, transport func(*http.Client) sdk.Transport) (*session, error) {
	headers := make(map[string]string, len(s.spec.Headers))
	for name, value := range s.spec.Headers {
		headers[name] = s.expand(value)
	}
	w := &web{base: s.host.HTTP.Transport, home: home, headers: headers}
	w.life, w.leave = context.WithCancel(context.Background())
	w.Transport = transport(&http.Client{CheckRedirect: dial.Stay, Transport: w})
	return greet(s.life, s.spec, w, greeting, version, s.note)
}

// misled reports whether a handshake failed on an answer that cannot be one. Servers of older versions of the protocol
// give such answers to the question of the newest, which they do not know: an empty one, or an error without an id.
func (w *web) misled(err error) bool {
	if _, silent := errors.AsType[overdueError](err); silent {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}

// web is a link to a server over HTTP. All requests of the session go through it.
type web struct {
	sdk.Transport
	base    http.RoundTripper
	home    *url.URL // the address that the user wrote; its host gets the headers, and no other host anything
	headers map[string]string
	life    context.Context
	leave   context.CancelFunc

	mu      sync.Mutex
	word    string // what the library says of the last reply that was of no use
	message string // the message for the user
	absent  bool   // no method takes messages at the address

	answered bool // the last message was taken, whatever came back
}

// RoundTrip implements http.RoundTripper. In the older transport the server names the address for messages, which may
// be any.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if !dial.SameHost(w.home, req.URL) {
		err := fmt.Errorf("it asks for messages at %s://%s, which is another host than its own: nothing was sent there",
			req.URL.Scheme, req.URL.Host)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.word, w.message = err.Error(), err.Error()
		return nil, err
	}
	sent := req.Clone(req.Context())
	for name, value := range w.headers {
		sent.Header.Set(name, value)
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.life, cancel) //nolint:contextcheck // the server may end before the call
	resp, err := w.base.RoundTrip(sent.WithContext(ctx))
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	resp.Body = &body{ReadCloser: resp.Body, release: func() { stop(); cancel() }, left: -1}
	w.look(req, resp)
	if isProtocolType(resp) {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{newExactReader(resp.Body, mediaType(resp) != eventStream), resp.Body}
	}
	return resp, nil
}

// gone is what the library says where a server does not know the session any more.
const gone = "session not found"

const eventStream = "text/event-stream"

// isProtocolType reports whether a reply is of a type that the protocol has.
func isProtocolType(resp *http.Response) bool {
	kind := mediaType(resp)
	return kind == eventStream || kind == "application/json"
}

// mediaType is the type of a reply; "" where it has no valid one.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" with an error
	return kind
}

// look limits how much of a reply is read, and remembers a refusal.
func (w *web) look(req *http.Request, resp *http.Response) {
	refused := resp.StatusCode >= http.StatusMultipleChoices
	if mediaType(resp) != eventStream || refused { // without a valid type the body is read as a whole
		resp.Body.(*body).left = maxMessage
	}
	foreign := req.Method == http.MethodPost && resp.StatusCode == http.StatusOK && !isProtocolType(resp)
	w.mu.Lock()
	defer w.mu.Unlock()
	if req.Method == http.MethodPost {
		w.answered = !refused && !foreign
	}
	if req.Method == http.MethodDelete || !refused && !foreign {
		return
	}
	w.word, w.message = http.StatusText(resp.StatusCode), "it answers "+resp.Status
	if foreign {
		w.word = "unsupported content type"
		w.message = fmt.Sprintf("it answers with the content type %q in place of JSON or events",
			resp.Header.Get("Content-Type"))
	}
	if to := resp.Header.Get("Location"); refused && to != "" && resp.StatusCode < http.StatusBadRequest {
		w.message += ", which leads to " + to + " and is not followed: write that address"
		return
	}
	if req.Method == http.MethodPost && refused {
		w.absent = resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a part of the body is enough
	if len(bytes.TrimSpace(text)) > 0 {
		w.message += ": " + process.Excerpt(text)
	}
	rest := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), rest), rest}
}

// unknown reports whether nothing accepted a POST at the address.
func (w *web) unknown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.absent
}

// blame implements link.
func (w *web) blame(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = plain(err)
	// The library may notice the end of the session before its cause.
	ends := []string{w.word, notTaken, gone}
	if w.message != "" && (err.Error() == io.EOF.Error() ||
		slices.ContainsFunc(ends, func(end string) bool { return strings.Contains(err.Error(), end) })) {
		return errors.New(w.message)
	}
	return err
}

// lost implements link. The library itself notices sessions that have ended.
func (*web) lost() bool { return false }

// shut implements link.
func (w *web) shut() { w.leave() }

var errTooLarge = fmt.Errorf("it sent more than %d MB", maxMessage>>20)

// body is the body of a reply with a size limit.
type body struct {
	io.ReadCloser
	release func()
	left    int // -1: any number
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooLarge
	}
	if b.left > 0 && len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left > 0 {
		b.left -= n
	}
	return n, err
}

func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// plain returns an error without the library's words about its own work.
func plain(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	text := err.Error()
	for {
		rest := text
		for _, noise := range []string{"connection closed: ", "client is closing: ", "failed to read body: "} {
			rest = strings.TrimPrefix(rest, noise)
		}
		if strings.HasPrefix(rest, `calling "`) || strings.HasPrefix(rest, `sending "`) {
			if _, cause, more := strings.Cut(rest, `": `); more {
				rest = cause
			}
		}
		if rest == text {
			break
		}
		text = rest
	}
	if m := misshapen().FindAllStringSubmatch(text, -1); m != nil && strings.Contains(text, "cannot unmarshal") {
		return fmt.Errorf("its answer does not fit the protocol: %s has a value of another type", m[len(m)-1][1])
	}
	if at := strings.Index(text, " (session ID: "); at >= 0 { // the session id is a secret
		before, rest := text[:at], text[at:]
		_, rest, _ = strings.Cut(rest, ")")
		text = before + rest
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// misshapen finds the key of which a decoder reports a wrong type.
var misshapen = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.(\w+) of type`) })
