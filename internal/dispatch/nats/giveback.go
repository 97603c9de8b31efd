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
	refusedSince = "Arena-Refused-Since" // when the first of them did
	refusedTimes = "Arena-Refused"       // how many did
	triesBefore  = "Arena-Tries"         // how often it was tried before
)

// DefaultGiveBack is for how long a request is given back that fits no worker.
const DefaultGiveBack = 2 * time.Minute

// errGivenBack says that a request went to the end of the queue, for another worker to take.
var errGivenBack = errors.New("given back")

// tries is how often the request was delivered to workers that it may fit, this time included.
func (j *job) tries() int { return j.header(triesBefore) + int(j.meta.NumDelivered) }

// refusals is how many workers gave the request back before.
func (j *job) refusals() int { return j.header(refusedTimes) }

func (j *job) header(name string) int {
	n, _ := strconv.Atoi(j.msg.Headers().Get(name)) // somebody else's word: 0
	return max(n, 0)
}

// giveBack puts a request that does not fit this worker at the end of the queue. Once workers have done so for long
// enough, it is given up.
func (j *job) giveBack(ctx context.Context, refused *dispatch.RefusedError) error {
	since, err := time.Parse(time.RFC3339Nano, j.msg.Headers().Get(refusedSince))
	if err != nil {
		since = time.Now() // not Now, which may stand still
	}
	waited := time.Since(since)
	switch {
	case j.GiveBack <= 0:
		return j.bury(ctx, refused.Why, refused.Reason)
	case waited >= j.GiveBack:
		return j.bury(ctx, refused.Why, fmt.Sprintf("%s; no other worker took it within %s either, %s gave it back",
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
	msg.Header.Set(triesBefore, strconv.Itoa(j.tries()-1)) // it was not tried here
	msg.Header.Set(replayed, "1")
	once, cancel := context.WithTimeout(ctx, askTimeout) // a stream that is full must not hold the worker up
	defer cancel()
	id := dispatch.Token("given back", j.meta.Stream, strconv.FormatUint(j.meta.Sequence.Stream, 10))
	_, err = j.Client.store(once, msg, jetstream.WithMsgID(id), jetstream.WithExpectStream(j.Client.Stream))
	if err == nil {
		j.tellOnce(refused.Reason)
		return errGivenBack
	}
	if errors.Is(err, ErrTooLarge) || j.tries() >= j.MaxDeliver {
		return j.bury(ctx, refused.Why, refused.Reason)
	}
	return fmt.Errorf("give it back: %w", err)
}

// tellOnce tells why requests are given back, each reason once.
func (j *job) tellOnce(reason string) {
	const most = 100 // reasons of strangers
	j.toldMu.Lock()
	defer j.toldMu.Unlock()
	if j.told[reason] || len(j.told) >= most {
		return
	}
	if j.told == nil {
		j.told = map[string]bool{}
	}
	j.told[reason] = true
	j.Tell(fmt.Sprintf("request %s is given back for another worker, and given up if none takes it within %s: %s",
		j.name(), j.GiveBack, reason))
}

// breather is how long a slot waits after it gave back a request that had been given back n times before. Workers that
// it fits come first then, and it does not go round and round.
func breather(n int) time.Duration {
	if n == 0 {
		return 0
	}
	return min(50*time.Millisecond<<min(n, 5), time.Second)
}
