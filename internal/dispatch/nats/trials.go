package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/fleet"
)

// DefaultTrials is the name of the stream of jobs for trials.
const DefaultTrials = "ARENA_TRIALS"

// Trials connects runs and the workers of their trials through a broker: a queue of jobs (ARENA_TRIALS), outcomes
// (ARENA_TRIALS_RESULTS), announcements of runs (ARENA_TRIALS_RUNS), turns of rate-limited calls (ARENA_TRIALS_LIMITS),
// and files in pieces (ARENA_TRIALS_FILES). Presence of workers is announced without a stream. It is safe for
// concurrent use.
type Trials struct {
	*Client
	held heldStreams
}

func (n *Names) runs() string              { return n.Stream + "_RUNS" }
func (n *Names) files() string             { return n.Stream + "_FILES" }
func (n *Names) jobs() string              { return n.prefix + ".jobs.>" }
func (n *Names) jobsOf(run string) string  { return n.prefix + ".jobs." + run + ".>" }
func (n *Names) run(id string) string      { return n.prefix + ".runs." + id }
func (n *Names) allRuns() string           { return n.prefix + ".runs.*" }
func (n *Names) outcomes(id string) string { return n.prefix + ".results." + id + ".*" }
func (n *Names) allFiles() string          { return n.prefix + ".files.>" }
func (n *Names) presence(id string) string { return n.prefix + ".workers." + id }

// Subjects hold hashes instead of untrusted text.

func (n *Names) jobsFor(run, need string) string {
	return n.prefix + ".jobs." + run + "." + dispatch.Token(need) + ".*"
}

func (n *Names) job(j *fleet.Job) string {
	return n.prefix + ".jobs." + j.Run + "." + dispatch.Token(j.Needs) + "." + strconv.Itoa(j.Index)
}

func (n *Names) outcome(run string, index int) string {
	return n.prefix + ".results." + run + "." + strconv.Itoa(index)
}

func (n *Names) piece(file string, i int) string {
	return n.prefix + ".files." + file + "." + strconv.Itoa(i)
}

// resultsHeld is how long results are kept that no run takes: those of a run that was killed and not resumed.
const resultsHeld = 30 * 24 * time.Hour

// PrepareTrials creates the streams for trials that are missing, and refuses existing ones that could lose messages.
func (c *Client) PrepareTrials(ctx context.Context) (*Trials, error) {
	if err := c.enabled(ctx); err != nil {
		return nil, err
	}
	t := &Trials{Client: c}
	if _, err := t.Renew(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (n *Names) trialSpecs() []streamSpec {
	return []streamSpec{
		{n.Results, "What came of trials.", n.allResults(), false, false, resultsHeld},
		{n.runs(), "Runs that ask for trials.", n.allRuns(), false, true, forgotten},
		{n.limits(), "When the calls of runs may be made.", n.allLimits(), false, true, forgotten},
		{n.files(), "Files of runs that ask for trials, in pieces.", n.allFiles(), false, true, forgotten},
		{n.Stream, "Trials that runs ask for, until they are done.", n.jobs(), true, false, 0}, // when all else is there
	}
}

// Announce publishes a run, or a change of it, to workers.
func (t *Trials) Announce(ctx context.Context, r *fleet.Run) error {
	r.Protocol = fleet.Protocol
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the run: %w", err)
	}
	if len(data) > fleet.MaxRun {
		return fmt.Errorf("%w: what is told of the run has %s", ErrTooLarge, dispatch.Size(len(data)))
	}
	_, err = t.store(ctx, &natsgo.Msg{Subject: t.run(r.ID), Data: data}, jetstream.WithExpectStream(t.runs()))
	return err
}

// Runs calls take with each announcement of a run, in order, until ctx ends.
func (t *Trials) Runs(ctx context.Context, take func(r *fleet.Run, err error)) error {
	return t.follow(ctx, t.runs(), t.allRuns(), func(m jetstream.Msg) error {
		take(fleet.DecodeRun(m.Data()))
		return nil
	})
}

// WatchRun calls take with the announcements of one run, as Runs does.
func (t *Trials) WatchRun(ctx context.Context, run string, take func(r *fleet.Run, err error)) error {
	return t.follow(ctx, t.runs(), t.run(run), func(m jetstream.Msg) error {
		take(fleet.DecodeRun(m.Data()))
		return nil
	})
}

// PutFile stores a file in pieces, under a name that depends on its content. Existing pieces are stored again, since
// the stream might drop them soon.
func (t *Trials) PutFile(ctx context.Context, name string, content []byte) error {
	piece := t.pieceSize()
	for at, n := 0, 0; at < len(content) || n == 0; n++ {
		end := min(at+piece, len(content))
		subject := t.piece(name, n)
		_, err := t.storeRaw(ctx, &natsgo.Msg{Subject: subject, Data: content[at:end]},
			jetstream.WithExpectStream(t.files()))
		if err != nil {
			return err
		}
		at = end
	}
	return nil
}

// pieceSize is how many bytes of a file go into a message.
func (t *Trials) pieceSize() int {
	const most = 512 << 10
	return max(min(most, int(t.conn.MaxPayload())-maxHeader), 1)
}

// GetFile reads a file of so many bytes.
func (t *Trials) GetFile(ctx context.Context, name string, size int64) ([]byte, error) {
	content := make([]byte, 0, min(size, maxReserved))
	for n := 0; int64(len(content)) < size; n++ {
		err := t.retry(ctx, func(ctx context.Context) error {
			stream, err := t.js.Stream(ctx, t.files())
			if err != nil {
				return err
			}
			m, err := stream.GetLastMsgForSubject(ctx, t.piece(name, n))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return &Error{fmt.Sprintf("%s: the broker has no piece %d of the file %q", t.address.shown, n, name), err}
			}
			if err != nil {
				return err
			}
			content = append(content, m.Data...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if int64(len(content)) != size {
		return nil, fmt.Errorf("the file %q has %d bytes, and %d were announced", name, len(content), size)
	}
	return content, nil
}

// maxReserved is the highest announced size for which memory is reserved at once, in bytes.
const maxReserved = 1 << 20

// Ask stores a job, unless it is waiting or a worker holds it.
func (t *Trials) Ask(ctx context.Context, j *fleet.Job) error {
	j.Protocol = fleet.Protocol
	data, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("encode the job: %w", err)
	}
	_, err = t.store(ctx, &natsgo.Msg{Subject: t.job(j), Data: data},
		jetstream.WithExpectStream(t.Stream), jetstream.WithExpectLastSequencePerSubject(0))
	return err
}

// Outcomes calls take with the outcome of each job of a run, from the first in the stream, until ctx ends. index is the
// index of the job; err says why an outcome is invalid.
func (t *Trials) Outcomes(ctx context.Context, run string, take func(index int, o *fleet.Outcome, err error)) error {
	return t.follow(ctx, t.Results, t.outcomes(run), func(m jetstream.Msg) error {
		t.outcomeOf(ctx, m, run, take)
		return nil
	})
}

func (t *Trials) outcomeOf(ctx context.Context, m jetstream.Msg, run string, take func(int, *fleet.Outcome, error)) {
	index, err := strconv.Atoi(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
	if err != nil || index < 0 {
		take(-1, nil, fmt.Errorf("a result came on %q, which no job has", m.Subject()))
		return
	}
	o, err := fleet.DecodeOutcome(m.Data(), run)
	if err == nil && o.Index != index {
		err = fmt.Errorf("the result is of the trial number %d, and came as that of number %d", o.Index, index)
	}
	if err == nil && o.Apart != "" {
		o.Line, err = t.readPart(ctx, o.Run, o.Apart, o.Size)
	}
	if err == nil {
		for _, p := range o.Parts {
			if p.Apart == "" {
				continue
			}
			var failed error
			if p.Data, failed = t.readPart(ctx, o.Run, p.Apart, p.Size); failed != nil { // the line is usable without it
				p.Error = failed.Error()
			}
		}
	}
	take(index, o, err)
}

// readPart reads a part of a result that was too large for a message.
func (t *Trials) readPart(ctx context.Context, run, name string, size int64) ([]byte, error) {
	if size > fleet.MaxOutcome {
		return nil, fmt.Errorf("the result has %s; at most %s are read", dispatch.Size(int(size)),
			dispatch.Size(fleet.MaxOutcome))
	}
	content, err := t.GetFile(ctx, name, size)
	if err == nil && partName(run, content) != name {
		err = errors.New("what is stored as the line of the result is another one")
	}
	return content, err
}

// partName is the name of the file with a part that was too large for a message.
func partName(run string, content []byte) string { return run + "-" + dispatch.Token(string(content)) }

// Held returns what the stream holds of a run.
func (t *Trials) Held(ctx context.Context, run string, take func(index int, o *fleet.Outcome, err error)) error {
	left := uint64(0)
	err := t.retry(ctx, func(ctx context.Context) error {
		stream, err := t.js.Stream(ctx, t.Results)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(t.outcomes(run)))
		if err != nil {
			return err
		}
		left = 0
		for _, n := range info.State.Subjects {
			left += n
		}
		return nil
	})
	if err != nil || left == 0 {
		return err
	}
	err = t.follow(ctx, t.Results, t.outcomes(run), func(m jetstream.Msg) error {
		t.outcomeOf(ctx, m, run, take)
		if left--; left == 0 {
			return errAllRead
		}
		return nil
	})
	if errors.Is(err, errAllRead) {
		return nil
	}
	return err
}

var errAllRead = errors.New("all is read")

// Presences calls take with what workers say of themselves, until the returned function is called.
func (t *Trials) Presences(run string, take func(*fleet.Presence, error)) (stop func(), err error) {
	sub, err := t.conn.Subscribe(t.presence(run), func(m *natsgo.Msg) { take(fleet.DecodePresence(m.Data, run)) })
	if err != nil {
		return nil, t.explain(err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // the connection may be closed
}

// Present publishes the presence of this worker. A lost message does not matter: it is sent again.
func (t *Trials) Present(p *fleet.Presence) {
	p.Protocol = fleet.Protocol
	if data, err := json.Marshal(p); err == nil {
		_ = t.conn.Publish(t.presence(p.Run), data)
	}
}

// Recall removes the jobs of a run that no worker has finished.
func (t *Trials) Recall(ctx context.Context, run string) error {
	return t.purge(ctx, t.Stream, t.jobsOf(run))
}

// Forget removes what the broker holds of the jobs and outcomes of a run.
func (t *Trials) Forget(ctx context.Context, run string) error {
	limits := t.purge(ctx, t.limits(), t.limitsOf(run))
	return errors.Join(t.Recall(ctx, run), t.Taken(ctx, run), limits, t.retry(ctx, func(ctx context.Context) error {
		stream, err := t.js.Stream(ctx, t.Stream)
		if err != nil {
			return err
		}
		names := stream.ConsumerNames(ctx)
		for name := range names.Name() {
			if !strings.HasPrefix(name, run+"-") {
				continue
			}
			if err := stream.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return err
			}
		}
		return names.Err()
	}))
}

// Taken removes the outcomes of a run that are in its journal.
func (t *Trials) Taken(ctx context.Context, run string) error {
	return t.purge(ctx, t.Results, t.outcomes(run))
}

func (t *Trials) purge(ctx context.Context, stream, subject string) error {
	return t.retry(ctx, func(ctx context.Context) error {
		s, err := t.js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		return s.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
}

// consumerOf is the name of the consumer that the workers of a run share for a need.
func consumerOf(run, need string) string { return run + "-" + dispatch.Token(need) }
