package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/result"
)

// handle processes one delivery and confirms it. Meanwhile it tells the broker that the request is in progress. An
// error means that the broker does not store results: the worker should take no further request.
//
// pause is how long the slot should wait before the next request. It is above 0 for a request that was returned several
// times.
func (w *Worker) handle(ctx context.Context, msg jetstream.Msg) (pause time.Duration, err error) {
	meta, err := msg.Metadata()
	if err != nil {
		return 0, nil // the message is not from a stream, so it needs no confirmation
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go w.keepAlive(ctx, msg)
	if meta.NumDelivered > 1 {
		w.stats.redelivered.Add(1)
	}
	job := &delivery{Worker: w, msg: msg, meta: meta}
	switch err := job.process(ctx); {
	case err == nil:
		if w.ack(ctx, msg) {
			w.stats.requests.Add(1)
		}
	case errors.Is(err, errGivenBack):
		w.ack(ctx, msg)
		w.stats.givenBack.Add(1)
		return giveBackPause(job.refusals()), nil
	case ctx.Err() != nil:
		_ = msg.Nak() // another worker gets the request at once or, without a connection, after AckWait
	default:
		_ = msg.NakWithDelay(w.Retry(job.tries()))
		w.Notify(fmt.Sprintf("request %s: try %d of %d: %v", job.name(), job.tries(), w.MaxDeliver, err))
		if refused, ok := errors.AsType[*Error](err); ok && !errors.Is(err, ErrTooLarge) {
			return 0, refused
		}
	}
	return 0, nil
}

// keepAlive confirms to the broker that a request is in progress, until ctx ends.
func (w *Worker) keepAlive(ctx context.Context, msg jetstream.Msg) {
	tick := time.NewTicker(max(w.ackWait/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = msg.InProgress() // on an error another worker gets the request later; its results have the same ids
		}
	}
}

// ack confirms that a request is done. If the confirmation is lost, the request is delivered again, and the next worker
// finds that its results are stored.
func (w *Worker) ack(ctx context.Context, msg jetstream.Msg) bool {
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return msg.DoubleAck(once) == nil
}

// delivery is one delivery of a request to this worker.
type delivery struct {
	*Worker
	msg     jetstream.Msg
	meta    *jetstream.MsgMetadata
	request *dispatch.Request // nil: not decoded
}

func (j *delivery) name() string {
	if j.request == nil {
		return fmt.Sprintf("%d of %s", j.meta.Sequence.Stream, j.meta.Stream)
	}
	return strconv.Quote(j.request.ID)
}

// process runs the evals of a request and stores their results or a dead letter. After an error the request is tried
// again.
func (j *delivery) process(ctx context.Context) error {
	request, err := dispatch.DecodeRequest(j.msg.Data())
	if err != nil {
		return j.deadLetter(ctx, dispatch.Undecodable, err.Error())
	}
	j.request = request
	tries := j.tries()
	if (j.meta.NumDelivered > 1 || j.msg.Headers().Get(replayed) != "") && j.isDone(ctx) {
		j.stats.skipped.Add(1)
		return nil
	}
	if tries > j.MaxDeliver {
		return j.deadLetter(ctx, dispatch.Abandoned, fmt.Sprintf(
			"delivered %s without an answer: workers died or lost the connection while they evaluated it", times(j.MaxDeliver)))
	}
	measured, err := j.evaluate(ctx)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if refused, ok := errors.AsType[*dispatch.RefusedError](err); ok {
		if refused.OtherWorker {
			return j.giveBack(ctx, refused)
		}
		return j.deadLetter(ctx, refused.Why, refused.Error())
	}
	if err != nil && tries >= j.MaxDeliver {
		return j.deadLetter(ctx, dispatch.Exhausted, fmt.Sprintf("tried %s: %v", times(tries), err))
	}
	if err != nil {
		return err
	}
	return j.store(ctx, measured)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// evaluate runs the evals. A panic becomes an error.
func (j *delivery) evaluate(ctx context.Context) (measured []result.EvalResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arena crashed: %v", p)
			j.Notify(fmt.Sprintf("request %s: %v\n%s", j.name(), err, debug.Stack()))
		}
	}()
	defer j.Client.outage.measuring()()
	measured, err = j.Evaluator.Evaluate(ctx, j.request)
	if err != nil {
		return nil, err
	}
	return selectAsked(j.request, measured)
}

// selectAsked returns the results of the evals that the request names. It refuses a request when one of them has no
// result.
func selectAsked(r *dispatch.Request, measured []result.EvalResult) ([]result.EvalResult, error) {
	if r.Evals == nil {
		return measured, nil
	}
	var missing []string
	for _, id := range r.Evals {
		if !slices.ContainsFunc(measured, func(e result.EvalResult) bool { return e.ID == id }) {
			missing = append(missing, strconv.Quote(id))
		}
	}
	if len(missing) > 0 {
		return nil, &dispatch.RefusedError{Why: dispatch.UnknownEval, Reason: "no eval " + strings.Join(missing, ", ") +
			" fired here: is the worker's pack another one, or does a filter leave it out?"}
	}
	return slices.DeleteFunc(measured, func(e result.EvalResult) bool { return !slices.Contains(r.Evals, e.ID) }), nil
}

func (j *delivery) store(ctx context.Context, measured []result.EvalResult) error {
	for _, r := range dispatch.Results(j.request, measured, j.Name, j.Now().UTC()) {
		double, err := j.Client.storeResult(ctx, &r)
		switch {
		case errors.Is(err, ErrTooLarge):
			return j.deadLetter(ctx, dispatch.TooLarge, fmt.Sprintf("the result of the eval %q: %v", r.EvalResult.ID, err))
		case err != nil:
			return fmt.Errorf("store the results: %w", err)
		case double:
			j.stats.duplicates.Add(1)
		default:
			j.stats.results.Add(1)
		}
	}
	return nil
}

// isDone reports whether all results of the request are stored. It returns false when that is not known.
func (j *delivery) isDone(ctx context.Context) bool {
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	pattern := j.Client.resultsOfRequest(j.request.Run, j.request.ID)
	stream, err := j.Client.js.Stream(once, j.Client.Results)
	if err != nil {
		return false
	}
	info, err := stream.Info(once, jetstream.WithSubjectFilter(pattern))
	if err != nil {
		return false
	}
	stored := info.State.Subjects
	for subject := range stored {
		msg, err := stream.GetLastMsgForSubject(once, subject)
		if err != nil {
			return false
		}
		r, err := dispatch.DecodeResult(msg.Data)
		return err == nil && r.Of == len(stored)
	}
	return false
}

// deadLetter stores a dead letter instead of results.
func (j *delivery) deadLetter(ctx context.Context, why dispatch.Why, reason string) error {
	d := &dispatch.Dead{
		ID:  dispatch.Token("dead", j.meta.Stream, strconv.FormatUint(j.meta.Sequence.Stream, 10), j.meta.Timestamp.String()),
		Why: why, Reason: cut(reason), Tries: uint64(j.tries()), Stream: j.meta.Stream, Seq: j.meta.Sequence.Stream,
		Worker: j.Name, At: j.Now().UTC(),
	}
	if j.request != nil {
		d.Request, d.Run, d.Session = j.request.ID, j.request.Run, j.request.Session
	} else {
		d.Request, d.Run, d.Session = dispatch.RequestIDs(j.msg.Data())
	}
	if err := j.Client.StoreDead(ctx, d, j.msg.Data()); err != nil {
		return fmt.Errorf("store the dead letter: %w", err)
	}
	j.stats.dead.Add(1)
	j.Notify(fmt.Sprintf("request %s is given up: %s", j.name(), d.Reason))
	return nil
}

// cut shortens a reason, which may quote untrusted text.
func cut(reason string) string {
	const limit = 2000
	if len(reason) <= limit {
		return reason
	}
	return strings.ToValidUTF8(reason[:limit], "") + "…"
}
