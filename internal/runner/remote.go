package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// Remote runs trials elsewhere. It is safe for concurrent use.
type Remote interface {
	// Run has a trial run elsewhere, and returns its result. started is called when the trial starts, at most once and
	// before Run returns. When ctx ends, the trial ends too, and Run returns its result so far if there is one. An error
	// says why there is no result.
	Run(ctx context.Context, t RemoteTrial, started func()) (*RemoteResult, error)
}

// RemoteResult is the result of a trial that was run elsewhere.
type RemoteResult struct {
	Line  []byte        // as result.EncodeLine writes it
	Story *result.Story // events of the trial; nil: none were sent
	// Unrecorded is why the cassette of the trial could not be kept; nil: it was kept, or there is none.
	Unrecorded error
}

// RemoteTrial names a trial of a plan to a worker.
type RemoteTrial struct {
	Index       int
	ID          string
	Fingerprint string
	Needs       string // what a worker must have to run it; see Trial.Needs
	Cassette    cassette.Trial
}

// Needs is equal for trials with equal requirements on the machine that runs them: their agent.
func (t *Trial) Needs() string { return t.Project.prefix + t.Endpoint.Spec.ID }

// runRemote runs a trial elsewhere, and handles its result like that of a local trial.
func (c *worker) runRemote(ctx context.Context, s *session, events chan<- result.Event) *result.Trial {
	t, own := s.trial, s.out
	of := RemoteTrial{Index: t.Index, ID: own.ID, Fingerprint: own.Fingerprint, Needs: t.Needs(), Cassette: t.Cassette()}
	began := s.emit.at()
	got, err := c.opts.Remote.Run(ctx, of, func() {
		started := s.emit.trialStarted(t)
		began = started.At
		events <- started
	})
	if err == nil {
		var out *result.Trial
		if out, err = decodeLine(own, got.Line); err == nil {
			s.emit.relay(got.Story, began)
			out.Index, out.Earlier = own.Index, own.Earlier
			s.noteUnrecorded(out, got.Unrecorded)
			out.Settle()
			return out
		}
	}
	if stopped := stopCause(ctx); stopped != nil && errors.Is(err, stopped) {
		own.Status, own.Skip = result.Cancelled, "not run: "+notRunReason(stopped)
	} else {
		own.Error = err.Error()
	}
	own.Settle()
	return own
}

// decodeLine decodes the line of a trial that ran elsewhere. It returns an error if the line is of another trial, or is
// not valid in a journal.
func decodeLine(asked *result.Trial, line []byte) (*result.Trial, error) {
	refuse := func(err error) (*result.Trial, error) {
		return nil, fmt.Errorf("what came back of the trial was refused: it %w", err)
	}
	if err := result.Readable(line, true); err != nil {
		return refuse(err)
	}
	got, err := result.DecodeLine(line)
	if err != nil {
		return refuse(err)
	}
	for _, c := range []struct{ what, got, want string }{
		{"trial", got.ID, asked.ID}, {"fingerprint", got.Fingerprint, asked.Fingerprint},
		{"scenario", got.Scenario, asked.Scenario}, {"provider", got.Provider, asked.Provider},
		{"region", got.Region, asked.Region}, {"question", askedSum(got), askedSum(asked)},
		{"number", fmt.Sprint(got.Trial, " of ", got.Trials), fmt.Sprint(asked.Trial, " of ", asked.Trials)},
	} {
		if c.got != c.want {
			return refuse(fmt.Errorf("has the %s %s, and %s was asked for", c.what, cmp.Or(c.got, `""`), c.want))
		}
	}
	switch {
	case got.Gone || got.Excused || got.Before || len(got.Earlier) > 0 || got.OverBudget:
		return refuse(errors.New("tells of earlier runs, which no worker knows"))
	case got.Status == result.Skipped && asked.Skip == "" && got.Skip == "":
		return refuse(errors.New("was skipped without a reason"))
	}
	return got, nil
}

// askedSum is what a trial asks of the agent, without its judges.
func askedSum(t *result.Trial) string { return result.ParseAsked(t.Asked).Sum }

// Single runs trials of a plan when they are asked for, each by itself. It is safe for concurrent use.
type Single struct {
	plan *Plan
	w    *worker
}

// NewSingle makes a Single. Close ends what the trials share.
func NewSingle(plan *Plan, opts Options) *Single {
	if opts.KeepMedia == nil { // the coordinator does not see the folders of this machine
		opts.KeepMedia = (*chat.Media).WithData
	}
	nothing := func(error) {}
	plan.expectTools(nil)
	return &Single{plan, &worker{opts: &opts, abort: nothing, halt: nothing, fingerprints: NewFingerprints(&opts)}}
}

// Name describes the trial at an index for a worker.
func (s *Single) Name(index int) (RemoteTrial, error) {
	if index < 0 || index >= s.plan.Len() {
		return RemoteTrial{}, fmt.Errorf("the plan has %d trials, and none at %d", s.plan.Len(), index)
	}
	t := s.plan.Trial(index)
	filled := t.filled()
	return RemoteTrial{
		Index: index, ID: filled.ID(), Fingerprint: s.w.fingerprints.Of(&filled), Needs: t.Needs(), Cassette: t.Cassette(),
	}, nil
}

// Run runs the trial at an index. It returns the trial, its line, and its events if they are wanted.
func (s *Single) Run(ctx context.Context, index int) (*result.Trial, []byte, *result.Story) {
	events, heard := make(chan result.Event, eventsPerTrial), make(chan struct{})
	story := &result.Story{}
	go func() {
		defer close(heard)
		for e := range events {
			if started, ok := e.(result.TrialStarted); ok {
				story.Began = started.Time
				continue
			}
			story.Events = append(story.Events, e)
		}
	}()
	run := newSession(s.plan.Trial(index), s.w.opts, s.w.listener(events))
	out, line := s.w.perform(ctx, run, nil, events, new(bytes.Buffer))
	close(events)
	<-heard
	story.Ended, story.Simulated = run.emit.at().Time, run.clock.simulated
	return out, line, story
}

// Close releases what the trials share. No trial may run any more.
func (s *Single) Close() {
	closeTools(s.plan.kits())
	if s.plan.http != nil {
		s.plan.http.CloseIdleConnections()
	}
}
