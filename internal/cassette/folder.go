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

// Folder is a folder with the cassettes of a run. Set its fields before the run; then it is safe for concurrent use.
type Folder struct {
	Dir       string
	Replay    bool // trials are replayed; otherwise they are recorded
	Fill      bool // with Replay: trials without a cassette are recorded
	RecordAll bool // without Replay: every request is sent; otherwise equal ones in an older cassette are reused
	// Continue says that the run resumes another one: the answers that its interrupted trials got are reused, also with
	// RecordAll. Without RecordAll they always are.
	Continue bool
	Spare    string // folder for the answers of interrupted trials if Dir cannot be written; "": none
	Strict   bool   // unused exchanges of a replay make the trial an error
	// Redact are the names of JSON fields whose values are not recorded.
	Redact []string
	// Secrets returns texts that must not be in any cassette. It is called when a trial starts.
	Secrets func() []string
	Now     func() time.Time
	// Sleep waits for recorded delays; nil: a replay does not wait.
	Sleep func(ctx context.Context, d time.Duration) error

	// Tapes notes the trials whose cassettes go to another machine; nil: none do.
	Tapes *Tapes

	fields fieldLog
	unread unreadParts
	kept   plainfile.Kept
}

// Gone returns a warning if cassettes that this run wrote are not there any more. d may be nil.
func (d *Folder) Gone() []diag.Diagnostic {
	if d == nil {
		return nil
	}
	path := d.kept.Gone()
	if path == "" {
		return nil
	}
	return []diag.Diagnostic{{Severity: diag.Warning, Code: "cassette-gone", Msg: fmt.Sprintf(
		"somebody removed cassettes from %s while the run went on, and they cannot be replayed: %s is gone",
		filepath.ToSlash(d.Dir), filepath.ToSlash(path)), Hint: "record again"}}
}

// Records reports whether trials may be recorded.
func (d *Folder) Records() bool { return !d.Replay || d.Fill }

// file is the path of a trial's cassette.
func (d *Folder) file(id string) string { return filepath.Join(d.Dir, recording.FileName(id)+".json") }

func (d *Folder) displayPath(id string) string { return filepath.ToSlash(d.file(id)) }

// Has reports whether there is a cassette for a trial.
func (d *Folder) Has(t Trial) bool { return exists(d.file(d.nameOf(t))) }

// reportMissing reports that the folder to replay from does not exist, or is a file.
func (d *Folder) reportMissing(isFile bool, problems *diag.List) {
	if isFile {
		problems.Errorf(diag.Pos{}, 0, "no-cassettes", "--replay %s: that is a file, not a folder", d.Dir).
			Hint = "name the folder of the recording, which arena run --record made"
		return
	}
	hint := "record one: arena run --record " + d.Dir
	var folders []string
	entries, _ := os.ReadDir(filepath.Dir(d.Dir)) // an unreadable folder gives no hint
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	if near := diag.Nearest(filepath.Base(d.Dir), folders); near != "" {
		hint = fmt.Sprintf("did you mean %q? To record again: arena run --record %s",
			filepath.Join(filepath.Dir(d.Dir), near), d.Dir)
	}
	problems.Errorf(diag.Pos{}, 0, "no-cassettes", "--replay %s: there is no such folder", d.Dir).Hint = hint
}

// Check reports problems in the folder, in the cassettes that trials replay or reuse, and in the paths that will be
// written. Missing cassettes are not reported.
func (d *Folder) Check(trials iter.Seq[Trial], problems *diag.List) {
	if info, err := os.Stat(d.Dir); err != nil || !info.IsDir() {
		if d.Replay && !d.Fill {
			d.reportMissing(err == nil, problems)
		}
		return
	}
	left := d.countFiles() // stop a long plan when all files are read
	seen := map[string]bool{}
	for t := range trials {
		if left == 0 {
			return
		}
		id := d.nameOf(t)
		if seen[d.file(id)] { // Open refuses the second trial with the same id
			continue
		}
		data, err := plainfile.Read(d.file(id))
		if !errors.Is(err, fs.ErrNotExist) {
			left--
			seen[d.file(id)] = true
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && !d.Replay && d.RecordAll: // the old cassette will be replaced, whatever it holds
		case err != nil:
			problems.Errorf(diag.Pos{File: d.displayPath(id)}, 0, "unreadable", "%v", plainfile.WithoutPath(err))
		default:
			d.checkFile(d.displayPath(id), id, data, problems)
		}
	}
}

// Numbers returns the sorted trial numbers in the file names of the folder. all is true when any number is possible.
// Its cost does not depend on the number of trials in the plan.
func (d *Folder) Numbers() (numbers []int, all bool) {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return nil, !errors.Is(err, fs.ErrNotExist)
	}
	numbers = []int{1} // a trial without a number in its id has number 1
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

// countFiles is the number of files in the folder.
func (d *Folder) countFiles() int {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return math.MaxInt // Check reports the error of each file
	}
	return len(entries)
}

// Open starts recording or replaying a trial. again returns the command that records the trial again; with all set, the
// command repeats every call.
func (d *Folder) Open(t Trial, simulated bool, again func(all bool) string) (*Recorder, error) {
	if d == nil {
		return nil, nil
	}
	var secrets []string
	if d.Secrets != nil {
		secrets = d.Secrets()
	}
	rec := &Recorder{
		folder: d, trial: t, name: d.written(t), simulated: simulated, now: d.Now, recordAgain: again,
		encoder: encoder{folder: d, redactor: newRedactor(secrets, d.Redact).logged(&d.fields)},
		secrets: secrets, redactFields: d.Redact,
		toolNames: map[string]bool{},
	}
	rec.startEncoder = rec.encoder
	if simulated {
		began := d.Now()
		rec.now = func() time.Time { return began }
	}
	if !d.Replay {
		if !d.RecordAll {
			rec.loadOlder()
		}
		rec.openPart()
		return rec, nil
	}
	holder := d.nameOf(t)
	data, err := plainfile.Read(d.file(holder))
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.Fill:
		rec.openPart()
		return rec, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no cassette for this trial: %s is missing; to record it: %s",
			d.displayPath(t.Name), again(false))
	case err != nil:
		return nil, fmt.Errorf("cassette %s: %w", d.displayPath(holder), plainfile.WithoutPath(err))
	}
	c, err := d.open(data, holder)
	if err == nil && c.simulated != simulated {
		err = fmt.Errorf("it was recorded with %s, and this run asks for %s; to record it again: %s",
			providerKind(c.simulated), providerKind(simulated), again(false))
	}
	if err != nil {
		return nil, fmt.Errorf("cassette %s: %w", d.displayPath(holder), err)
	}
	for _, e := range c.entries {
		if err := e.sign(); err != nil {
			return nil, fmt.Errorf("cassette %s: %w", d.displayPath(holder), err)
		}
	}
	rec.plays, rec.entries, rec.redactedFields = true, c.entries, lowerSet(c.redacted)
	rec.checkedBy = c.checkedBy
	rec.encoder = encoder{folder: d, redactor: newRedactor(secrets, c.redacted)}
	rec.plainEncoder = encoder{folder: d, redactor: newRedactor(nil, c.redacted)}
	rec.redactFields = slices.Concat(d.Redact, c.redacted)
	rec.replayRedactor = newRedactor(nil, rec.redactFields).logged(&d.fields)
	return rec, nil
}

// providerKind names the kind of provider for messages.
func providerKind(simulated bool) string {
	if simulated {
		return "a mock or a replay"
	}
	return "a real provider"
}

// Close ends a trial. A finished recording replaces the cassette on disk. An unfinished one does not, nor does one that
// holds less than the old cassette. After a replay the notice lists exchanges that were not used; with Strict they are
// an error.
func (rec *Recorder) Close(finished bool) (notice string, err error) {
	if err := rec.Err(); err != nil || !finished {
		rec.partial.close(true)
		return "", err
	}
	if !rec.plays {
		err := rec.save()
		_, unwritten := errors.AsType[*WriteError](err)
		rec.partial.close(unwritten)
		return "", err
	}
	left := rec.unplayed()
	if left == "" {
		return "", nil
	}
	text := fmt.Sprintf(
		"the cassette %s holds more than was asked for: %s; to record the trial again: %s",
		rec.folder.displayPath(rec.name), left, rec.recordAgain(true))
	if rec.folder.Strict {
		return "", errors.New(text)
	}
	return text, nil
}

// save writes the cassette to disk.
func (rec *Recorder) save() error {
	if why := rec.whyNotReplace(); why != "" {
		return fmt.Errorf("the cassette %s was not replaced: %s; delete it first, or record into another folder",
			rec.folder.displayPath(rec.name), why)
	}
	entries, err := rec.redact()
	if err != nil {
		return rec.writeError(err)
	}
	rec.entries = entries
	entries = append(entries, rec.unusedOlder()...)
	data, err := encode(rec.trial.ID, &contents{rec.simulated, rec.checkedBy, rec.folder.Redact, entries})
	if before, missing := plainfile.Read(rec.folder.file(rec.name)); err == nil && missing == nil &&
		unchanged(before, data) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(rec.folder.Dir, 0o755)
	}
	if err == nil {
		err = plainfile.ReplaceSynced(rec.folder.file(rec.name), 0o644, data)
	}
	if err != nil {
		return rec.writeError(err)
	}
	rec.folder.kept.Note(rec.folder.file(rec.name))
	rec.folder.Tapes.note(rec.trial)
	return nil
}

func (rec *Recorder) writeError(err error) *WriteError {
	path := rec.folder.displayPath(rec.name)
	return &WriteError{fmt.Errorf("the cassette %s could not be written: %w", path, plainfile.WithoutPath(err))}
}

// WriteError is returned when a cassette cannot be written, for example to a full disk. Later writes will fail too.
type WriteError struct{ error }

func (e *WriteError) Unwrap() error { return e.error }

// whyNotReplace says why the older cassette must be kept; "" when it can be replaced. A mock does not replace the
// replies of a real model, and a recording with errors does not replace a complete one.
func (rec *Recorder) whyNotReplace() string {
	broken := failures(rec.entries)
	if !rec.simulated && broken == 0 {
		return ""
	}
	data, err := plainfile.Read(rec.folder.file(rec.name))
	if err != nil {
		return ""
	}
	switch before, err := rec.folder.open(data, rec.name); {
	case err != nil:
		return ""
	case rec.simulated && !before.simulated:
		return "it holds the replies of a real provider, and a mock answered now"
	case broken > 0 && failures(before.entries) == 0:
		return "it holds no error, and what was recorded now does"
	case broken > 0 && len(before.entries)-failures(before.entries) > len(rec.entries)-broken+len(rec.unusedOlder()):
		return "it holds more replies than what was recorded now, which ended in an error"
	}
	return ""
}

// failures counts the exchanges with an error.
func failures(list []*entry) (n int) {
	for _, e := range list {
		if e.failure != nil {
			n++
		}
	}
	return n
}

// unplayed describes the exchanges that were not used.
func (rec *Recorder) unplayed() string {
	var names []string
	counts := map[string]int{}
	for _, e := range rec.entries {
		if e.played {
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
