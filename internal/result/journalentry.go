package result

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Entries are the lines of trials in a journal. They are small: the trials themselves are read when someone asks for
// them.

// Entry is the line of a trial in a journal. There may be very many.
type Entry struct {
	*EntryRun

	ID          string
	Fingerprint string // that of the judgement, for a trial that was judged again
	Number      int    // of the trial in its group
	Trials      int    // of the group
	DurationMS  float64
	Status      Status
	// CutShort says that the run ended before the trial did, or before it was recorded.
	CutShort bool
	// Gone says that the plan of the last run no longer has this trial.
	Gone bool
	// Dropped says that a later run replaced the trial, or did not keep it.
	Dropped bool
	// Unjudged says that evals without a threshold could not judge.
	Unjudged bool
	// Warned says that the conversation caused a warning.
	Warned bool
	// OutOfTime says that a limit of time ended the trial.
	OutOfTime bool

	early bool // it comes before the first header
	at    int64
	line  int
	trial span
}

// EntryRun is what the entries of a run have in common.
type EntryRun struct {
	Started time.Time
	// Strict says that the run was strict.
	Strict bool
	// Redacted are the JSON fields whose values the run replaced in its output.
	Redacted []string
	// Programs is a digest of the programs that scored; see JournalHeader.
	Programs string
	// Timeout is the time limit of the flag; 0: none.
	Timeout time.Duration
}

func entryRunOf(h *JournalHeader) *EntryRun {
	r := &EntryRun{Started: h.Started, Programs: h.Programs}
	if h.Spec != nil {
		r.Strict, r.Redacted, r.Timeout = h.Spec.Strict, h.Spec.Redact, h.Spec.Timeout
	}
	return r
}

// enter adds the entry of a trial.
func (l *JournalContent) enter(t *Trial, at int64, s span) {
	e := &Entry{
		EntryRun: l.run, ID: t.ID, Fingerprint: cmp.Or(t.Judging, t.Fingerprint), Number: t.Trial, Trials: t.Trials,
		Status: t.Status, CutShort: t.CutShort(), Unjudged: slices.ContainsFunc(t.Evals, isUnjudged),
		Warned: len(t.Warnings) > 0, DurationMS: t.DurationMS, OutOfTime: strings.Contains(t.Error, TookLonger),
		at: at, line: l.number, trial: s, early: l.Run == nil,
	}
	if past, again := l.rejudged[t.Index]; again && !e.CutShort {
		if was := l.entryAt(past); was != nil {
			was.Dropped = true
		}
	}
	l.Entries = append(l.Entries, e)
}

// entryAt is the entry of the line at an offset; nil: none.
func (l *JournalContent) entryAt(at int64) *Entry {
	i, found := slices.BinarySearchFunc(l.Entries, at, func(e *Entry, at int64) int { return cmp.Compare(e.at, at) })
	if !found {
		return nil
	}
	return l.Entries[i]
}

// Trial reads the trial of an entry.
func (l *JournalContent) Trial(e *Entry) (*Trial, error) {
	return e.trial.decode(l.file, 0)
}

// Trials reads the trials of entries in order, several at once. It ends at the first error.
func (l *JournalContent) Trials(entries []*Entry) iter.Seq2[*Trial, error] {
	type batch struct {
		entries []*Entry
		trials  []*Trial
		err     error // after them
	}
	batches := func(yield func(*batch) bool) {
		for some := range slices.Chunk(entries, batchTrials) {
			if !yield(&batch{entries: some}) {
				return
			}
		}
	}
	read := func(b *batch) {
		for _, e := range b.entries {
			t, err := l.Trial(e)
			if err != nil {
				b.err = err
				return
			}
			b.trials = append(b.trials, t)
		}
	}
	return func(yield func(*Trial, error) bool) {
		for b := range prefetch(batches, read) {
			for _, t := range b.trials {
				if !yield(t, nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
		}
	}
}

// Offset is the offset of the entry's line.
func (e *Entry) Offset() int64 { return e.at }

// Add appends lines of trials to the file and syncs it. They belong to the last run.
func (l *JournalContent) Add(file Syncer, lines [][]byte) error {
	j := &Journal{file: file, size: l.size}
	if l.unterminated {
		if err := j.write([]byte{'\n'}); err != nil {
			return err
		}
	}
	for _, line := range lines {
		if err := j.write(line); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync journal: %w", err)
	}
	return nil
}
