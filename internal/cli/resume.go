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

// resumption says what the resumed run keeps of the last run in its folder.
type resumption struct {
	file             string // the resumed journal
	ledger           *result.JournalContent
	kept             map[int]*result.Entry // kept trials, by index in the plan
	leftOut          map[int]bool          // trials that are neither kept nor run
	superseded       []*result.Entry       // entries that are not kept, but whose replies of judges are reused
	unjudged         map[int]*result.Entry // trials whose conversation is kept and judged again
	dropped          []int64
	earlier          map[int][]result.Attempt // failures of trials that run again with the same fingerprint
	changed          int                      // trials that had a final result, with another fingerprint
	outdated         int                      // trials that had a verdict, with another fingerprint, and run again
	toRun            int
	rerunPrints      map[string]bool          // fingerprints of trials that run, and may have run before
	unplanned        int                      // kept trials that are not in the plan; they are numbered behind it
	vanishedFailures []string                 // ids of kept trials outside the plan that did not pass
	warnings         []string                 // about those, and about what is missing of kept trials
	weakened         map[int]result.Weakening // gates with more errors than they promise, by their first trial
	askJudgesAgain   bool                     // old replies of judges would only fail again
}

// resumes reports whether the run builds on the one before it.
func (f *runFlags) resumes() bool { return f.resume || f.lastFailed }

// resumeFlag is the flag with which the user resumed.
func (f *runFlags) resumeFlag() string {
	if f.resume {
		return "--resume"
	}
	return "--last-failed"
}

// resumed decides what a resumed run keeps of a journal. Trials without a final result run. With --last-failed, trials
// that did not pass run too, with all others of their group: to repeat single trials until each has passed would prove
// nothing.
func (f *runFlags) resumed(plan *runner.Plan, ledger *result.JournalContent) (*resumption, error) {
	if err := f.resumable(&ledger.Header); err != nil {
		return nil, err
	}
	r := &resumption{
		ledger: ledger, kept: map[int]*result.Entry{}, leftOut: map[int]bool{}, earlier: map[int][]result.Attempt{},
		rerunPrints: map[string]bool{}, askJudgesAgain: f.lastFailed, unjudged: map[int]*result.Entry{},
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
	r.toRun = plan.Len() - len(r.kept) - len(r.leftOut) - notNeeded
	r.changed = len(r.leftOut)
	if err := r.runAgain(asked, p); err != nil {
		return nil, err
	}
	if f.judgesOver() {
		r.superseded = r.supersededEntries()
	}
	return r, nil
}

// keepTrials looks up each trial of the plan in the journal, and keeps final results. It returns the trials that may be
// in the journal, and the kept trials of each group.
func (f *runFlags) keepTrials(
	r *resumption, p *earlierTrials, plan *runner.Plan,
) (asked []askedTrial, groups map[groupKey]*keptGroup) {
	opts := f.trialOptions()
	prints := runner.NewFingerprints(&opts)
	groups = map[groupKey]*keptGroup{}
	for t := range plan.Asked(p.numbers, p.rounds) {
		i, print := t.Index, prints.Of(t)
		g := groups[groupOf(t)]
		if g == nil {
			g = &keptGroup{}
			groups[groupOf(t)] = g
		}
		e := p.take(print, t, f.timeout)
		if e != nil {
			print = e.Fingerprint // shares the memory of the equal text
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
			r.leftOut[i] = true
			g.stays = append(g.stays, i)
		case e == nil && f.resume && p.cameToVerdict(t.ID()):
			r.outdated++
		}
	}
	sortby.Func(asked, func(a, b askedTrial) int { return cmp.Compare(a.index, b.index) })
	return asked, groups
}

// runAgain notes the trials that run again, and their failures in earlier runs. With --last-failed it drops their lines
// of the journal.
func (r *resumption) runAgain(asked []askedTrial, p *earlierTrials) error {
	for _, t := range asked {
		if r.keeps(t.index) {
			continue
		}
		r.rerunPrints[t.print] = true
		if r.unjudged[t.index] != nil {
			continue
		}
		if r.askJudgesAgain {
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

// keptGroup lists the kept trials of a group.
type keptGroup struct {
	size  int   // number of trials in the plan
	stays []int // indexes of kept trials
}

// reopen runs all trials of a group if any of them runs.
func (r *resumption) reopen(plan *runner.Plan, groups map[groupKey]*keptGroup) {
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
			delete(r.leftOut, i)
		}
	}
}

// remember stores the earlier failures of a trial.
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

// resumable refuses the journal of another command or project.
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

// judgesAgain reports whether to keep a conversation and repeat the evals that could not judge it. Not if workers
// judge, if text was redacted, or in a replay, which has cassettes.
func (f *runFlags) judgesAgain(e *result.Entry) bool {
	return e.Unjudged && (e.Status == result.Passed || e.Status == result.Failed) && len(e.Redacted) == 0 &&
		f.cassettes.Replay == "" && f.dispatch.mode() == runner.InProcess && f.workers.url == ""
}

// groupKey identifies a group of trials.
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
	if err := f.workers.refuseUncollected(f, ledger); err != nil {
		return nil, err
	}
	r, err := f.resumed(plan, ledger)
	if err != nil {
		return nil, err
	}
	r.file = file.Name()
	if f.judgesOver() {
		return r, errors.Join(f.refuseUnjudged(r, plan), f.refuseUnredacted(r))
	}
	if err := f.keepUnplanned(r, plan, suite); err != nil {
		return nil, err
	}
	if r.toRun == 0 {
		if err := f.refuseWiderRun(filepath.Dir(file.Name()), plan.Len()); err != nil {
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
	return r, f.refuseUnredacted(r)
}

// keeps reports whether a trial of the plan does not run.
func (r *resumption) keeps(i int) bool {
	_, stays := r.kept[i]
	return stays || r.leftOut[i]
}

// leftUnjudged is a trial whose conversation evals judge again; nil: it is not such a trial.
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

// notRun are the indexes of trials that do not run, in order.
func (r *resumption) notRun() []int {
	return slices.Sorted(func(yield func(int) bool) {
		for i := range r.kept {
			if !yield(i) {
				return
			}
		}
		for i := range r.leftOut {
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

// restoreJournal appends the results that an earlier run could not write to its journal.
func (f *runFlags) restoreJournal(app *App, out *harness.Outputs) error {
	if !f.resumes() {
		return nil
	}
	from, err := out.RestoreJournal()
	if err != nil {
		return broken(err)
	}
	if from != "" {
		app.remark("%s: the trials in %s, where they went from a disk that was full, are in the journal now",
			f.resumeFlag(), from)
	}
	return nil
}

// trialOptions are the options that affect the results of trials.
func (f *runFlags) trialOptions() runner.Options {
	return runner.Options{
		OnFailure: f.onFailure, Strict: f.strict, Temperature: pointerTo(f.given, "temperature", f.temperature),
		MaxTokens: pointerTo(f.given, "max-tokens", f.maxTokens), Seed: pointerTo(f.given, "seed", f.seed),
		JudgeGate: pointerTo(f.given, "judge-gate", f.judgeGate),
	}
}

// earlierRun is what the harness needs to know of the resumed run.
func (r *resumption) earlierRun(journal *os.File) *harness.Earlier {
	if r == nil {
		return nil
	}
	return &harness.Earlier{
		Ledger: r.ledger, Journal: journal, Kept: r.kept, Unplanned: r.unplanned, Dropped: r.dropped,
		AskJudgesAgain: r.askJudgesAgain,
		Unjudged:       r.unjudged, Superseded: r.superseded, Weakened: r.weakened,
	}
}

// stays counts the kept trials.
func (r *resumption) stays() int {
	if r == nil {
		return 0
	}
	return len(r.kept)
}
