package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// Headers of a request that workers gave back.
const (
	refusedSince = "Arena-Refused-Since" // time of the first refusal
	refusedTimes = "Arena-Refused"       // number of refusals
	triesBefore  = "Arena-Tries"         // number of tries before
)

// DefaultGiveBack is how long a request that no worker can evaluate is given back before it is given up.
const DefaultGiveBack = 2 * time.Minute

// errGivenBack is the error of a request that was put at the end of the queue for another worker.
var errGivenBack = errors.New("given back")

// tries is how often the request was delivered, this time included, without the deliveries that were given back.
func (j *delivery) tries() int { return j.header(triesBefore) + int(j.meta.NumDelivered) }

// refusals is how often workers gave the request back before.
func (j *delivery) refusals() int { return j.header(refusedTimes) }

func (j *delivery) header(name string) int {
	n, _ := strconv.Atoi(j.msg.Headers().Get(name)) // 0 when the header is not a number
	return max(n, 0)
}

// giveBack puts a request that this worker cannot evaluate at the end of the queue. The request is given up when that
// has gone on for longer than GiveBack.
func (j *delivery) giveBack(ctx context.Context, refused *dispatch.RefusedError) error {
	since, err := time.Parse(time.RFC3339Nano, j.msg.Headers().Get(refusedSince))
	if err != nil {
		since = time.Now() // not Now, which tests may stop
	}
	waited := time.Since(since)
	switch {
	case j.GiveBack <= 0:
		return j.deadLetter(ctx, refused.Why, refused.Reason)
	case waited >= j.GiveBack:
		return j.deadLetter(ctx, refused.Why, fmt.Sprintf("%s; no other worker took it within %s either, %s gave it back",
			refused.Reason, j.GiveBack, times(j.refusals()+1)))
	}
	msg := &natsgo.Msg{Subject: j.Client.Requests(), Data: j.msg.Data(), Header: natsgo.Header{}}
	for name, values := range j.msg.Headers() {
		if name != natsgo.MsgIdHdr && name != jetstream.ExpectedStreamHeader {
			msg.Header[name] = values
		}
	}
	msg.Header.Set(refusedSince, since.UTC().Format(time.RFC3339Nano))
	msg.Header.Set(refusedTimes, strconv.Itoa(j.refusals()+1))
	msg.Header.Set(triesBefore, strconv.Itoa(j.tries()-1)) // this delivery was not a try
	msg.Header.Set(replayed, "1")
	once, cancel := context.WithTimeout(ctx, askTimeout) // a full stream must not hold up the worker
	defer cancel()
	id := dispatch.Token("given back", j.meta.Stream, strconv.FormatUint(j.meta.Sequence.Stream, 10))
	_, err = j.Client.store(once, msg, jetstream.WithMsgID(id), jetstream.WithExpectStream(j.Client.Stream))
	if err == nil {
		j.notifyOnce(refused.Reason)
		return errGivenBack
	}
	if errors.Is(err, ErrTooLarge) || j.tries() >= j.MaxDeliver {
		return j.deadLetter(ctx, refused.Why, refused.Reason)
	}
	return fmt.Errorf("give it back: %w", err)
}

// notifyOnce reports why requests are given back, each reason once.
func (j *delivery) notifyOnce(reason string) {
	const most = 100 // reasons come from requests, so their number needs a limit
	j.reasonsMu.Lock()
	defer j.reasonsMu.Unlock()
	if j.reportedReasons[reason] || len(j.reportedReasons) >= most {
		return
	}
	if j.reportedReasons == nil {
		j.reportedReasons = map[string]bool{}
	}
	j.reportedReasons[reason] = true
	j.Notify(fmt.Sprintf("request %s is given back for another worker, and given up if none takes it within %s: %s",
		j.name(), j.GiveBack, reason))
}

// giveBackPause is how long a slot waits after it gave back a request that had been given back n times before. It lets
// other workers take the request first.
func giveBackPause(n int) time.Duration {
	if n == 0 {
		return 0
	}
	return min(50*time.Millisecond<<min(n, 5), time.Second)
}
