package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/sortby"
)

// resumption is what of the last run into a folder stands in the run that resumes it.
type resumption struct {
	file      string // that is resumed
	ledger    *result.JournalContent
	kept      map[int]*result.Entry // by index in the plan
	left      map[int]bool          // that are neither kept nor run
	said      []*result.Entry       // that are not kept, and whose judges are not asked again for the same
	unjudged  map[int]*result.Entry // whose conversation stays, and is judged again by evals that could not judge
	dropped   []int64
	earlier   map[int][]result.Attempt // failures of trials that are run again and ask for the same
	changed   int                      // trials that were settled, but as something else than is asked for now
	outdated  int                      // trials that came to a verdict, asked for something else, and are run again
	toRun     int
	again     map[string]bool          // fingerprints of those that are run, and may have been before
	unplanned int                      // trials that are kept though the plan has them no more; they stand behind it
	lost      []string                 // those of them that did not pass, by id
	warnings  []string                 // of those, and of what the kept ones are without
	weakened  map[int]result.Weakening // gates that are wrong more often than they say, by their first trial
	anew      bool                     // what failed would only be heard again from those who said it
}

// resumes reports whether the run builds on the one before it.
func (f *runFlags) resumes() bool { return f.resume || f.lastFailed }

// flag is how the user asked for that.
func (f *runFlags) resumeFlag() string {
	if f.resume {
		return "--resume"
	}
	return "--last-failed"
}

// resumed settles what of a journal stays in a run of the plan. Trials of which nothing final is known are run; with
// --last-failed also those that did not pass, each with all the others of its group: a group that is repeated one by
// one until each has passed would prove nothing.
func (f *runFlags) resumed(plan *runner.Plan, ledger *result.JournalContent) (*resumption, error) {
	if err := f.resumable(&ledger.Header); err != nil {
		return nil, err
	}
	r := &resumption{
		ledger: ledger, kept: map[int]*result.Entry{}, left: map[int]bool{}, earlier: map[int][]result.Attempt{},
		again: map[string]bool{}, anew: f.lastFailed, unjudged: map[int]*result.Entry{},
		weakened: map[int]result.Weakening{},
	}
	p := newEarlierTrials(ledger, plan, f.strict, f.lastFailed)
	asked, groups := f.keepTrials(r, p, plan)
	if f.lastFailed {
		r.reopen(plan, groups)
	}
	notNeeded, err := r.gates(plan, f.lastFailed)
	if err != nil {
		return nil, err
	}
	for i, e := range r.kept {
		if f.judgesAgain(e) && !(f.lastFailed && p.settled[e]) {
			r.unjudged[i] = e
			delete(r.kept, i)
		}
	}
	r.toRun = plan.Len() - len(r.kept) - len(r.left) - notNeeded
	r.changed = len(r.left)
	if err := r.runAgain(asked, p); err != nil {
		return nil, err
	}
	if f.judgesOver() {
		r.said = r.answered()
	}
	return r, nil
}

// keepTrials looks for each trial of the plan in the journal, and keeps what is final. It returns the trials that may
// be in the journal, by index, and what stays of each group.
func (f *runFlags) keepTrials(
	r *resumption, p *earlierTrials, plan *runner.Plan,
) (asked []askedTrial, groups map[groupKey]*keptOfGroup) {
	opts := f.trialOptions()
	prints := runner.NewFingerprints(&opts)
	groups = map[groupKey]*keptOfGroup{}
	for t := range plan.Asked(p.numbers, p.rounds) {
		i, print := t.Index, prints.Of(t)
		g := groups[groupOf(t)]
		if g == nil {
			g = &keptOfGroup{}
			groups[groupOf(t)] = g
		}
		e := p.take(print, t, f.timeout)
		if e != nil {
			print = e.Fingerprint // the same text, which is kept once
		}
		asked = append(asked, askedTrial{i, print})
		switch {
		case e != nil && f.unjudgeable(e):
		case e != nil && (f.resume || t.Gated() || p.settled[e] || f.judgesAgain(e)):
			if r.kept[i] = e; t.Of != e.Trials || t.ID() != e.ID || e.Gone {
				e.Recount(t.ID(), t.N, t.Of)
			}
			g.stays = append(g.stays, i)
		case e == nil && f.lastFailed && p.passed[t.ID()]:
			r.left[i] = true
			g.stays = append(g.stays, i)
		case e == nil && f.resume && p.cameToVerdict(t.ID()):
			r.outdated++
		}
	}
	sortby.Func(asked, func(a, b askedTrial) int { return cmp.Compare(a.index, b.index) })
	return asked, groups
}

// runAgain notes the trials that are run, and their failures in earlier runs. With --last-failed it drops the lines
// that the journal has of them.
func (r *resumption) runAgain(asked []askedTrial, p *earlierTrials) error {
	for _, t := range asked {
		if r.keeps(t.index) {
			continue
		}
		r.again[t.print] = true
		if r.unjudged[t.index] != nil {
			continue
		}
		if r.anew {
			r.dropped = append(r.dropped, p.lines[t.print]...)
		}
		if err := r.remember(t.index, p.failed[t.print]); err != nil {
			return err
		}
	}
	slices.Sort(r.dropped)
	r.dropped = slices.Compact(r.dropped)
	return nil
}

// askedTrial is a trial of the plan and its fingerprint.
type askedTrial struct {
	index int
	print string
}

// keptOfGroup is what of a group stays.
type keptOfGroup struct {
	size  int   // in the plan
	stays []int // indexes
}

// reopen runs the groups whole of which anything is run.
func (r *resumption) reopen(plan *runner.Plan, groups map[groupKey]*keptOfGroup) {
	for t, n := range plan.Sizes() {
		if t.Gated() { // see resumption.gates
			delete(groups, groupOf(t))
			continue
		}
		if g := groups[groupOf(t)]; g != nil {
			g.size += n
		}
	}
	for _, g := range groups {
		if len(g.stays) == g.size {
			continue
		}
		for _, i := range g.stays {
			delete(r.kept, i)
			delete(r.left, i)
		}
	}
}

// remember keeps what is told of earlier failures.
func (r *resumption) remember(i int, failed []*result.Entry) error {
	for _, e := range failed {
		t, err := r.ledger.Trial(e)
		if err != nil {
			return err
		}
		r.earlier[i] = append(r.earlier[i], result.AttemptOf(t, e.Started))
	}
	return nil
}

// resumable refuses a journal of something else.
func (f *runFlags) resumable(h *result.JournalHeader) error {
	replays := f.cassettes.ReplaysOnly()
	switch {
	case len(h.Command) > 1 && h.Command[1] != f.words[1]:
		return fmt.Errorf("%s: the folder holds results of arena %s, not of arena %s\n"+
			"name the folder of the run with -o, or leave the flag out to run all of it again",
			f.resumeFlag(), h.Command[1], f.words[1])
	case f.resume && replays:
		return errors.New("--resume: a replay costs nothing; run it again without that flag")
	case h.Replayed != replays && h.Journal > 0:
		return fmt.Errorf("%s: one of the two runs is a replay, and the other is not\n"+
			"name the folder of the run with -o, or leave the flag out to run all of it again", f.resumeFlag())
	}
	return nil
}

// judgesAgain reports whether the conversation of a trial stays, and evals in it that could not judge do so again.
// Workers that judge get none of an earlier run, what was redacted nobody can judge, and a replay has its cassettes.
func (f *runFlags) judgesAgain(e *result.Entry) bool {
	return e.Unjudged && (e.Status == result.Passed || e.Status == result.Failed) && len(e.Redacted) == 0 &&
		f.cassettes.Replay == "" && f.dispatch.mode() == runner.InProcess && f.workers.url == ""
}

// groupKey tells groups of trials apart.
type groupKey struct {
	project, scenario, provider any
	region, row                 string
}

func groupOf(t *runner.Trial) groupKey {
	return groupKey{t.Project, t.Scenario, t.Endpoint, t.Region, t.RowID()}
}

// readOnly is a journal file that is only read.
type readOnly struct{ *os.File }

func (readOnly) Sync() error { return nil }

// readEarlier reads the journal that is to be resumed.
func (f *runFlags) readEarlier(app *App, suite *scenario.Suite, plan *runner.Plan, file *os.File) (*resumption, error) {
	ledger, err := result.ReadJournal(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w\nleave the flag out to run all of it again; that file is kept beside",
			f.resumeFlag(), file.Name(), err)
	}
	app.reportDamage(file.Name(), ledger)
	if err := f.workers.mayHold(f, ledger); err != nil {
		return nil, err
	}
	r, err := f.resumed(plan, ledger)
	if err != nil {
		return nil, err
	}
	r.file = file.Name()
	if f.judgesOver() {
		return r, errors.Join(f.refuseUnjudged(r, plan), f.redactedBefore(r))
	}
	if err := f.keepUnplanned(r, plan, suite); err != nil {
		return nil, err
	}
	if r.toRun == 0 {
		if err := f.leftBehind(filepath.Dir(file.Name()), plan.Len()); err != nil {
			return nil, err
		}
	}
	if f.lastFailed && r.toRun == 0 {
		return nil, r.nothing(plan.FailOn)
	}
	if f.lastFailed {
		if err := r.hintJudgesLeftOpen(app); err != nil {
			return nil, err
		}
	}
	return r, f.redactedBefore(r)
}

// keeps reports whether a trial of the plan is not run: it stays as it is, or is left out.
func (r *resumption) keeps(i int) bool {
	_, stays := r.kept[i]
	return stays || r.left[i]
}

// leftUnjudged is a trial of which evals judge the conversation again that could not; nil: that is another one.
func (r *resumption) leftUnjudged(i int) *runner.Finished {
	e := r.unjudged[i]
	if e == nil {
		return nil
	}
	brief := result.BriefOf(result.BriefShared{})
	brief.ID = e.ID
	return &runner.Finished{
		Brief: &brief,
		Load:  loadWithMedia(r.file, func() (*result.Trial, error) { return r.ledger.Trial(e) }),
	}
}

// notRun are the trials of the plan that are not run, in order.
func (r *resumption) notRun() []int {
	return slices.Sorted(func(yield func(int) bool) {
		for i := range r.kept {
			if !yield(i) {
				return
			}
		}
		for i := range r.left {
			if !yield(i) {
				return
			}
		}
	})
}

// openEarlier opens the journal to resume.
func (f *runFlags) openEarlier(out *harness.Outputs) (*os.File, error) {
	file, err := out.LastJournal()
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.reportsAlone(out.Dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s needs the journal of an earlier run: there is no %s\n"+
			"leave the flag out to start over, or name the results folder of that run with -o", f.resumeFlag(),
			filepath.Join(out.Dir, harness.JournalName))
	}
	return file, err
}

// bringHome completes the journal to resume with what ended when it could not be written.
func (f *runFlags) bringHome(app *App, out *harness.Outputs) error {
	if !f.resumes() {
		return nil
	}
	from, err := out.BringHome()
	if err != nil {
		return broken(err)
	}
	if from != "" {
		app.remark("%s: the trials in %s, where they went from a disk that was full, are in the journal now",
			f.resumeFlag(), from)
	}
	return nil
}

// trialOptions are the options of a run that decide what comes of its trials.
func (f *runFlags) trialOptions() runner.Options {
	return runner.Options{
		OnFailure: f.onFailure, Strict: f.strict, Temperature: pointerTo(f.given, "temperature", f.temperature),
		MaxTokens: pointerTo(f.given, "max-tokens", f.maxTokens), Seed: pointerTo(f.given, "seed", f.seed),
		JudgeGate: pointerTo(f.given, "judge-gate", f.judgeGate),
	}
}

// earlierRun is what the run that goes on needs to know of the one before.
func (r *resumption) earlierRun(journal *os.File) *harness.Earlier {
	if r == nil {
		return nil
	}
	return &harness.Earlier{
		Ledger: r.ledger, Journal: journal, Kept: r.kept, Unplanned: r.unplanned, Dropped: r.dropped, AskJudgesAgain: r.anew,
		Unjudged: r.unjudged, Superseded: r.said, Weakened: r.weakened,
	}
}

// stays counts the trials that are kept.
func (r *resumption) stays() int {
	if r == nil {
		return 0
	}
	return len(r.kept)
}
