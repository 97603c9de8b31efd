package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/mediafolder"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// Job is a plan that is to be run, and what its results say of the run.
type Job struct {
	Plan     *runner.Plan
	Outputs  *Outputs // whose folder is locked; nil: nothing is written
	Earlier  *Earlier // run that this one goes on with; nil: none
	Arena    string   // version
	Now      func() time.Time
	Warnings []string // about the files and the plan
	// Missing counts trials that are no part of the plan and have no result: those that never finished in a run that is
	// judged again.
	Missing  int
	Shard    *result.Shard  // which the trials are of where the plan does not say; nil: of none
	Merged   *result.Merged // the shards of a run that is judged again; nil: it has none
	ExitZero bool
	Replayed bool // trials are answered from recordings
	// Command and Resume are the words that run the same again, and that go on with the run; see result.Run.
	Command, Resume []string
	Spec            *result.Spec       // what is asked of the run, for its journal; nil: that is not told
	Basis           *result.Basis      // what the run is held against; nil: nothing
	Secrets         *Secrets           // that no text of the run holds; nil: none are known
	Workers         *result.WorkersRun // who runs the trials; nil: this process does
}

// Earlier is the run that another one goes on with.
type Earlier struct {
	Ledger    *result.JournalContent
	Journal   *os.File              // of that run, from Outputs.LastJournal
	Kept      map[int]*result.Entry // trials that stay, by index in the plan, or behind it
	Unplanned int                   // how many of them are behind the plan, which has them no more
	Unjudged  map[int]*result.Entry // trials whose evals judge again, by index in the plan
	Said      []*result.Entry       // trials that do not stay, whose judges are not asked again for the same
	Dropped   []int64               // lines that count no more; see result.JournalHeader
	Anew      bool                  // judges are asked again for what they judged in trials that stay
	// Weakened are gates that are wrong more often than they say, by the index of their first trial in the plan.
	Weakened map[int]result.Weakening
}

// Each reads the trials that stay, in the order of the plan.
func (e *Earlier) Each(take func(*result.Trial)) error {
	return e.each(e.Kept, func(t *result.Trial) {
		t.Before = true
		take(t)
	})
}

func (e *Earlier) each(entries map[int]*result.Entry, take func(*result.Trial)) error {
	for _, i := range slices.Sorted(maps.Keys(entries)) {
		t, err := e.Ledger.Trial(entries[i])
		if err != nil {
			return err
		}
		t.Index = i
		take(t)
	}
	return nil
}

// Execution is one run of a plan, from the first line of its journal to its reports. The command line and the Go
// package drive their runs by it alike: NewExecution, Open, Begin, Drive and End, in this order, and Close where Open
// succeeded. It belongs to one goroutine.
type Execution struct {
	Plan *runner.Plan      // nil after End where nobody needs it any more: it is large, and reports take room themselves
	Run  *result.Run       // complete after End
	Late []diag.Diagnostic // warnings that only the end of the run gave reason for; those that are there before End stay

	job     Job
	file    journalFile
	journal *result.Journal
	collect result.Collector
	gates   []result.GatedGroup
	slots   int // indexes of the plan, and of what stays behind it
	listen  Listener
	clock   eventClock
	claims  []result.Claim // besides those of the plan
}

// Listener hears of everything that happens in a run, when it is on disk. Of a trial that ended it gets the brief as
// well. What it returns ends the run.
type Listener func(e result.Event, ended *result.Brief) error

// journalFile is where a journal is written.
type journalFile interface {
	result.Syncer
	Close() error
}

// NewExecution says what the run is. It touches nothing.
func NewExecution(job Job) *Execution {
	run := &result.Run{
		SchemaVersion: result.SchemaVersion, Arena: job.Arena, Name: job.Plan.Name, Started: job.Now().UTC(),
		Planned: job.Plan.Planned() + job.Missing, FailOn: job.Plan.FailOn, ExitZero: job.ExitZero,
		Warnings: slices.Clone(job.Warnings), Command: slices.Clone(job.Command), Resume: slices.Clone(job.Resume),
		Spec: job.Spec, Coverage: job.Plan.Coverage(), Declared: job.Plan.Declared(),
		Quarantines: slices.Clone(job.Plan.Quarantines),
		Merged:      job.Merged, Basis: job.Basis, Replayed: job.Replayed,
	}
	if run.Shard, _ = job.Plan.Shard(); run.Shard == nil {
		run.Shard = job.Shard
	}
	if job.Earlier != nil {
		run.Planned += job.Earlier.Unplanned
	}
	if job.Secrets != nil {
		for _, list := range [][]string{run.Command, run.Resume, run.Warnings} {
			for i := range list {
				list[i] = job.Secrets.Text(list[i])
			}
		}
		run.Spec = job.Spec.Scrubbed(job.Secrets.Text)
		for i := range run.Coverage {
			run.Coverage[i] = run.Coverage[i].Map(job.Secrets.Text)
		}
		for i := range run.Declared {
			run.Declared[i] = run.Declared[i].Map(job.Secrets.Text)
		}
		for i := range run.Quarantines {
			q := &run.Quarantines[i]
			q.Reason, q.Owner = job.Secrets.Text(q.Reason), job.Secrets.Text(q.Owner)
		}
	}
	x := &Execution{
		Plan: job.Plan, Run: run, job: job, clock: eventClock{now: job.Now}, slots: job.Plan.Len(),
		gates: slices.Concat(job.Plan.Gates(), job.Plan.Recorded()),
	}
	if job.Earlier != nil {
		x.slots += job.Earlier.Unplanned
		for i := range x.gates {
			if w := job.Earlier.Weakened[x.gates[i].First]; w != "" {
				x.gates[i].Weakened = w
			}
		}
	}
	if job.Secrets != nil {
		for i := range x.gates {
			g := &x.gates[i]
			for _, text := range []*string{&g.File, &g.Scenario, &g.Provider, &g.Region, &g.Row} {
				*text = job.Secrets.Text(*text)
			}
		}
	}
	return x
}

// Open opens the journal. From now on the reports of the run before are gone.
func (x *Execution) Open() (err error) {
	switch out, earlier := x.job.Outputs, x.job.Earlier; {
	case out == nil:
		x.file = noFile{}
	case earlier == nil:
		x.file, err = out.OpenJournal()
	default:
		x.file, err = earlier.Journal, out.Resume(earlier.Journal)
	}
	return err
}

// Begin writes how the run was made, and collects what stays of an earlier one. It tells kept, which may be nil, of
// every trial that does.
func (x *Execution) Begin(kept func(*result.Trial)) (err error) {
	run, earlier := x.Run, x.job.Earlier
	h := result.JournalHeader{
		Arena: run.Arena, Name: run.Name, Started: run.Started, Planned: run.Planned, FailOn: run.FailOn,
		ExitZero: run.ExitZero, Command: run.Command, Resume: run.Resume, Spec: run.Spec, Replayed: x.job.Replayed,
		Coverage: run.Coverage, Declared: run.Declared, Gates: x.gates, Basis: run.Basis, Shard: run.Shard,
		Merged: run.Merged, Workers: x.job.Workers, Quarantines: run.Quarantines,
	}
	if len(x.gates) > 0 {
		h.Slots = x.slots
	}
	_, h.Places = x.Plan.Shard()
	if x.job.Outputs != nil {
		h.Programs = runner.Surroundings(x.Plan)
	}
	x.collect.Expect(run.Planned)
	x.collect.Cover(run.Coverage)
	x.collect.Gate(x.gates)
	if earlier == nil {
		x.journal, err = result.NewJournal(x.file, h)
		return err
	}
	h.Dropped = earlier.Dropped
	for _, i := range slices.Sorted(maps.Keys(earlier.Unjudged)) {
		h.Rejudged = append(h.Rejudged, [2]int64{int64(i), earlier.Unjudged[i].Offset()})
	}
	if x.journal, err = earlier.Ledger.Continue(x.file, h, earlier.Kept); err != nil {
		return err
	}
	if err := earlier.each(earlier.Unjudged, func(t *result.Trial) { x.Plan.Recall(t, false) }); err != nil {
		return err
	}
	for _, e := range earlier.Said {
		t, err := earlier.Ledger.Trial(e)
		if err != nil {
			return err
		}
		x.Plan.RecallJudges(t)
	}
	return earlier.Each(func(t *result.Trial) {
		x.collect.Add(t)
		x.Plan.Observe(t)
		x.Plan.Continue(t)
		x.Plan.Recall(t, earlier.Anew)
		if kept != nil {
			kept(t)
		}
	})
}

// Started is the event that the run begins, of which so many trials stay from before.
func (x *Execution) Started(kept int) result.RunStarted {
	run := x.Run
	return result.RunStarted{
		At: result.At{Time: run.Started, Turn: result.NoTurn}, Arena: run.Arena, Name: run.Name, Planned: run.Planned,
		Kept: kept,
	}
}

// Completed are the events that groups of trials and the run have ended, after End.
func (x *Execution) Completed(interrupted bool) []result.Event {
	var all []result.Event
	for _, e := range result.GroupsCompletedOf(x.Run, x.clock.at()) {
		all = append(all, e)
	}
	return append(all, result.RunCompletedOf(x.Run, x.clock.at(), interrupted))
}

// Drive runs the trials. It returns when the last one has ended, also when ctx ends before.
func (x *Execution) Drive(ctx context.Context, opts runner.Options, listen Listener) error {
	x.listen = listen
	opts.Now, opts.Started = x.job.Now, x.Run.Started
	if out := x.job.Outputs; out != nil {
		keeper := &mediaKeeper{folder: &mediafolder.Folder{Dir: out.Dir}, secrets: x.job.Secrets}
		opts.KeepMedia = keeper.keep
	}
	return runner.Run(ctx, x.Plan, opts, x.journal, x)
}

// Handle implements runner.Sink. Whatever a listener says, the trial is collected.
func (x *Execution) Handle(e result.Event) error {
	x.clock.heard(e)
	var ended *result.Brief
	if done, ok := e.(result.TrialDone); ok {
		b := x.collect.Add(done.Trial)
		ended = &b
	}
	if x.listen == nil {
		return nil
	}
	return x.listen(e, ended)
}

// End folds what finished and writes the reports. It does so as well when the run was cut short: what was paid for is
// reported.
func (x *Execution) End(interrupted bool) error {
	run := x.Run
	run.DurationMS = float64(x.job.Now().Sub(run.Started).Round(time.Microsecond)) / float64(time.Millisecond)
	var ofShard *result.ShardEnd
	if shard, _ := x.Plan.Shard(); shard != nil {
		ofShard = &result.ShardEnd{Files: slices.Clone(run.Warnings)}
	}
	x.collect.Finish(run)
	x.warn(ofShard, interrupted)
	if show.Unfinished(run) == 0 { // otherwise those that did not finish are named
		x.Plan, x.job.Plan = nil, nil
	}
	run.Settle() // fail_on may name warnings
	x.journal.Bind(run)
	err := x.journal.Close(result.JournalFooter{
		DurationMS: run.DurationMS, Interrupted: interrupted, Unfinished: show.Unfinished(run), Warnings: run.Warnings,
		Shard: ofShard,
	})
	if x.job.Outputs == nil {
		return err
	}
	if journal, ok := x.file.(*os.File); ok {
		rescued, lost := x.job.Outputs.Rescue(journal)
		if err = errors.Join(err, lost); rescued != "" {
			return err // the reports there are those of the other run
		}
	}
	return errors.Join(err, x.job.Outputs.WriteAll(run))
}

// Claim adds claims about the run to those of its plan; see runner.Plan.Claims.
func (x *Execution) Claim(claims ...result.Claim) { x.claims = append(x.claims, claims...) }

// warn adds what only the end of the run gives reason to say. What the whole run alone can say is told by a shard for
// the run that it becomes a part of.
func (x *Execution) warn(ofShard *result.ShardEnd, interrupted bool) {
	x.Late = append(x.Late, x.Plan.Strays()...)
	var own []string
	for i := range x.Late {
		own = append(own, x.Late[i].Advice())
	}
	var claims []result.Claim
	if !interrupted {
		claims = append(x.Plan.Claims(), x.claims...)
	}
	x.Late = slices.Concat(x.Late, x.Run.EvalWarnings(), x.Run.WeakenedWarnings(), x.Run.AgainstWarnings())
	if ofShard == nil {
		x.Late = append(x.Late, x.collect.ToolWarnings()...)
		for _, c := range result.UnmetClaims(claims) {
			x.Late = append(x.Late, c.Warning)
		}
	} else {
		ofShard.Own, ofShard.Claims = own, claims
	}
	for i := range x.Late {
		x.Run.Warnings = append(x.Run.Warnings, x.Late[i].Advice())
	}
}

// Exit is the exit status of a run: that of its trials, which is never 0 where something else broke.
func Exit(run *result.Run, interrupted bool, err error) int {
	code := run.Exit(interrupted)
	if err != nil && code == result.ExitPassed {
		return result.ExitError
	}
	return code
}

// Close lets go of the journal.
func (x *Execution) Close() error {
	if err := x.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", filepath.Base(x.file.(*os.File).Name()), err)
	}
	return nil
}

// noFile takes the journal of a run that is not written down.
type noFile struct{}

func (noFile) Write(b []byte) (int, error)       { return len(b), nil }
func (noFile) ReadAt([]byte, int64) (int, error) { return 0, os.ErrInvalid }
func (noFile) Sync() error                       { return nil }
func (noFile) Close() error                      { return nil }
