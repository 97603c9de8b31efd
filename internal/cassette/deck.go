package cassette

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/recording"
)

// Deck is a folder with the cassettes of a run. Its fields are set before the run; it is safe for concurrent use then.
type Deck struct {
	Dir    string
	Replay bool // trials are answered from their cassettes; otherwise they are recorded
	Fill   bool // with Replay: trials without a cassette are recorded
	Anew   bool // without Replay: everything is asked anew; otherwise only what an older cassette does not hold
	Strict bool // exchanges that a replay leaves over make the trial an error
	// Redact are the names of JSON fields whose values no cassette holds.
	Redact []string
	// Secrets are texts that no cassette holds, whatever they stand in. They are asked for when a trial begins.
	Secrets func() []string
	Now     func() time.Time
	// Sleep lets recorded waits pass; nil: nobody waits.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Records reports whether a trial may be recorded.
func (d *Deck) Records() bool { return !d.Replay || d.Fill }

// file is the path of a trial's cassette.
func (d *Deck) file(id string) string { return filepath.Join(d.Dir, recording.FileName(id)+".json") }

func (d *Deck) shown(id string) string { return filepath.ToSlash(d.file(id)) }

// Has reports whether there is a cassette for a trial.
func (d *Deck) Has(id string) bool { return there(d.file(d.holder(id))) }

// Check reports what is wrong with the cassettes from which trials are to be answered, wholly or in part, and with the
// folder. Trials that have none are not reported.
func (d *Deck) Check(ids iter.Seq[string], problems *diag.List) {
	if !d.Replay && d.Anew {
		return
	}
	if info, err := os.Stat(d.Dir); err != nil || !info.IsDir() {
		if d.Replay && !d.Fill {
			problems.Errorf(diag.Pos{}, 0, "no-cassettes", "--replay %s: there is no such folder", d.Dir).Hint =
				"record one: arena run --record " + d.Dir
		}
		return
	}
	left := d.files() // of a plan without an end, only as many trials are looked for as have files
	seen := map[string]bool{}
	for id := range ids {
		if left == 0 {
			return
		}
		id = d.holder(id)
		if seen[d.file(id)] { // two trials with one id are refused when the second one is opened
			continue
		}
		data, err := plainfile.Read(d.file(id))
		if !errors.Is(err, fs.ErrNotExist) {
			left--
			seen[d.file(id)] = true
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil && !d.Replay: // told when it cannot be written
		case err != nil:
			problems.Errorf(diag.Pos{File: d.shown(id)}, 0, "unreadable", "%v", reason(err))
		default:
			d.check(d.shown(id), id, data, problems)
		}
	}
}

// Numbers are those that the trials can have in their groups of which the folder holds files, in order; all is true
// where any number may be among them. A folder is looked through that way however many trials a plan has.
func (d *Deck) Numbers() (numbers []int, all bool) {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return nil, !errors.Is(err, fs.ErrNotExist)
	}
	numbers = []int{1} // which the ids of trials that are alone do not show
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		some, whole := recording.Numbers(name)
		if !whole {
			return nil, true
		}
		numbers = append(numbers, some...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), false
}

// files counts what the folder holds.
func (d *Deck) files() int {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return math.MaxInt // each file says for itself why it cannot be read
	}
	return len(entries)
}

// reason is an error of the system without the path, which is told anyway.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Open starts the tape of a trial. again is the command that records it again.
func (d *Deck) Open(id string, simulated bool, again func() string) (*Tape, error) {
	if d == nil {
		return nil, nil
	}
	var secrets []string
	if d.Secrets != nil {
		secrets = d.Secrets()
	}
	t := &Tape{
		deck: d, id: id, simulated: simulated, now: d.Now, again: again,
		pen: pen{deck: d, redactor: newRedactor(secrets, d.Redact)}, secrets: secrets, fields: d.Redact,
		named: map[string]bool{},
	}
	t.base = t.pen
	if simulated {
		began := d.Now()
		t.now = func() time.Time { return began }
	}
	if !d.Replay {
		if !d.Anew {
			t.remember()
		}
		return t, nil
	}
	holder := d.holder(id)
	data, err := plainfile.Read(d.file(holder))
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.Fill:
		return t, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no cassette for this trial: %s is missing; to record it: %s", d.shown(id), again())
	case err != nil:
		return nil, fmt.Errorf("cassette %s: %w", d.shown(holder), reason(err))
	}
	c, err := d.open(data, holder)
	if err == nil && c.simulated != simulated {
		err = fmt.Errorf("it was recorded with %s, and this run asks for %s; to record it again: %s",
			whose(c.simulated), whose(simulated), again())
	}
	if err != nil {
		return nil, fmt.Errorf("cassette %s: %w", d.shown(holder), err)
	}
	for _, e := range c.entries {
		if err := e.sign(); err != nil {
			return nil, fmt.Errorf("cassette %s: %w", d.shown(holder), err)
		}
	}
	t.plays, t.entries, t.leftOut = true, c.entries, lowerSet(c.redacted)
	t.pen = pen{deck: d, redactor: newRedactor(secrets, c.redacted)}
	t.plain = pen{deck: d, redactor: newRedactor(nil, c.redacted)}
	t.fields = slices.Concat(d.Redact, c.redacted)
	t.shown = newRedactor(nil, t.fields)
	return t, nil
}

// whose names who answered.
func whose(simulated bool) string {
	if simulated {
		return "a mock or a replay"
	}
	return "a real provider"
}

// Close ends the tape of a trial. A recorded one that finished is on disk then, in the place of an older one; one that
// did not, or that holds less than the older one, leaves that. Of a replay it says what was left over, and is an error
// where the trial must not count.
func (t *Tape) Close(finished bool) (notice string, err error) {
	if err := t.Err(); err != nil || !finished {
		return "", err
	}
	if !t.plays {
		return "", t.save()
	}
	left := t.left()
	if left == "" {
		return "", nil
	}
	text := fmt.Sprintf(
		"the cassette %s holds more than was asked for: %s; to record the trial again: %s --record-mode all",
		t.deck.shown(t.id), left, t.again())
	if t.deck.Strict {
		return "", errors.New(text)
	}
	return text, nil
}

// save puts the cassette on disk.
func (t *Tape) save() error {
	if why := t.spares(); why != "" {
		return fmt.Errorf("the cassette %s was not replaced: %s; delete it first, or record into another folder",
			t.deck.shown(t.id), why)
	}
	entries, err := t.redact()
	if err != nil {
		return &WriteError{fmt.Errorf("the cassette %s could not be written: %w", t.deck.shown(t.id), reason(err))}
	}
	t.entries = entries
	entries = append(entries, t.beyond()...)
	data, err := encode(t.id, &contents{t.simulated, t.deck.Redact, entries})
	if was, missing := plainfile.Read(t.deck.file(t.id)); err == nil && missing == nil && unchanged(was, data) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(t.deck.Dir, 0o755)
	}
	if err == nil {
		err = replace(t.deck.file(t.id), data)
	}
	if err != nil {
		return &WriteError{fmt.Errorf("the cassette %s could not be written: %w", t.deck.shown(t.id), reason(err))}
	}
	return nil
}

// WriteError says that a cassette could not be written, as on a full disk: the next one will not be either.
type WriteError struct{ error }

func (e *WriteError) Unwrap() error { return e.error }

// spares says why an older cassette is worth more than this one; "" when it is not. What a model was paid for is not
// replaced by the replies of a mock, and a whole conversation not by one in which nobody could be reached.
func (t *Tape) spares() string {
	broken := failures(t.entries)
	if !t.simulated && broken == 0 {
		return ""
	}
	data, err := plainfile.Read(t.deck.file(t.id))
	if err != nil {
		return ""
	}
	switch was, err := t.deck.open(data, t.id); {
	case err != nil:
		return ""
	case t.simulated && !was.simulated:
		return "it holds the replies of a real provider, and a mock answered now"
	case broken > 0 && failures(was.entries) == 0:
		return "it holds no error, and what was recorded now does"
	case broken > 0 && len(was.entries)-failures(was.entries) > len(t.entries)-broken+len(t.beyond()):
		return "it holds more replies than what was recorded now, which ended in an error"
	}
	return ""
}

// failures counts the exchanges that ended in an error.
func failures(list []*entry) (n int) {
	for _, e := range list {
		if e.failure != nil {
			n++
		}
	}
	return n
}

// left tells the exchanges that were not played.
func (t *Tape) left() string {
	var names []string
	counts := map[string]int{}
	for _, e := range t.entries {
		if e.used {
			continue
		}
		name := fmt.Sprintf("%s (%s)", e.kind, e.at)
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	const limit = 3
	more := ""
	if len(names) > limit {
		more = fmt.Sprintf(" and %d more", len(names)-limit)
		names = slices.Delete(names, limit, len(names))
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = fmt.Sprintf("%s ×%d", name, n)
		}
	}
	return strings.Join(names, ", ") + more
}
