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

// Job is a plan to run, with the facts about the run that its results hold.
type Job struct {
	Plan     *runner.Plan
	Outputs  *Outputs // with its folder locked; nil: nothing is written
	Earlier  *Earlier // the run that is resumed; nil: none
	Arena    string   // version
	Now      func() time.Time
	Warnings []string // about the files and the plan
	// Missing counts trials without a result that are not in the plan: those that never finished in a rejudged run.
	Missing  int
	Shard    *result.Shard  // if the plan has none; nil: none
	Merged   *result.Merged // the shards of a rejudged run; nil: none
	ExitZero bool
	Replayed bool // trials are replayed
	// Command and Resume are the command lines that repeat the run, and that resume it; see result.Run.
	Command, Resume []string
	Spec            *result.Spec       // the options of the run, for its journal; nil: they are not written
	Basis           *result.Basis      // the baseline; nil: none
	Judged          *result.Run        // the rejudged run; nil: none
	Secrets         *Secrets           // removed from all texts of the run; nil: none are known
	Workers         *result.WorkersRun // the workers that run the trials; nil: this process does
}

// Earlier is a run that is resumed.
type Earlier struct {
	Ledger         *result.JournalContent
	Journal        *os.File              // of that run, from Outputs.LastJournal
	Kept           map[int]*result.Entry // finished trials that do not run again, by index in the plan or after its end
	Unplanned      int                   // number of kept trials that the plan does not have any more
	Unjudged       map[int]*result.Entry // trials whose evals judge again, by index in the plan
	Superseded     []*result.Entry       // trials that run again; answers of their judges are reused
	Dropped        []int64               // lines that do not count any more; see result.JournalHeader
	AskJudgesAgain bool                  // answers of judges in kept trials are not reused
	// Weakened are gates with more errors than they promise, by the plan index of their first trial.
	Weakened map[int]result.Weakening
}

// Each calls visit with each kept trial, in the order of the plan.
func (e *Earlier) Each(visit func(*result.Trial)) error {
	return e.each(e.Kept, func(t *result.Trial) {
		t.Before = true
		visit(t)
	})
}

func (e *Earlier) each(entries map[int]*result.Entry, visit func(*result.Trial)) error {
	indexes := slices.Sorted(maps.Keys(entries))
	inOrder := make([]*result.Entry, 0, len(indexes))
	for _, i := range indexes {
		inOrder = append(inOrder, entries[i])
	}
	n := 0
	for t, err := range e.Ledger.Trials(inOrder) {
		if err != nil {
			return err
		}
		t.Index = indexes[n]
		n++
		visit(t)
	}
	return nil
}

// Execution is one run of a plan, from the first line of its journal to its reports. The command line and the Go
// package both use it: NewExecution, Open, Begin, Drive and End, in this order, and Close if Open succeeded. It belongs
// to one goroutine.
type Execution struct {
	Plan *runner.Plan      // nil after End if all trials finished, to save memory for the reports
	Run  *result.Run       // complete after End
	Late []diag.Diagnostic // warnings about the whole run; End adds to them

	job      Job
	file     journalFile
	journal  *result.Journal
	fallback *journalFallback // fallback of the journal; nil: no file
	collect  result.Collector
	gates    []result.GatedGroup
	slots    int // number of trial indexes: those of the plan and of kept trials after its end
	listen   Listener
	clock    eventClock
	claims   []result.Claim // claims that are not in the plan
}

// Listener handles the events of a run, after they are on disk. ended is the brief of a trial that ended. An error ends
// the run.
type Listener func(e result.Event, ended *result.Brief) error

// journalFile is the file to which a journal is written.
type journalFile interface {
	result.Syncer
	Close() error
}

// NewExecution creates the run. It writes nothing.
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

// Open opens the journal, and removes the reports of the previous run.
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

// Begin writes the header of the journal, and collects the kept trials of an earlier run. It calls kept, which may be
// nil, for each of them.
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
	x.collect.Cover(run.Coverage)
	x.collect.Gate(x.gates)
	if earlier == nil {
		x.journal, err = result.NewJournal(x.file, h)
		x.useFallback()
		return err
	}
	h.Dropped = earlier.Dropped
	for _, i := range slices.Sorted(maps.Keys(earlier.Unjudged)) {
		h.Rejudged = append(h.Rejudged, [2]int64{int64(i), earlier.Unjudged[i].Offset()})
	}
	if x.journal, err = earlier.Ledger.Continue(x.file, h, earlier.Kept); err != nil {
		return err
	}
	x.useFallback()
	if err := earlier.each(earlier.Unjudged, func(t *result.Trial) { x.Plan.Recall(t, false) }); err != nil {
		return err
	}
	for _, e := range earlier.Superseded {
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
		x.Plan.Recall(t, earlier.AskJudgesAgain)
		if kept != nil {
			kept(t)
		}
	})
}

// useFallback lets the journal continue elsewhere when its file cannot be written.
func (x *Execution) useFallback() {
	if home, ok := x.file.(*os.File); ok {
		x.fallback = newJournalFallback(filepath.Join(x.job.Outputs.Dir, JournalName), home)
		x.journal.SetFallback(x.fallback.open)
	}
}

// Started returns the event of the start of the run. kept is the number of trials of an earlier run.
func (x *Execution) Started(kept int) result.RunStarted {
	run := x.Run
	return result.RunStarted{
		At: result.At{Time: run.Started, Turn: result.NoTurn}, Arena: run.Arena, Name: run.Name, Planned: run.Planned,
		Kept: kept,
	}
}

// Completed returns the events of the end of all groups and of the run. It is called after End.
func (x *Execution) Completed(interrupted bool) []result.Event {
	var all []result.Event
	for _, e := range result.GroupsCompletedOf(x.Run, x.clock.at()) {
		all = append(all, e)
	}
	return append(all, result.RunCompletedOf(x.Run, x.clock.at(), interrupted))
}

// Drive runs the trials. It returns after the last one has ended, also if ctx ends earlier.
func (x *Execution) Drive(ctx context.Context, opts runner.Options, listen Listener) error {
	x.listen = listen
	opts.Now, opts.Started = x.job.Now, x.Run.Started
	if out := x.job.Outputs; out != nil {
		keeper := &mediaStore{folder: &mediafolder.Folder{Dir: out.Dir}, secrets: x.job.Secrets}
		opts.KeepMedia = keeper.keep
	}
	return runner.Run(ctx, x.Plan, opts, x.journal, x)
}

// Handle implements runner.Sink. The trial is collected even if the listener fails.
func (x *Execution) Handle(e result.Event) error {
	x.clock.observe(e)
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

// End folds the finished trials and writes the reports, also if the run was interrupted: paid results are reported.
func (x *Execution) End(interrupted bool) error {
	run := x.Run
	run.DurationMS = float64(x.job.Now().Sub(run.Started).Round(time.Microsecond)) / float64(time.Millisecond)
	var ofShard *result.ShardEnd
	if shard, _ := x.Plan.Shard(); shard != nil {
		ofShard = &result.ShardEnd{Files: slices.Clone(run.Warnings)}
	}
	x.collect.Finish(run)
	x.warn(ofShard, interrupted)
	if show.Unfinished(run) == 0 { // otherwise the plan is needed to name the unfinished trials
		x.Plan, x.job.Plan = nil, nil
	}
	run.Settle() // a reason of fail_on may concern warnings
	x.journal.Bind(run)
	err := x.journal.Close(result.JournalFooter{
		DurationMS: run.DurationMS, Interrupted: interrupted, Unfinished: show.Unfinished(run), Warnings: run.Warnings,
		Shard: ofShard,
	})
	if x.job.Outputs == nil {
		return err
	}
	err = errors.Join(err, x.fallback.finish(x.journal.Size()))
	if journal, ok := x.file.(*os.File); ok && !x.fallback.moved() {
		rescued, lost := x.job.Outputs.Rescue(journal)
		if err = errors.Join(err, lost); rescued != "" {
			return err // the folder, with its reports, belongs to another run now
		}
		if err == nil { // otherwise it may end with half a line
			err = x.changed(journal)
		}
		if errors.Is(err, errChanged) {
			return err
		}
	}
	return errors.Join(err, x.job.Outputs.WriteAll(run))
}

// changed reports that another process wrote to the journal: positions of trials are wrong.
func (x *Execution) changed(journal *os.File) error {
	info, err := journal.Stat()
	if err != nil || info.Size() == x.journal.Size() {
		return err
	}
	return fmt.Errorf("%w %s while the run went on, so that no reports were written\nthey can be made of what it holds "+
		"now: arena report %s", errChanged, filepath.Join(x.job.Outputs.Dir, JournalName), x.job.Outputs.Dir)
}

var errChanged = errors.New("somebody else wrote into")

// Claim adds claims to those of the plan; see runner.Plan.Claims.
func (x *Execution) Claim(claims ...result.Claim) { x.claims = append(x.claims, claims...) }

// warn adds the warnings about the whole run. A shard does not know all of them: it stores its claims, and the merged
// run warns.
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
	if x.job.Judged != nil {
		x.Late = append(x.Late, result.LoweredWarnings(result.GroupChanges(x.job.Judged, x.Run))...)
	}
	if ofShard == nil {
		x.Late = slices.Concat(x.Late, x.Run.VariantWarnings(), x.collect.ToolWarnings())
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

// Exit returns the exit code of a run: that of its trials, but never 0 with an error.
func Exit(run *result.Run, interrupted bool, err error) int {
	code := run.Exit(interrupted)
	if err != nil && code == result.ExitPassed {
		return result.ExitError
	}
	return code
}

// Close closes the journal.
func (x *Execution) Close() error {
	if err := x.fallback.close(); err != nil {
		return err
	}
	if err := x.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", filepath.Base(x.file.(*os.File).Name()), err)
	}
	return nil
}

// noFile discards the journal of a run that writes nothing.
type noFile struct{}

func (noFile) Write(b []byte) (int, error)       { return len(b), nil }
func (noFile) ReadAt([]byte, int64) (int, error) { return 0, os.ErrInvalid }
func (noFile) Sync() error                       { return nil }
func (noFile) Close() error                      { return nil }
