package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// ErrTooLarge is the error of a message that exceeds a size limit of the broker.
var ErrTooLarge = errors.New("the message is larger than the broker takes")

// replayed is the header of requests that may have been published before. Workers look for their results first.
const replayed = "Arena-Replayed"

// Publish stores a request and waits for the broker's confirmation. A request with the same id is not stored again
// while the stream remembers the id.
func (c *Client) Publish(ctx context.Context, r *dispatch.Request) error {
	return c.publish(ctx, r, false)
}

func (c *Client) publish(ctx context.Context, r *dispatch.Request, again bool) error {
	if err := r.Validate(); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	if len(data) > dispatch.MaxRequest {
		return fmt.Errorf("%w: it has %s; workers read at most %s", ErrTooLarge, dispatch.Size(len(data)),
			dispatch.Size(dispatch.MaxRequest))
	}
	msg := &natsgo.Msg{Subject: c.Requests(), Data: data}
	if again {
		msg.Header = natsgo.Header{replayed: []string{"1"}}
	}
	_, err = c.store(ctx, msg, jetstream.WithMsgID(dispatch.Token("request", r.ID)), jetstream.WithExpectStream(c.Stream))
	return err
}

// storeOnce stores a message under its own subject, unless the stream holds one there. The message has no id: with an
// id, the broker would drop a message that is stored again after it was taken, such as that of a trial that runs again.
func (c *Client) storeOnce(ctx context.Context, stream, subject string, data []byte) (double bool, err error) {
	return c.store(ctx, &natsgo.Msg{Subject: subject, Data: data}, jetstream.WithExpectStream(stream),
		jetstream.WithExpectLastSequencePerSubject(0))
}

// store publishes until the broker confirms, as long as the options allow. double reports that the stream had the
// message already.
func (c *Client) store(
	ctx context.Context, msg *natsgo.Msg, opts ...jetstream.PublishOpt,
) (double bool, err error) {
	if c.opts.Scrub != nil {
		msg.Data = c.opts.Scrub(msg.Data)
	}
	return c.storeRaw(ctx, msg, opts...)
}

// storeRaw is store for what is no JSON, or was scrubbed already.
func (c *Client) storeRaw(
	ctx context.Context, msg *natsgo.Msg, opts ...jetstream.PublishOpt,
) (double bool, err error) {
	if limit := c.conn.MaxPayload(); limit > 0 && int64(len(msg.Data)) > limit-maxHeader {
		return false, fmt.Errorf("%w: it has %s, the broker takes %s (max_payload)", ErrTooLarge,
			dispatch.Size(len(msg.Data)), dispatch.Size(int(limit)))
	}
	err = c.retry(ctx, func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, msg, opts...)
		if err == nil {
			double = ack.Duplicate
			return nil
		}
		api, ok := errors.AsType[*jetstream.APIError](err)
		switch {
		case ok && isDuplicateSubject(api.ErrorCode):
			double = true
			return nil
		case ok && api.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum, errors.Is(err, natsgo.ErrMaxPayload):
			return &Error{fmt.Sprintf("%v: it has %s", ErrTooLarge, dispatch.Size(len(msg.Data))), ErrTooLarge}
		case ok && slices.Contains(full, api.ErrorCode):
			return errFull // tried again: the stream may get room
		case !c.isTransient(err):
			return c.explain(fmt.Errorf("store on %s: %w", msg.Subject, err))
		}
		return err
	})
	return double, err
}

// errFull is the error of a stream that has reached its limits.
var errFull = errors.New("the broker stores no more: a stream is full, or the account or the disk is")

const maxHeader = 1 << 10 // bytes that arena adds to a message in headers

// full are the errors of a stream, an account, a disk and a broker that have no room for more.
var full = []jetstream.ErrorCode{10077, 10002, 10047, 10023}

// isDuplicateSubject reports whether a stream refused a message because it has one with the same subject.
func isDuplicateSubject(code jetstream.ErrorCode) bool {
	return code == jetstream.JSErrCodeStreamWrongLastSequence || code == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// storeResult stores a result. It leaves out the details of a result that is too large, and notes that in the result.
func (c *Client) storeResult(ctx context.Context, r *dispatch.Result) (double bool, err error) {
	subject := c.result(r.Run, r.Request, r.ID)
	data, err := json.Marshal(r)
	if err != nil {
		return false, fmt.Errorf("encode the result: %w", err)
	}
	double, err = c.storeOnce(ctx, c.Results, subject, data)
	if !errors.Is(err, ErrTooLarge) {
		return double, err
	}
	short := *r
	short.Details = jsonvalue.Object{"left_out": fmt.Sprintf(
		"details and judgements: the result has %s, more than the broker takes", dispatch.Size(len(data)))}
	short.Judgements = nil
	if data, err = json.Marshal(&short); err != nil {
		return false, fmt.Errorf("encode the result: %w", err)
	}
	return c.storeOnce(ctx, c.Results, subject, data)
}

// StoreDead stores a dead letter, with as much of the request as the broker takes.
func (c *Client) StoreDead(ctx context.Context, d *dispatch.Dead, request []byte) error {
	const wrapping = 16 << 10 // room for the letter without the request, with a long reason
	d.Version = dispatch.Version
	d.Attach(request, max(int(c.conn.MaxPayload())-wrapping, 0))
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode the dead letter: %w", err)
	}
	_, err = c.storeOnce(ctx, c.Names.Dead, c.dead(d.Run, d.ID), data)
	return err
}
