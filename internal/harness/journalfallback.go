package harness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/result"
)

// journalFallback continues the journal of a run when its file cannot be written any more, as on a full disk: in a copy
// in another folder, or else in memory. So running trials are not lost.
type journalFallback struct {
	path     string // of the journal
	home     *os.File
	places   []string // folders not tried yet
	tried    []string // folders tried
	cause    error    // the first write error; nil: none
	size     int64    // size of home at that time
	copies   []*os.File
	current  result.Syncer // the present file; nil: home
	restored bool          // the journal was restored to home
}

// newJournalFallback makes a fallback for a journal. The folder for temporary files comes last: it may be cleared at
// the next start of the machine.
func newJournalFallback(path string, home *os.File) *journalFallback {
	return &journalFallback{path: path, home: home, places: fallbackFolders()}
}

func fallbackFolders() []string { return []string{".", os.TempDir()} }

// fallbackPattern matches the names of copies of journals.
const fallbackPattern = "journal.rescued-*.jsonl"

// open is a result.OpenFallback. It never fails: the last choice is memory.
func (r *journalFallback) open(file io.ReaderAt, size int64, why error) (result.Syncer, error) {
	if r.cause == nil {
		r.cause, r.size = why, size
		_ = r.home.Truncate(size) // an incomplete line, which readers ignore
	}
	for len(r.places) > 0 {
		place := r.places[0]
		r.places, r.tried = r.places[1:], append(r.tried, place)
		if elsewhere := r.copyTo(place, file, size); elsewhere != nil {
			r.current = elsewhere
			return elsewhere, nil
		}
	}
	r.current = &tail{file: file, from: size}
	return r.current, nil
}

// copyTo copies a journal into a folder; nil: no space.
func (r *journalFallback) copyTo(dir string, file io.ReaderAt, size int64) *os.File {
	elsewhere := newCopy(dir)
	if elsewhere == nil {
		return nil
	}
	r.copies = append(r.copies, elsewhere)
	if err := copyOver(elsewhere, file, 0, size); err != nil {
		_ = elsewhere.Truncate(0) // frees its space at once
		return nil
	}
	return elsewhere
}

// newCopy creates a file for a copy with an unused name; nil: impossible.
func newCopy(dir string) *os.File {
	const names = 1000
	for n := range names {
		path := filepath.Join(dir, strings.Replace(fallbackPattern, "*", strconv.Itoa(n+1), 1))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f
		}
	}
	return nil
}

// copyOver appends a part of a file to another one, and syncs it.
func copyOver(to *os.File, from io.ReaderAt, begin, end int64) error {
	n, err := io.Copy(to, io.NewSectionReader(from, begin, end-begin))
	if err == nil && n < end-begin {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, to.Sync())
}

// finish ends the writing at the final size of the journal. It restores the journal to its own file, or says where it
// is.
func (r *journalFallback) finish(size int64) error {
	if r == nil || r.cause == nil {
		return nil
	}
	if err := copyOver(r.home, r.current, r.size, size); err == nil {
		r.restored = true
		return nil
	}
	_ = r.home.Truncate(r.size)
	if _, inMemory := r.current.(*tail); inMemory {
		r.retryFolders(size)
	}
	if f, ok := r.current.(*os.File); ok {
		return fmt.Errorf("%s lacks the trials that ended since then: the whole journal is %s\nwhen there is room again, "+
			"--resume takes it over; for its reports now: arena report %[2]s -o FOLDER", r.path, placeOf(f))
	}
	return fmt.Errorf("%s lacks the trials that ended since then, and no file has them: there is no room in %s either\n"+
		"their cost is in the sum; --resume pays for them again", r.path, strings.Join(r.tried, " and "))
}

// placeOf is the absolute path of a file.
func placeOf(f *os.File) string {
	if abs, err := filepath.Abs(f.Name()); err == nil {
		return abs
	}
	return f.Name()
}

// retryFolders tries the folders once more.
func (r *journalFallback) retryFolders(size int64) {
	for _, place := range r.tried {
		if elsewhere := r.copyTo(place, r.current, size); elsewhere != nil {
			r.current = elsewhere
			return
		}
	}
}

// moved reports whether the journal is not in its own file.
func (r *journalFallback) moved() bool { return r != nil && r.cause != nil && !r.restored }

// close closes the copies, and removes those that are not needed.
func (r *journalFallback) close() (err error) {
	if r == nil {
		return nil
	}
	for _, f := range r.copies {
		err = errors.Join(err, f.Close())
		if r.restored || f != r.current {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	return err
}

// tail is the end of a file, in memory.
type tail struct {
	file io.ReaderAt // the part before it
	from int64
	mu   sync.RWMutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	return len(b), nil
}

// ReadAt implements io.ReaderAt. The file may be longer than the start of the tail.
func (t *tail) ReadAt(b []byte, at int64) (n int, err error) {
	if before := t.from - at; before > 0 {
		want := int(min(before, int64(len(b))))
		if n, err = t.file.ReadAt(b[:want], at); n < want || n == len(b) {
			return n, err
		}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	from := at + int64(n) - t.from
	if from < int64(len(t.data)) {
		n += copy(b[n:], t.data[from:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (t *tail) Sync() error { return nil }
