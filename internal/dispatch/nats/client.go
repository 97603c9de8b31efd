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
	URL       string // of a server, or of several with commas between them
	CredsFile string // with a user's JWT and seed
	CAFile    string // with the certificates that the servers' are held against; "": those of the system
	CertFile  string // of this client; KeyFile comes with it
	KeyFile   string
	Name      string // under which the broker lists the connection

	Stream   string // of the requests; "" is DefaultStream
	NoCreate bool   // streams and consumers that are missing are an error

	// Scrub takes out of a message what the broker may not keep; nil: nothing.
	Scrub func(data []byte) []byte

	// Patience is how long the first connection, and each thing that is stored later, may wait for the broker. 0: for
	// ever.
	Patience time.Duration
	// MaxAway ends the client once the broker has been away for that long, and nothing was measured meanwhile: whatever
	// waits for it fails. The first connection waits no longer either. 0: it is waited for as Patience says.
	MaxAway time.Duration
	// Tell hears that the broker is away and that it is back, each once, from any goroutine. Nil: nobody does.
	Tell func(string)
}

// Client is a connection that comes back for as long as it is not closed. It is safe for concurrent use.
type Client struct {
	Names
	opts  Options
	at    address
	conn  *natsgo.Conn
	js    jetstream.JetStream
	away  atomic.Bool
	gone  absence
	async atomic.Pointer[error] // the last that came without a question
	done  chan struct{}         // closed when the connection is
}

// Timeouts of single exchanges with the broker; what waits longer is tried again.
const (
	connectTimeout = 5 * time.Second
	askTimeout     = 5 * time.Second
)

// Connect connects. While nobody answers it tries again, as long as the options allow and ctx lasts.
func Connect(ctx context.Context, opts Options) (*Client, error) {
	at, err := parseAddress(opts.URL)
	if err != nil {
		return nil, err
	}
	names, err := NamesOf(cmp.Or(opts.Stream, DefaultStream))
	if err != nil {
		return nil, err
	}
	c := &Client{Names: names, opts: opts, at: at, done: make(chan struct{})}
	c.gone.limit = opts.MaxAway
	if c.opts.Tell == nil {
		c.opts.Tell = func(string) {}
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
	wait, cancel := patient(ctx, limit)
	defer cancel()
	for try := 0; ; try++ {
		conn, err := natsgo.Connect(c.at.full, c.settings()...)
		if err == nil {
			c.conn = conn
			if try > 0 {
				c.opts.Tell(c.at.shown + ": connected")
			}
			return nil
		}
		if !mayPass(err) {
			return c.explain(err)
		}
		if try == 0 {
			c.opts.Tell(c.explain(err).Error() + "; trying again until it answers")
		}
		if !c.pause(wait, delay(try)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w (tried for %s)", c.explain(err), limit)
		}
	}
}

// patient limits a context to a time; 0 is no limit.
func patient(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// pause waits, no longer than there is a connection to come back, and reports whether the context still lasts.
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

// delay before another try: 50ms, then twice as long each time up to 5s, spread so that clients do not come at once.
func delay(try int) time.Duration {
	d := min(50*time.Millisecond<<min(try, 8), 5*time.Second)
	return d/2 + rand.N(d/2+1) //nolint:gosec // spreads retries in time and shows in no result
}

func (c *Client) settings() []natsgo.Option {
	o := []natsgo.Option{
		natsgo.Name(cmp.Or(c.opts.Name, "arena")), natsgo.Timeout(connectTimeout),
		natsgo.MaxReconnects(-1), natsgo.CustomReconnectDelay(delay), natsgo.PingInterval(20 * time.Second),
		natsgo.PermissionErrOnSubscribe(true),
		natsgo.IgnoreDiscoveredServers(), // nobody is contacted whom the user did not name
		natsgo.DisconnectErrHandler(func(conn *natsgo.Conn, err error) { c.lost(conn, err) }),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { c.back() }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { c.async.Store(&err) }),
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

func (c *Client) lost(conn *natsgo.Conn, err error) {
	if err != nil && c.away.CompareAndSwap(false, true) {
		c.gone.begin(conn.Close)
		c.opts.Tell(c.at.shown + ": the connection is lost; trying again until the broker answers")
	}
}

func (c *Client) back() {
	if c.away.CompareAndSwap(true, false) {
		c.gone.back()
		c.opts.Tell(c.at.shown + ": connected again")
	}
}

// Close ends the connection. What was stored is stored.
func (c *Client) Close() {
	c.conn.SetDisconnectErrHandler(nil)
	c.gone.back()
	c.conn.Close()
	<-c.done
}

// Address is the broker's, without names and passwords.
func (c *Client) Address() string { return c.at.shown }

// ended says why the connection ended for good, which it does only when the broker refuses it again and again, or is
// away for too long.
func (c *Client) ended() error {
	if c.gone.isOver() { // the connection is about to close
		return c.explain(errAway)
	}
	select {
	case <-c.done:
		return c.explain(cmp.Or(c.conn.LastError(), natsgo.ErrConnectionClosed))
	default:
		return nil
	}
}

// mayPass tells a broker that is away from one that does not want us.
func mayPass(err error) bool {
	if errors.Is(err, natsgo.ErrNoServers) || errors.Is(err, natsgo.ErrTimeout) ||
		errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	_, network := errors.AsType[*net.OpError](err)
	_, name := errors.AsType[*net.DNSError](err)
	text := err.Error()
	return network && !strings.Contains(text, "tls:") || name || strings.Contains(text, "EOF")
}

// explain puts an error into words that name the broker and hold no password.
func (c *Client) explain(err error) error {
	if said, ok := errors.AsType[*Error](err); ok {
		return said
	}
	if c.gone.isOver() {
		return &Error{fmt.Sprintf("%s: the broker has been away for %s", c.at.shown, c.opts.MaxAway), errAway}
	}
	say := func(text string) error { return &Error{c.at.shown + ": " + text, err} }
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
	for secret := range strings.SplitSeq(c.at.full, ",") { // a library may quote what it was given
		text = strings.ReplaceAll(text, secret, c.at.shown)
	}
	return say(text)
}

// errAway is why a client ended whose broker did not come back.
var errAway = errors.New("the broker is away")

// Error is what a broker did or did not do.
type Error struct {
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.cause }
