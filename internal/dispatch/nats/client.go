package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options of a connection. URL is required.
type Options struct {
	URL       string // of one server, or of several with commas between them
	CredsFile string // with a user's JWT and seed
	CAFile    string // with the CA certificates for the servers; "": those of the system
	CertFile  string // of this client, together with KeyFile
	KeyFile   string
	Name      string // of the connection, as the broker lists it

	Stream   string // of the requests; "" is DefaultStream
	NoCreate bool   // streams and consumers that are missing are an error

	// Scrub removes secrets from a message; nil: messages are sent unchanged.
	Scrub func(data []byte) []byte

	// Patience is how long the first connection and each later request may wait for the broker. 0: without a limit.
	Patience time.Duration
	// MaxAway closes the client once the broker has been unreachable for that long and no eval is running: everything that
	// waits for the broker fails. It also limits the first connection. 0: only Patience counts.
	MaxAway time.Duration
	// Notify is called when the connection is lost and when it is back, from any goroutine. It may be nil.
	Notify func(string)
}

// Client is a connection to a broker, which connects again after an outage. It is safe for concurrent use.
type Client struct {
	Names
	opts         Options
	address      address
	conn         *natsgo.Conn
	js           jetstream.JetStream
	disconnected atomic.Bool
	outage       outage
	asyncError   atomic.Pointer[error] // the last error that did not answer a request
	back         chan struct{}         // has something when the connection is there again
	done         chan struct{}         // closed when the connection is
}

// Timeouts of single requests to the broker. A request that times out is tried again.
const (
	connectTimeout = 5 * time.Second
	askTimeout     = 5 * time.Second
)

// Connect connects to a broker. While the broker is unreachable it tries again, as long as the options and ctx allow.
func Connect(ctx context.Context, opts Options) (*Client, error) {
	at, err := parseAddress(opts.URL)
	if err != nil {
		return nil, err
	}
	names, err := NamesOf(cmp.Or(opts.Stream, DefaultStream))
	if err != nil {
		return nil, err
	}
	c := &Client{Names: names, opts: opts, address: at, back: make(chan struct{}, 1), done: make(chan struct{})}
	c.outage.limit = opts.MaxAway
	if c.opts.Notify == nil {
		c.opts.Notify = func(string) {}
	}
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	if c.js, err = jetstream.New(c.conn, jetstream.WithDefaultTimeout(askTimeout)); err != nil {
		c.conn.Close()
		return nil, fmt.Errorf("%s: %w", at.shown, err)
	}
	return c, nil
}

func (c *Client) connect(ctx context.Context) error {
	limit := cmp.Or(c.opts.Patience, c.opts.MaxAway)
	wait, cancel := withLimit(ctx, limit)
	defer cancel()
	for try := 0; ; try++ {
		conn, err := natsgo.Connect(c.address.full, c.settings()...)
		if err == nil {
			c.conn = conn
			if try > 0 {
				c.opts.Notify(c.address.shown + ": connected")
			}
			return nil
		}
		if !isUnreachable(err) {
			return c.explain(err)
		}
		if try == 0 {
			c.opts.Notify(c.explain(err).Error() + "; trying again until it answers")
		}
		if !c.pause(wait, delay(try)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w (tried for %s)", c.explain(err), limit)
		}
	}
}

// withLimit returns a context with a timeout; 0 is no timeout.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// pause waits for d, or until the connection is closed for good. It returns false when the context has ended.
func (c *Client) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
	case <-c.done:
	}
	return true
}

// delay is the wait before another try: 50ms, then twice as long each time up to 5s, with jitter.
func delay(try int) time.Duration {
	d := min(50*time.Millisecond<<min(try, 8), 5*time.Second)
	return d/2 + rand.N(d/2+1) //nolint:gosec // spreads retries in time and shows in no result
}

func (c *Client) settings() []natsgo.Option {
	o := []natsgo.Option{
		natsgo.Name(cmp.Or(c.opts.Name, "arena")), natsgo.Timeout(connectTimeout),
		natsgo.MaxReconnects(-1), natsgo.CustomReconnectDelay(delay), natsgo.PingInterval(20 * time.Second),
		natsgo.PermissionErrOnSubscribe(true),
		natsgo.IgnoreDiscoveredServers(), // connects only to servers that the user named
		natsgo.DisconnectErrHandler(func(conn *natsgo.Conn, err error) { c.disconnect(conn, err) }),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { c.reconnected() }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { c.asyncError.Store(&err) }),
		natsgo.ClosedHandler(func(*natsgo.Conn) { close(c.done) }),
	}
	if c.opts.CredsFile != "" {
		o = append(o, natsgo.UserCredentials(c.opts.CredsFile))
	}
	if c.opts.CAFile != "" {
		o = append(o, natsgo.RootCAs(c.opts.CAFile))
	}
	if c.opts.CertFile != "" {
		o = append(o, natsgo.ClientCert(c.opts.CertFile, c.opts.KeyFile))
	}
	return o
}

func (c *Client) disconnect(conn *natsgo.Conn, err error) {
	if err != nil && c.disconnected.CompareAndSwap(false, true) {
		c.outage.begin(conn.Close)
		c.opts.Notify(c.address.shown + ": the connection is lost; trying again until the broker answers")
	}
}

func (c *Client) reconnected() {
	if c.disconnected.CompareAndSwap(true, false) {
		c.outage.end()
		c.opts.Notify(c.address.shown + ": connected again")
		select {
		case c.back <- struct{}{}:
		default:
		}
	}
}

// Close closes the connection. It loses nothing that was stored.
func (c *Client) Close() {
	c.conn.SetDisconnectErrHandler(nil)
	c.outage.end()
	c.conn.Close()
	<-c.done
}

// Away reports whether the connection is lost at the moment.
func (c *Client) Away() bool { return c.disconnected.Load() }

// Address is the URL of the broker, without user names and passwords.
func (c *Client) Address() string { return c.address.shown }

// closedError says why the connection was closed for good: the broker refused it several times, or was unreachable for
// too long. It is nil for an open connection.
func (c *Client) closedError() error {
	if c.outage.hasExpired() { // the connection is about to close
		return c.explain(errAway)
	}
	select {
	case <-c.done:
		return c.explain(cmp.Or(c.conn.LastError(), natsgo.ErrConnectionClosed))
	default:
		return nil
	}
}

// isUnreachable reports whether a connection failed because the broker is unreachable, rather than because it refused.
func isUnreachable(err error) bool {
	if errors.Is(err, natsgo.ErrNoServers) || errors.Is(err, natsgo.ErrTimeout) ||
		errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	_, network := errors.AsType[*net.OpError](err)
	_, name := errors.AsType[*net.DNSError](err)
	text := err.Error()
	return network && !strings.Contains(text, "tls:") || name || strings.Contains(text, "EOF")
}

// explain turns an error into one that names the broker, holds no password and says what to do.
func (c *Client) explain(err error) error {
	if said, ok := errors.AsType[*Error](err); ok {
		return said
	}
	if c.outage.hasExpired() {
		return &Error{fmt.Sprintf("%s: the broker has been away for %s", c.address.shown, c.opts.MaxAway), errAway}
	}
	say := func(text string) error { return &Error{c.address.shown + ": " + text, err} }
	text := strings.TrimPrefix(err.Error(), "nats: ")
	switch {
	case errors.Is(err, natsgo.ErrAuthorization):
		return say("the broker refused the credentials\n" +
			"give them in the URL (nats://user:password@host:port) or with --nats-creds FILE")
	case errors.Is(err, natsgo.ErrAuthExpired), errors.Is(err, natsgo.ErrAuthRevoked),
		errors.Is(err, natsgo.ErrAccountAuthExpired):
		return say("the broker refused the credentials: " + text)
	case errors.Is(err, natsgo.ErrSecureConnRequired), errors.Is(err, natsgo.ErrSecureConnWanted):
		return say(text + "\nwrite tls://host:port for a broker with TLS, nats://host:port for one without")
	case errors.Is(err, natsgo.ErrNoServers):
		return say("the broker does not answer")
	case errors.Is(err, natsgo.ErrPermissionViolation):
		return say("the broker does not allow it: " + text)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return say("the broker has no JetStream, without which nothing is stored\nstart it with nats-server -js")
	case strings.Contains(text, "tls:"), strings.Contains(text, "x509:"):
		return say("no TLS connection: " + text + "\nname the authority of the broker's certificate with --nats-ca FILE")
	}
	for secret := range strings.SplitSeq(c.address.full, ",") { // a library may quote the URL
		text = strings.ReplaceAll(text, secret, c.address.shown)
	}
	return say(text)
}

// errAway says that the client was closed because the broker did not come back.
var errAway = errors.New("the broker is away")

// Error is an error of the broker.
type Error struct {
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.cause }
