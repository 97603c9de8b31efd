package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/sortby"
)

// JournalContent is the content of a journal. Every complete line counts, even if other lines are damaged or the end is
// missing.
type JournalContent struct {
	// Run is the run, as far as the journal describes it.
	Run *Run
	// Header is the last header: each time that a run is resumed adds one.
	Header JournalHeader
	// Cut says that the last line is incomplete and was ignored, as after a kill.
	Cut bool
	// Damaged are other ignored lines.
	Damaged []Damage
	// Entries are all trials in the journal, including those of earlier runs, in the order of the lines.
	Entries []*Entry
	// Ended says that the last run ended by itself and was not interrupted.
	Ended bool
	// HeaderLost says that the header of the last run is missing or damaged: the options of that run are not known.
	HeaderLost bool

	// Merged says that the run, or one that it continues, was merged from shards.
	Merged bool

	// Current are the trials of the last run by plan index, including kept ones.
	Current map[int]*Entry

	file          Syncer
	size          int64
	number        int // of the current line
	began         int // number of the line of the last header
	withEntries   bool
	run           *EntryRun // run of the following entries
	collect       Collector
	spans         spanTable
	rejudged      map[int]int64 // see JournalHeader
	withoutHeader bool
	hasFooter     bool // the last run has a footer
	unterminated  bool // the last line has no line break
}

// Damage is a line of a journal that cannot be used.
type Damage struct {
	Line int
	Why  error
}

// TookLonger is the start of the error of a trial that exceeded its time limit.
const TookLonger = "the conversation took longer than"

// ReadJournal reads as much of a journal as possible. It returns ErrNotJournal for other files.
func ReadJournal(file Syncer) (*JournalContent, error) { return readJournal(file, maxLine, true) }

// ReadRun is ReadJournal without entries, unless the journal has several runs. It uses little memory for each trial.
func ReadRun(file Syncer) (*JournalContent, error) {
	l, err := readJournal(file, maxLine, false)
	if errors.Is(err, errNeedsEntries) {
		return ReadJournal(file)
	}
	return l, err
}

// errNeedsEntries says that the entries must be read: a later header decides which of them count.
var errNeedsEntries = errors.New("the journal holds several runs")

// maxLine is the maximum length of a line, in bytes. Longer lines are skipped; no trial is that long.
const maxLine = 256 << 20

// errLongLine is why a line was not read.
var errLongLine = errors.New("corrupt journal: the line is longer than any that arena writes")

func readJournal(file Syncer, longest int, entries bool) (*JournalContent, error) {
	l := &JournalContent{file: file, withEntries: entries, run: &EntryRun{}, Current: map[int]*Entry{}}
	for line := range journalLines(file, longest) {
		l.number, l.size = line.number, line.at+line.length
		ended := errors.Is(line.readErr, io.EOF)
		if line.readErr != nil && !ended {
			return nil, line.readErr
		}
		var err error
		switch {
		case line.long:
			err, l.unterminated = errLongLine, ended
		case ended:
			l.unterminated = len(line.text) > 0
			l.Cut = l.unterminated && l.read(line) != nil // perhaps only the line break is missing
			err = nil
		default:
			err = l.read(line)
		}
		if _, newer := errors.AsType[versionError](err); newer {
			return nil, err
		}
		if _, joined := errors.AsType[joinedError](err); joined || errors.Is(err, errNeedsEntries) {
			return nil, err
		}
		if err != nil {
			l.Damaged = append(l.Damaged, Damage{l.number, err})
			l.HeaderLost = l.HeaderLost || mayBeHeader(line.text)
		}
		if l.number >= maxUnknownLines && l.Run == nil && len(l.Entries) == 0 {
			break
		}
	}
	if l.Run == nil && len(l.Entries) == 0 {
		return nil, ErrNotJournal
	}
	if l.withoutHeader {
		l.begin(JournalHeader{})
		l.Run.Planned = len(l.Entries) + 1 // at least one more: the run must not look complete
	}
	l.reportEarly()
	if l.HeaderLost {
		l.Run.HeaderLost = true
		l.Run.Warnings = append(l.Run.Warnings, HeaderLost)
	}
	l.collect.Finish(l.Run)
	for i := range l.Damaged { // damage before the last complete run does not matter any more
		if l.Damaged[i].Line > l.began || l.Run.Briefs.Len() < l.Run.Planned {
			l.Run.LeftOut++
		}
	}
	j := &Journal{file: file, size: l.size, spans: l.spans}
	j.Bind(l.Run)
	return l, nil
}

// HeaderLost is the message about a run whose header is missing or damaged.
const HeaderLost = "how the run was made is not known: the line of its journal that says so, which comes before its " +
	"trials, is missing or damaged"

// mayBeHeader reports whether a damaged line may have been a header.
func mayBeHeader(line []byte) bool {
	const begins = 64 // bytes, in which trials have no key of that name
	return bytes.Contains(line[:min(len(line), begins)], []byte(`"journal":`))
}

// reportEarly reports trials before the first header. They belong to no run, and count only if a later run kept them.
func (l *JournalContent) reportEarly() {
	counts := map[*Entry]bool{}
	for _, e := range l.Current {
		if e.early {
			counts[e] = true
		}
	}
	for _, e := range l.Entries {
		if e.early && !e.Dropped && !counts[e] {
			l.Damaged = append(l.Damaged, Damage{e.line, fmt.Errorf(
				"corrupt journal: the trial %s comes before the header of the run", e.ID)})
		}
	}
	sortby.Func(l.Damaged, func(a, b Damage) int { return cmp.Compare(a.Line, b.Line) })
}

// maxUnknownLines is the number of unknown lines after which the file does not count as a journal.
const maxUnknownLines = 8

// versionError is the error of a journal of an unknown version.
type versionError int

func (e versionError) Error() string {
	return fmt.Sprintf("the journal has version %d; this arena reads version %d", int(e), SchemaVersion)
}

// read takes a line into the content.
func (l *JournalContent) read(line *journalLine) error {
	if line.isTrial {
		l.withoutHeader = l.withoutHeader || l.Run == nil
		l.HeaderLost = l.HeaderLost || l.Run == nil || l.hasFooter
	}
	if line.err != nil {
		return line.err
	}
	switch body := &line.body; {
	case body.Journal != 0:
		return l.header(line.text, body.Journal)
	case body.End != nil:
		l.hasFooter = true
		if l.Run != nil {
			l.Run.DurationMS, l.Run.Warnings = body.End.DurationMS, body.End.Warnings
			l.Ended = !body.End.Interrupted
		}
		return nil
	default:
		t := body.Trial
		if err := l.placed(t, body.Index); err != nil {
			return fmt.Errorf("corrupt journal: the trial %s %w", t.ID, err)
		}
		t.Index, t.Judging = body.Index, body.Judging
		return l.trial(t, line.at, trialSpan(line.at, line.text))
	}
}

// placed reports an invalid index of a trial in its run.
func (l *JournalContent) placed(t *Trial, index int) error {
	switch {
	case index < 0:
		return fmt.Errorf("has the index %d", index)
	case l.Run != nil && l.Run.Planned > 0 && index >= max(l.Run.Planned, l.Header.Slots):
		return fmt.Errorf("has the index %d in a plan of %d trials", index, l.Run.Planned)
	case t.Before || t.Gone:
		return errors.New("is marked as one of an earlier run, which only a header does")
	}
	return nil
}

// header reads the header of the journal, or of a resumed run in it.
func (l *JournalContent) header(line []byte, version int) error {
	if version != SchemaVersion {
		return versionError(version)
	}
	if key, twice := jsonvalue.KeyTwice(line); twice {
		return fmt.Errorf("corrupt journal: the header has the key %q twice", key)
	}
	var h JournalHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("corrupt journal: %w", jsonvalue.Explain(err))
	}
	if l.Run != nil && !h.goesOn() {
		return joinedError(l.number)
	}
	if !l.withEntries && (l.Run != nil || h.goesOn()) {
		return errNeedsEntries
	}
	l.Merged = l.Merged || h.Merged != nil
	l.begin(h)
	for _, at := range h.Dropped {
		if e := l.entryAt(at); e != nil {
			e.Dropped = true
		}
	}
	l.collect, l.spans, l.Ended, l.withoutHeader = Collector{}, spanTable{}, false, false
	l.HeaderLost, l.hasFooter = false, false
	l.collect.Cover(h.Coverage)
	l.collect.Gate(h.Gates)
	l.Current, l.rejudged = map[int]*Entry{}, map[int]int64{}
	for _, past := range h.Rejudged {
		l.rejudged[int(past[0])] = past[1]
	}
	as := map[int]*Recounted{}
	for i := range h.Recounted {
		as[h.Recounted[i].Index] = &h.Recounted[i]
	}
	for _, kept := range h.Kept {
		if kept[0] < 0 {
			err := fmt.Errorf("corrupt journal: it keeps a trial at the index %d", kept[0])
			l.Damaged = append(l.Damaged, Damage{l.number, err})
			continue
		}
		if err := l.keep(int(kept[0]), kept[1], as[int(kept[0])]); err != nil {
			l.Damaged = append(l.Damaged, Damage{l.number, err})
		}
	}
	return nil
}

func (l *JournalContent) begin(h JournalHeader) {
	l.Header, l.began, l.run = h, l.number, entryRunOf(&h)
	l.Run = &Run{
		SchemaVersion: SchemaVersion, Arena: h.Arena, Name: h.Name, Started: h.Started, Planned: h.Planned, FailOn: h.FailOn,
		ExitZero: h.ExitZero, Command: h.Command, Resume: h.Resume, Spec: h.Spec, Declared: h.Declared,
		Shard: h.Shard, Merged: h.Merged, Basis: h.Basis, Replayed: h.Replayed,
		Quarantines: h.Quarantines,
	}
}

// keep adds a trial of an earlier line to the resumed run. as is its change; nil: unchanged.
func (l *JournalContent) keep(index int, at int64, as *Recounted) error {
	e := l.entryAt(at)
	if e == nil {
		return fmt.Errorf("corrupt journal: there is no trial at byte %d to keep", at)
	}
	if as != nil {
		e.recountAs(as)
	}
	s := e.trial
	s.before = true
	t, err := s.decode(l.file, index)
	if err != nil {
		return err
	}
	l.spans.set(index, s)
	l.Current[index] = e
	l.collect.Add(t)
	return nil
}

func (l *JournalContent) trial(t *Trial, at int64, s span) error {
	if l.withEntries {
		l.enter(t, at, s)
	} else if l.Run == nil {
		return errNeedsEntries
	}
	if _, twice := l.spans.get(t.Index); twice {
		return fmt.Errorf("corrupt journal: trial %s is in it twice", t.ID)
	}
	l.spans.set(t.Index, s)
	if l.withEntries {
		l.Current[t.Index] = l.Entries[len(l.Entries)-1]
	}
	l.collect.Add(t)
	return nil
}

// batchTrials is the number of trials that are read at once.
const batchTrials = 16

// ToolWarnings are about tools that failed in every call of every trial of the run.
func (l *JournalContent) ToolWarnings() []diag.Diagnostic { return l.collect.ToolWarnings() }

// Conclude writes the footer of a run whose journal has none. partial: something of the run is missing.
func (l *JournalContent) Conclude(journal *Journal, partial bool) error {
	run := l.Run
	return errors.Join(journal.Close(JournalFooter{
		DurationMS: run.DurationMS, Interrupted: partial, Unfinished: run.Unfinished(), Warnings: run.Warnings,
	}), journal.file.Sync())
}

func isUnjudged(e EvalResult) bool { return e.Unjudged() }

// Closed says that the last run has its footer: it was not killed.
func (l *JournalContent) Closed() bool { return l.hasFooter }
