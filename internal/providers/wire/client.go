// Package wire is what clients of model APIs over HTTP have in common: connections, limits of time and size,
// server-sent events, the meaning of failed calls, and errors without secrets.
//
// A client of another API supplies an Endpoint, which says where calls go, and a Codec, which encodes the requests of
// that API and decodes its replies, complete or event by event. Client.Complete does the rest.
package wire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Limits, and the defaults of what can be configured.
const (
	defaultRequestTimeout = 60 * time.Second
	defaultIdleTimeout    = 30 * time.Second
	maxReplyBytes         = 32 << 20 // of one reply, streamed or not, after decompression
	maxErrorBytes         = 64 << 10 // of the body of a failed response
	maxDrainBytes         = 256 << 10
	drainTimeout          = time.Second
)

// Options are the options of a client that are not in the provider's file.
type Options struct {
	Getenv func(string) (string, bool) // for keys; nil: an empty environment
	Jobs   int                         // maximum number of connections, one for each concurrent call; 0: no limit
	Now    func() time.Time            // nil: time.Now
	// Offline makes every new connection fail.
	Offline bool
	// Transport replaces the client's own connections.
	Transport http.RoundTripper
	// Unsent says that Transport only records requests. Credentials that would have to be fetched are left out.
	Unsent bool
}

// Endpoint says where the calls of a client go, and what is sent with each of them.
type Endpoint struct {
	URL     string
	Path    string      // of the call, at the end of URL; messages omit it, because base_url does not have it
	Header  http.Header // see Header
	Key     providers.Key
	KeyVars []string // variables that may hold the key
	// StreamURL is the address for streamed calls; "": URL. StreamKind is the content type of streamed replies; "":
	// text/event-stream.
	StreamURL, StreamKind string
	// Events reads a stream that is not server-sent events; nil: the stream is.
	Events func(io.Reader) Events
	// Authorize adds credentials to a request, mostly as its Authorization header. nil: Header has all credentials.
	// stale are the credentials that were refused before; "": none were. Authorize is called concurrently, ends with
	// the context of the request, and may return a *providers.Error.
	Authorize func(req *http.Request, body *Body, stale string) error
	// Start says how to start the server if it is not running; "": not known.
	Start string
	// Hint says what to do about a refused call if the API has advice of its own; "" or a nil Hint: the general advice.
	Hint    func(status int, r Report) string
	Method  string   // of the calls; "": POST
	Setting string   // the key for the address in the user's file; "": base_url
	Secrets []string // secrets that are sent in other ways than by Header and Key
	// Patience is the default time limit of a reply; 0: a minute. MaxReply is the maximum size of a reply in bytes; 0:
	// 32 MiB.
	Patience time.Duration
	MaxReply int64
}

// setting is the key for the address in the user's file.
func (e *Endpoint) setting() string { return cmp.Or(e.Setting, "base_url") }

// Client makes the calls to one endpoint. It is safe for concurrent use.
type Client struct {
	id, model string
	endpoint  Endpoint
	shown     string // the address for messages
	http      *http.Client
	scrub     *scrubber
	now       func() time.Time
	request   time.Duration // limit until the complete reply, or the first chunk of a stream
	idle      time.Duration // between two chunks
	offline   bool
}

// New makes the client of a provider. It does not touch the network.
func New(spec *scenario.Provider, e Endpoint, o Options) *Client {
	c := &Client{
		id: spec.ID, model: spec.Model, endpoint: e, scrub: e.scrubber(), now: o.Now,
		request: spec.RequestTimeout, idle: spec.StreamIdleTimeout, offline: o.Offline,
	}
	c.shown = c.show(e.URL)
	if c.now == nil {
		c.now = time.Now
	}
	if c.request <= 0 {
		c.request = cmp.Or(e.Patience, defaultRequestTimeout)
	}
	if c.idle <= 0 {
		c.idle = defaultIdleTimeout
	}
	transport := o.Transport
	if transport == nil {
		transport = connections(o.Jobs, o.Offline, spec.Transport)
	}
	// A redirect is not followed: it would send the conversation, and keys in custom headers, to a host that nobody
	// configured.
	c.http = &http.Client{Transport: transport, CheckRedirect: dial.Stay}
	return c
}

// At returns a client for one call to another address with other headers, on the same connections.
func (c *Client) At(address string, header http.Header) *Client {
	own := *c
	own.endpoint.URL, own.endpoint.Header = address, header
	own.shown = own.show(address)
	return &own
}

// Close drops the idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Address is the address of the calls.
func (c *Client) Address() string { return c.endpoint.URL }

// Fail returns an error of this client. The text must not hold outside text that was not scrubbed.
func (c *Client) Fail(kind providers.Kind, cause error, format string, args ...any) *providers.Error {
	return &providers.Error{Kind: kind, Provider: c.id, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Unsent returns the error of a request that could not be encoded.
func (c *Client) Unsent(err error) error {
	return c.Fail(providers.Refused, err, "the request cannot be sent: %v", err)
}

// show returns an address for messages: in the form of base_url, without secrets.
func (c *Client) show(address string) string {
	return strings.TrimSuffix(withoutSecrets(address), c.endpoint.Path)
}

// withoutSecrets removes the parts of an address that may hold secrets.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// done returns the cause if a context has ended, else nil.
func done(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
