package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/jsonread"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// The journal is JSON lines: a header, a line for each finished trial in the order in which they finished, and a footer
// when the run ended by itself. A killed run leaves a journal without a footer, perhaps with an incomplete line at the
// end. All lines before it are complete.

// JournalHeader is the first line.
type JournalHeader struct {
	Journal int       `json:"journal"` // SchemaVersion
	Arena   string    `json:"arena"`
	Name    string    `json:"name,omitempty"`
	Started time.Time `json:"started"`
	Planned int       `json:"planned"`
	// Slots is the number of plan indexes, if it is higher than the number of trials: replacements have indexes too.
	Slots int `json:"slots,omitempty"`
	// Gates are the groups whose trials may end early.
	Gates  []GatedGroup `json:"gates,omitempty"`
	FailOn []string     `json:"fail_on"`
	// ExitZero: see Run.
	ExitZero bool     `json:"exit_zero,omitempty"`
	Command  []string `json:"command,omitempty"`
	// Resume is the command that resumes the run; nil: it cannot be resumed.
	Resume []string `json:"resume,omitempty"`
	// Spec are the options of the run; nil in journals of old versions and of the Go package.
	Spec *Spec `json:"spec,omitempty"`
	// Programs is a hash of what programs, servers and agents use outside of the files: variables, and files of command
	// lines. It is not part of fingerprints.
	Programs string `json:"programs,omitempty"`
	// Coverage is what the projects declare, without counts.
	Coverage []Coverage `json:"coverage,omitempty"`
	// Declared: see Run.
	Declared []Declared `json:"declared,omitempty"`
	// Quarantines are those of all scenarios of the suite.
	Quarantines []Quarantine `json:"quarantine,omitempty"`
	// Basis is the baseline of the run; nil: none.
	Basis *Basis `json:"basis,omitempty"`
	// Replayed says that recordings answered.
	Replayed bool `json:"replayed,omitempty"`
	// Continues says that the run continues the run of the lines before.
	Continues bool `json:"continues,omitempty"`
	// Kept are trials of earlier lines that are part of this run too: index in its plan and offset of the line.
	Kept [][2]int64 `json:"kept,omitempty"`
	// Recounted are kept trials whose number or group has changed since their lines were written, or that are no longer in
	// the plan.
	Recounted []Recounted `json:"recounted,omitempty"`
	// Rejudged are kept trials whose evals judge again, in the format of Kept. The new line of the trial replaces the
	// old one; until then the old one counts.
	Rejudged [][2]int64 `json:"rejudged,omitempty"`
	// Dropped are the offsets of earlier lines that no longer count: their trials are run again.
	Dropped []int64 `json:"dropped,omitempty"`
	// Shard is the part of a plan that the run has; nil: the whole plan. Places are the index ranges of its trials in
	// the whole plan, as [first, end).
	Shard  *Shard   `json:"shard,omitempty"`
	Places [][2]int `json:"places,omitempty"`
	// Merged says that the run was merged from shards.
	Merged *Merged `json:"merged,omitempty"`
	// Workers is the run at the broker, if workers run its trials; nil: none.
	Workers *WorkersRun `json:"workers,omitempty"`
}

// WorkersRun is a run at a broker.
type WorkersRun struct {
	Run    string `json:"run"`    // its id there
	Plan   string `json:"plan"`   // hash of the plan
	Bundle string `json:"bundle"` // SHA-256 of its files
}

// goesOn reports whether the run continues the run of the lines before. In journals of old versions, kept trials show
// it.
func (h *JournalHeader) goesOn() bool {
	return h.Continues || len(h.Kept)+len(h.Dropped)+len(h.Rejudged)+len(h.Recounted) > 0
}

// joinedError is the error of a file with several journals: only the last run would be read, and hide the others.
type joinedError int

func (e joinedError) Error() string {
	return fmt.Sprintf("the line %d begins another run: journals were joined in this file, which nobody reads as one\n"+
		"give each its own file, which begins with its header; arena merge puts shards together", int(e))
}

// JournalFooter is the last line.
type JournalFooter struct {
	DurationMS  float64 `json:"duration_ms"`
	Interrupted bool    `json:"interrupted,omitempty"`
	// Unfinished counts trials of the plan that did not finish.
	Unfinished int      `json:"unfinished,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	// Shard is what a shard contributes to the merged run; nil: not a shard.
	Shard *ShardEnd `json:"shard,omitempty"`
}

type trialLine struct {
	Index int    `json:"index"`
	Trial *Trial `json:"trial"`
	// Judging: see Trial.
	Judging string `json:"judging,omitempty"`
}

// EncodeLine writes a trial as its journal line. The workers call it, so that no single goroutine has to encode all
// trials.
func EncodeLine(t *Trial) ([]byte, error) {
	var b bytes.Buffer
	return EncodeLineIn(&b, t)
}

// EncodeLineIn is EncodeLine with a buffer for the line.
func EncodeLineIn(room *bytes.Buffer, t *Trial) ([]byte, error) {
	room.Reset()
	enc := json.NewEncoder(room)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(trialLine{t.Index, t, t.Judging}); err != nil {
		return nil, fmt.Errorf("encode trial %s: %w", t.ID, err)
	}
	return room.Bytes(), nil
}

// DecodeLine reads what EncodeLine wrote.
func DecodeLine(line []byte) (*Trial, error) {
	var l struct {
		Index   int             `json:"index"`
		Trial   json.RawMessage `json:"trial"`
		Judging string          `json:"judging"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, jsonvalue.Explain(err)
	}
	t, err := DecodeTrial(l.Trial, l.Index)
	if err != nil {
		return nil, err
	}
	t.Judging = l.Judging
	return t, nil
}

// Readable says why a reader would ignore the line; nil: it would not. Lines that arena encoded are readable, so they
// are not decoded unless edited says that their text was changed.
func Readable(line []byte, edited bool) error {
	if !edited && !bytes.Contains(line, replacement) &&
		bytes.Count(line, openList)+bytes.Count(line, openObject) < maxNesting {
		return nil
	}
	t, err := DecodeLine(line)
	if err != nil {
		return err
	}
	if err := t.CheckComplete(); err != nil {
		return err
	}
	return t.CheckConsistency(line)
}

// maxNesting is the highest depth that the JSON decoder of the standard library reads.
const maxNesting = 10_000

var (
	openList, openObject = []byte("["), []byte("{")
	replacement          = []byte(`\ufffd`) // written by the encoder for invalid UTF-8: keys may have become equal
)

var lineBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Syncer is a file with the methods that the journal needs.
type Syncer interface {
	io.Writer
	io.ReaderAt
	Sync() error
}

// Journal writes trials to a file and reads them back. Append belongs to one goroutine. Trial and Raw are safe for
// concurrent use after the last write.
type Journal struct {
	file  Syncer
	size  int64
	spans spanTable  // by plan index
	run   *Run       // set by Bind; nil: trials are addressed by plan index
	mu    sync.Mutex // guards the fields for writing
	err   error      // the first error; nothing is written after it

	openFallback OpenFallback // nil: a write error ends the journal
	moved        error        // the first error that made it switch to the fallback
}

// NewJournal starts a journal in an empty file.
func NewJournal(file Syncer, h JournalHeader) (*Journal, error) {
	j := &Journal{file: file}
	h.Journal = SchemaVersion
	return j, j.line(h)
}

// Continue returns a journal that appends to the file. It never changes existing lines, and an incomplete header has no
// effect. kept are entries that the run keeps, by their index in its plan.
func (l *JournalContent) Continue(file Syncer, h JournalHeader, kept map[int]*Entry) (*Journal, error) {
	j := &Journal{file: file, size: l.size}
	h.Journal, h.Continues = SchemaVersion, true
	for _, i := range slices.Sorted(maps.Keys(kept)) {
		e := kept[i]
		h.Kept = append(h.Kept, [2]int64{int64(i), e.at})
		j.spans.set(i, span{e.trial.at, e.trial.len, true, e.trial.as})
		if e.trial.as != nil {
			as := *e.trial.as
			as.Index = i
			h.Recounted = append(h.Recounted, as)
		}
	}
	if l.unterminated {
		if err := j.write([]byte{'\n'}); err != nil {
			return nil, err
		}
	}
	if err := j.line(h); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, fmt.Errorf("sync journal: %w", err)
	}
	return j, nil
}

// Write writes a finished trial without a sync: it survives the end of the process, but perhaps not a crash of the
// machine. It is safe for concurrent use. After an error, all further writes fail. With a fallback there is no error:
// see Moved.
func (j *Journal) Write(t *Trial, line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.size
	if err := j.keep(line); err != nil {
		return err
	}
	j.spans.set(t.Index, trialSpan(at, line))
	return nil
}

// Append writes finished trials that are not written yet, and syncs once. When it returns nil, they survive a crash of
// the machine.
func (j *Journal) Append(done []TrialDone) error {
	for _, d := range done {
		if d.Line == nil {
			continue
		}
		if err := j.Write(d.Trial, d.Line); err != nil {
			return err
		}
	}
	return j.sync()
}

// Close writes the footer. The file stays open, because reports read it. Header and footer are not synced: they hold no
// paid results. An earlier error is not reported again.
func (j *Journal) Close(f JournalFooter) error {
	if j.err != nil {
		return nil
	}
	return j.line(struct {
		End JournalFooter `json:"end"`
	}{f})
}

func (j *Journal) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode journal: %w", err)
	}
	return j.write(append(b, '\n'))
}

func (j *Journal) write(b []byte) error {
	if j.err != nil {
		return j.err
	}
	if _, err := j.file.Write(b); err != nil {
		j.err = fmt.Errorf("write journal: %w", err)
		return j.err
	}
	j.size += int64(len(b))
	return nil
}

// Bind makes the journal the Source of a finished run.
func (j *Journal) Bind(run *Run) {
	j.run, run.Trials = run, j
}

// Raw implements Source.
func (j *Journal) Raw(i int) ([]byte, error) {
	s, err := j.span(i)
	if err != nil {
		return nil, err
	}
	return s.read(j.file)
}

func (j *Journal) span(i int) (span, error) {
	if j.run != nil && (i < 0 || i >= j.run.Briefs.Len()) {
		return span{}, fmt.Errorf("the run has no trial %d", i)
	}
	s, ok := j.spans.get(j.index(i))
	if !ok {
		return span{}, fmt.Errorf("trial %d is not in the journal", j.index(i))
	}
	return s, nil
}

// index is the plan index of a trial of the run.
func (j *Journal) index(i int) int {
	if j.run == nil {
		return i
	}
	return j.run.Briefs.index(i)
}

// Trial implements Source.
func (j *Journal) Trial(i int) (*Trial, error) {
	s, err := j.span(i)
	if err != nil {
		return nil, err
	}
	return s.decode(j.file, j.index(i))
}

// DecodeTrial reads a trial from the journal or results.json, which do not contain its plan index. Numbers in free-form
// values keep all digits.
func DecodeTrial(raw []byte, index int) (*Trial, error) {
	t := &Trial{}
	if _, err := decode(raw, t); err != nil {
		return nil, err
	}
	t.Index, t.Counted = index, nil // Counted is set by the fold
	return t, nil
}

// DecodePart decodes some fields of a trial from the journal or results.json into a zero value.
func DecodePart[T any](raw []byte, v *T) error {
	if jsonread.DecodePart(raw, v) {
		return nil
	}
	*v = *new(T)
	return json.Unmarshal(raw, v)
}

// decode decodes JSON, mostly written by arena, into a zero value. Numbers in free-form values keep all digits.
// distinct: no object has duplicate keys; false: not known.
func decode[T any](raw []byte, v *T) (distinct bool, err error) {
	decoded, distinct := jsonread.DecodeDistinct(raw, v)
	if decoded {
		return distinct, nil
	}
	*v = *new(T)
	return false, unmarshal(raw, v)
}

// DecodeRun reads the part of results.json about the whole run.
func DecodeRun(raw []byte) (*Run, error) {
	r := &Run{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, jsonvalue.Explain(err)
	}
	return r, nil
}

// unmarshal keeps every digit of the numbers in arguments.
func unmarshal(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return jsonvalue.Explain(dec.Decode(v))
}

// ErrNotJournal says that a file is not a journal.
var ErrNotJournal = errors.New("not a journal of arena")
