package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// dedupWindow is how long a stream remembers the ids of messages. Results and dead letters have none: each has
// its own subject.
const dedupWindow = 2 * time.Minute

// streamSpec describes a stream that arena needs.
type streamSpec struct {
	name    string
	about   string
	subject string
	queue   bool // messages are removed when they are acknowledged
	latest  bool // only the last message of each subject is held
	// age is for how long messages are held; 0: for ever.
	age time.Duration
}

func (c *Client) streamSpecs() []streamSpec {
	return []streamSpec{
		{c.Stream, "Requests for evals, until they are done.", c.Requests(), true, false, 0},
		{c.Results, "Results of evals, each once.", c.allResults(), false, false, 0},
		{c.Dead, "Requests for evals that were given up.", c.allDead(), false, false, 0},
	}
}

func (n streamSpec) config() jetstream.StreamConfig {
	config := jetstream.StreamConfig{
		Name: n.name, Description: n.about + " Made by arena.", Subjects: []string{n.subject},
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, Duplicates: dedupWindow,
	}
	if n.queue {
		config.Retention = jetstream.WorkQueuePolicy
	}
	if n.latest {
		config.MaxMsgsPerSubject, config.Discard = 1, jetstream.DiscardOld
	}
	config.MaxAge = n.age
	return config
}

// Prepare creates the streams that are missing, and refuses existing ones that could lose messages.
func (c *Client) Prepare(ctx context.Context) error {
	if err := c.enabled(ctx); err != nil {
		return err
	}
	for _, n := range c.streamSpecs() {
		if err := c.retry(ctx, func(ctx context.Context) error { return c.ensure(ctx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// enabled waits for JetStream, which is ready a little later than the broker.
func (c *Client) enabled(ctx context.Context) error {
	missing := 0
	return c.retry(ctx, func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		if c.forbidden() {
			return nil // JetStream is enabled, but this user may not read the account
		}
		if !errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
			return err
		}
		if missing++; missing < 8 {
			return natsgo.ErrNoResponders
		}
		return c.explain(err)
	})
}

// retry calls ask until it succeeds or fails for good, as long as the options allow.
func (c *Client) retry(ctx context.Context, ask func(context.Context) error) error {
	wait, cancel := withLimit(ctx, c.opts.Patience)
	defer cancel()
	for try := 0; ; try++ {
		c.asyncError.Store(nil)
		once, cancel := context.WithTimeout(ctx, askTimeout)
		err := ask(once)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if ended := c.closedError(); ended != nil {
			return ended
		}
		if !c.isTransient(err) {
			return err
		}
		if c.forbidden() {
			return c.explain(c.cause(err)) // a missing permission does not come by waiting
		}
		if try == stillTrying && !c.disconnected.Load() {
			c.opts.Notify(c.explain(c.cause(err)).Error() + "; still trying")
		}
		if !c.pause(wait, delay(try)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w (tried for %s)", c.explain(c.cause(err)), c.opts.Patience)
		}
	}
}

// stillTrying is the try after which Notify is called even though the connection works.
const stillTrying = 6

// cause returns the permission error that the broker reported, or else err. The broker does not answer a request
// without permission, so err is only a timeout then.
func (c *Client) cause(err error) error {
	if c.forbidden() {
		if said := c.asyncError.Load(); said != nil {
			return *said
		}
	}
	return err
}

// forbidden reports whether the broker has just refused a request for lack of a permission.
func (c *Client) forbidden() bool {
	said := c.asyncError.Load()
	return said != nil && errors.Is(*said, natsgo.ErrPermissionViolation)
}

// isTransient reports whether the same request may succeed later.
func (c *Client) isTransient(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code == 503 && api.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabled &&
			api.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount
	}
	_, refused := errors.AsType[*Error](err)
	return !refused && !errors.Is(err, natsgo.ErrConnectionClosed) && !errors.Is(err, natsgo.ErrMaxPayload)
}

func (c *Client) ensure(ctx context.Context, n streamSpec) error {
	s, err := c.js.Stream(ctx, n.name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if c.opts.NoCreate {
			return &Error{fmt.Sprintf("%s: there is no stream %s for %s\nleave --no-create out to have it made",
				c.address.shown, n.name, n.subject), err}
		}
		_, err = c.js.CreateStream(ctx, n.config())
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another client was faster
			s, err = c.js.Stream(ctx, n.name)
		}
	}
	if err != nil {
		if c.isTransient(err) {
			return err
		}
		return c.explain(fmt.Errorf("stream %s: %w", n.name, err))
	}
	if s == nil {
		return nil
	}
	if problem := n.mismatch(&s.CachedInfo().Config); problem != "" {
		return &Error{fmt.Sprintf("%s: the stream %s %s\nchange it, or name another with --stream",
			c.address.shown, n.name, problem), nil}
	}
	return nil
}

// mismatch returns why a stream cannot be used; "" when it can.
func (n streamSpec) mismatch(have *jetstream.StreamConfig) string {
	switch {
	case !covers(have.Subjects, n.subject):
		return fmt.Sprintf("takes the subjects %s; %s must be among them", strings.Join(have.Subjects, ", "), n.subject)
	case have.NoAck:
		return "does not confirm what it stores (no_ack)"
	case have.Sealed:
		return "is sealed"
	case have.Mirror != nil:
		return "is a mirror, into which nothing can be published"
	case have.Retention == jetstream.InterestPolicy:
		return "keeps messages only while somebody listens (retention interest); expected limits or workqueue"
	case !n.queue && have.Retention == jetstream.WorkQueuePolicy:
		return "forgets messages once they were read (retention workqueue); expected limits"
	case n.queue && have.Discard == jetstream.DiscardOld && bounded(have):
		return "throws away old requests when it is full (discard old); expected discard new"
	case n.queue && have.MaxAge > 0:
		return fmt.Sprintf("throws away requests after %s (max_age); expected none", have.MaxAge)
	}
	return ""
}

func bounded(have *jetstream.StreamConfig) bool {
	return have.MaxMsgs > 0 || have.MaxBytes > 0 || have.MaxMsgsPerSubject > 0
}

// covers reports whether one of the patterns matches everything that the subject matches.
func covers(patterns []string, subject string) bool {
	for _, p := range patterns {
		if matches(strings.Split(p, "."), strings.Split(subject, ".")) {
			return true
		}
	}
	return false
}

func matches(pattern, subject []string) bool {
	for i, token := range pattern {
		switch {
		case token == ">":
			return len(subject) > i
		case i >= len(subject) || subject[i] == ">":
			return false
		case token != "*" && token != subject[i]:
			return false
		}
	}
	return len(pattern) == len(subject)
}
