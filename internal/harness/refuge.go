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

// refuge is where the journal of a run goes on when its file takes no more, as on a full disk: a whole copy of it in
// another folder, or else in memory. What is in flight then is paid for.
type refuge struct {
	path   string // of the journal
	home   *os.File
	places []string // folders that were not tried yet
	tried  []string // and those that were
	why    error    // of the first move; nil: there was none
	size   int64    // of home at that time
	copies []*os.File
	now    result.Syncer // where the journal is; nil: at home
	atHome bool          // it was brought home again
}

// newRefuge is one for a journal. What is temporary is the second choice: it may not outlive the machine's next start.
func newRefuge(path string, home *os.File) *refuge {
	return &refuge{path: path, home: home, places: refugePlaces()}
}

func refugePlaces() []string { return []string{".", os.TempDir()} }

// refugePattern is the name of a journal in another folder than its own.
const refugePattern = "journal.rescued-*.jsonl"

// open is a result.Elsewhere. It never fails: at last there is memory.
func (r *refuge) open(file io.ReaderAt, size int64, why error) (result.Syncer, error) {
	if r.why == nil {
		r.why, r.size = why, size
		_ = r.home.Truncate(size) // half a line, which readers pass over
	}
	for len(r.places) > 0 {
		place := r.places[0]
		r.places, r.tried = r.places[1:], append(r.tried, place)
		if elsewhere := r.copyTo(place, file, size); elsewhere != nil {
			r.now = elsewhere
			return elsewhere, nil
		}
	}
	r.now = &tail{file: file, from: size}
	return r.now, nil
}

// copyTo copies a journal into a folder; nil: there is no room.
func (r *refuge) copyTo(dir string, file io.ReaderAt, size int64) *os.File {
	elsewhere := newCopy(dir)
	if elsewhere == nil {
		return nil
	}
	r.copies = append(r.copies, elsewhere)
	if err := copyOver(elsewhere, file, 0, size); err != nil {
		_ = elsewhere.Truncate(0) // its room is free at once
		return nil
	}
	return elsewhere
}

// newCopy makes a file for a copy, under the first name that is free; nil: there can be none.
func newCopy(dir string) *os.File {
	const names = 1000
	for n := range names {
		path := filepath.Join(dir, strings.Replace(refugePattern, "*", strconv.Itoa(n+1), 1))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f
		}
	}
	return nil
}

// copyOver copies a part of a file to the end of another, and syncs it.
func copyOver(to *os.File, from io.ReaderAt, begin, end int64) error {
	n, err := io.Copy(to, io.NewSectionReader(from, begin, end-begin))
	if err == nil && n < end-begin {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, to.Sync())
}

// settle ends the writing, at a size of the journal. It brings home what went elsewhere, or says where it is.
func (r *refuge) settle(size int64) error {
	if r == nil || r.why == nil {
		return nil
	}
	if err := copyOver(r.home, r.now, r.size, size); err == nil {
		r.atHome = true
		return nil
	}
	_ = r.home.Truncate(r.size)
	if _, inMemory := r.now.(*tail); inMemory {
		r.tryAgain(size)
	}
	if f, ok := r.now.(*os.File); ok {
		return fmt.Errorf("%s lacks the trials that ended since then: the whole journal is %s\nwhen there is room again, "+
			"--resume takes it over; for its reports now: arena report %[2]s -o FOLDER", r.path, placeOf(f))
	}
	return fmt.Errorf("%s lacks the trials that ended since then, and no file has them: there is no room in %s either\n"+
		"their cost is in the sum; --resume pays for them again", r.path, strings.Join(r.tried, " and "))
}

// placeOf is the path of a file, as people need it in a folder that they may have left.
func placeOf(f *os.File) string {
	if abs, err := filepath.Abs(f.Name()); err == nil {
		return abs
	}
	return f.Name()
}

// tryAgain looks for room once more.
func (r *refuge) tryAgain(size int64) {
	for _, place := range r.tried {
		if elsewhere := r.copyTo(place, r.now, size); elsewhere != nil {
			r.now = elsewhere
			return
		}
	}
}

// moved reports whether the journal is not at home.
func (r *refuge) moved() bool { return r != nil && r.why != nil && !r.atHome }

// close closes the copies, and removes those that nobody needs.
func (r *refuge) close() (err error) {
	if r == nil {
		return nil
	}
	for _, f := range r.copies {
		err = errors.Join(err, f.Close())
		if r.atHome || f != r.now {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	return err
}

// tail is the end of a file, in memory.
type tail struct {
	file io.ReaderAt // what is before it
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

// ReadAt implements io.ReaderAt. The file may go on behind where the tail begins.
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
