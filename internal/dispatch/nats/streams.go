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

// dedupWindow is how long a stream remembers the ids of messages. Results and dead letters are told from their doubles
// for as long as the stream holds them, by their subjects.
const dedupWindow = 2 * time.Minute

// need is a stream that has to be there.
type need struct {
	name    string
	about   string
	subject string
	queue   bool // messages are gone when they are acknowledged
}

func (c *Client) needs() []need {
	return []need{
		{c.Stream, "Requests for evals, until they are done.", c.Requests(), true},
		{c.Results, "Results of evals, each once.", c.allResults(), false},
		{c.Dead, "Requests for evals that were given up.", c.allDead(), false},
	}
}

func (n need) config() jetstream.StreamConfig {
	config := jetstream.StreamConfig{
		Name: n.name, Description: n.about + " Made by arena.", Subjects: []string{n.subject},
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, Duplicates: dedupWindow,
	}
	if n.queue {
		config.Retention = jetstream.WorkQueuePolicy
	}
	return config
}

// Prepare makes the streams that are missing, and refuses those that could lose what is put into them.
func (c *Client) Prepare(ctx context.Context) error {
	if err := c.enabled(ctx); err != nil {
		return err
	}
	for _, n := range c.needs() {
		if err := c.stubborn(ctx, func(ctx context.Context) error { return c.ensure(ctx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// enabled waits for JetStream, which comes a little later than the broker when that starts.
func (c *Client) enabled(ctx context.Context) error {
	missing := 0
	return c.stubborn(ctx, func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		if c.forbidden() {
			return nil // it is there, and tells us nothing of itself
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

// stubborn asks the broker again while it is away, as long as the options allow.
func (c *Client) stubborn(ctx context.Context, ask func(context.Context) error) error {
	wait, cancel := patient(ctx, c.opts.Patience)
	defer cancel()
	for try := 0; ; try++ {
		c.async.Store(nil)
		once, cancel := context.WithTimeout(ctx, askTimeout)
		err := ask(once)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if ended := c.ended(); ended != nil {
			return ended
		}
		if !c.passing(err) {
			return err
		}
		if c.forbidden() {
			return c.explain(c.why(err)) // which nobody changes while we wait
		}
		if try == stillTrying && !c.away.Load() {
			c.opts.Tell(c.explain(c.why(err)).Error() + "; still trying")
		}
		if !c.pause(wait, delay(try)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w (tried for %s)", c.explain(c.why(err)), c.opts.Patience)
		}
	}
}

// stillTrying is the try after which somebody should know, though the connection stands.
const stillTrying = 6

// why prefers what the broker said without being asked: a question that it does not allow is never answered.
func (c *Client) why(err error) error {
	if c.forbidden() {
		if said := c.async.Load(); said != nil {
			return *said
		}
	}
	return err
}

// forbidden reports whether the broker has just refused something for want of a permission.
func (c *Client) forbidden() bool {
	said := c.async.Load()
	return said != nil && errors.Is(*said, natsgo.ErrPermissionViolation)
}

// passing reports whether an error may be over when the same is asked again.
func (c *Client) passing(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code == 503 && api.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabled &&
			api.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount
	}
	_, refused := errors.AsType[*Error](err)
	return !refused && !errors.Is(err, natsgo.ErrConnectionClosed) && !errors.Is(err, natsgo.ErrMaxPayload)
}

func (c *Client) ensure(ctx context.Context, n need) error {
	s, err := c.js.Stream(ctx, n.name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if c.opts.NoCreate {
			return &Error{fmt.Sprintf("%s: there is no stream %s for %s\nleave --no-create out to have it made",
				c.at.shown, n.name, n.subject), err}
		}
		_, err = c.js.CreateStream(ctx, n.config())
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another one was faster
			s, err = c.js.Stream(ctx, n.name)
		}
	}
	if err != nil {
		if c.passing(err) {
			return err
		}
		return c.explain(fmt.Errorf("stream %s: %w", n.name, err))
	}
	if s == nil {
		return nil
	}
	if problem := n.contradiction(&s.CachedInfo().Config); problem != "" {
		return &Error{fmt.Sprintf("%s: the stream %s %s\nchange it, or name another with --stream",
			c.at.shown, n.name, problem), nil}
	}
	return nil
}

// contradiction says what makes a stream unfit; "" when nothing does.
func (n need) contradiction(have *jetstream.StreamConfig) string {
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

// covers reports whether one of the patterns takes everything that a pattern takes.
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
