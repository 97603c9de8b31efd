// Package arenatest runs scenarios within go test: a subtest for each trial, which fails with what was expected, what
// came, and the line that asks for it.
//
//	func TestRefunds(t *testing.T) {
//		arenatest.Run(t, "scenarios/refund.yaml", arenatest.Mock())
//	}
//
// Files say which providers are asked. [Mock] replaces all of them, and needs no network.
package arenatest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena"
)

// Run runs what a path names: an arena config, a scenario, a folder or a glob, against the folder of the package that
// is tested; "" is what `arena run` finds by itself. Each trial is a subtest under its id, such as
// refund/mock/default, and only those run that -run and -skip of go test leave: go test -run
// 'TestRefunds/refund/mock'.
//
// Trials that may end early, with a pass_rate, are one subtest together, under an id such as refund/mock/default. It
// fails where they show that too few pass, and where they show neither; one that may be undecided is skipped.
//
// A trial that did not pass fails its subtest, also when something only could not be judged; one that the files skip is
// skipped. Trials of one scenario that are repeated are judged together, by pass_threshold. Files with mistakes, and
// files in which there is nothing to run, fail t with all that is wrong.
//
// The result has the trials that ran; it is nil when none did.
func Run(t *testing.T, path string, opts ...Option) *arena.Result {
	t.Helper()
	o := arena.Options{}
	if path != "" {
		o.Paths = []string{path}
	}
	for _, opt := range opts {
		opt(&o)
	}
	suite, err := arena.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	for _, w := range suite.Warnings() {
		t.Logf("%s: warning: %s", w.Position, w.Message)
	}
	r := &round{suite: suite, ended: make(chan struct{})}
	for _, p := range suite.Trials() {
		r.enter(t, p)
	}
	r.run(t)
	return r.result
}

// round is one run of the trials that go test selects. Each subtest first registers its trial and waits. When all
// selected trials are known they run together, and the subtests then report them in the order of the plan.
type round struct {
	suite    *arena.Suite
	chosen   []string // ids
	subtests sync.WaitGroup
	last     <-chan struct{} // closed when the subtest before is over; nil: this is the first one

	ended  chan struct{} // is closed when what follows is there
	result *arena.Result
	err    error
}

// enter begins the subtest of a trial, unless go test leaves it out.
func (r *round) enter(t *testing.T, p arena.Planned) {
	known, told := make(chan struct{}), make(chan struct{})
	settle := sync.OnceFunc(func() { close(known) })
	r.subtests.Go(func() {
		defer close(told) // the subtest is over, and go test has its result
		defer settle()
		t.Run(p.ID, func(t *testing.T) {
			before := r.last
			r.chosen, r.last = append(r.chosen, p.ID), told
			settle()
			<-r.ended
			if before != nil {
				<-before
			}
			r.report(t, p)
		})
	})
	<-known
}

// margin is how long before the deadline of go test the trials are stopped, so that they can be reported.
func margin(left time.Duration) time.Duration { return min(10*time.Second, left/10) }

// run runs what was chosen, and waits for the subtests.
func (r *round) run(t *testing.T) {
	ctx := t.Context()
	if end, limited := t.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-margin(time.Until(end))))
		defer cancel()
	}
	if len(r.chosen) > 0 {
		r.result, r.err = r.suite.Run(ctx, r.chosen...)
	}
	close(r.ended)
	r.subtests.Wait()
	if r.err != nil {
		t.Error(r.err)
	}
	if r.result != nil && r.result.ExitCode != 0 && !t.Failed() { // by fail_on
		t.Errorf("every trial is as it should be, and the run is not, by fail_on or by a quarantine: exit status %d",
			r.result.ExitCode)
	}
}

func (r *round) report(t *testing.T, p arena.Planned) {
	var trials []arena.Trial
	if r.result != nil {
		trials = r.result.Trials
	}
	if p.Trial == 0 && r.result != nil {
		reportGroup(t, p, r.result)
		return
	}
	at := slices.IndexFunc(trials, func(tr arena.Trial) bool { return tr.ID == p.ID })
	if at < 0 {
		t.Fatal("the trial did not end")
	}
	reportTrial(t, &trials[at], r.result.Groups)
}

// reportTrial passes, skips or fails a subtest. Its output begins with the lines of the scenario, without a line of
// this file.
func reportTrial(t *testing.T, tr *arena.Trial, groups []arena.Group) {
	for _, notice := range tr.Notices {
		printLine(t, "notice: "+notice)
	}
	switch {
	case tr.Status == arena.Passed:
	case tr.Status == arena.Skipped:
		printLine(t, tr.Skip)
		t.SkipNow()
	case tr.Excused != "":
		printLine(t, tr.Failure())
		printLine(t, tr.Excused)
		t.SkipNow()
	case tr.Tolerated:
		printLine(t, tr.Failure())
		printLine(t, "tolerated: "+share(tr, groups))
	default:
		printLine(t, tr.Failure())
		t.Fail()
	}
}

func printLine(t *testing.T, text string) { _, _ = fmt.Fprintln(t.Output(), text) } // go test keeps it in memory
