package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/report/junit"
	"github.com/arena-evals/arena/internal/report/markdown"
	"github.com/arena-evals/arena/internal/result"
)

// The files of a results folder.
const (
	journalName  = "journal.jsonl"
	previousName = "journal.previous.jsonl"
	resultsName  = "results.json"
	htmlName     = "report.html"
	junitName    = "junit.xml"
	markdownName = "results.md"
	defaultOut   = "out"
)

// reportFile is one report to write.
type reportFile struct {
	format, path string
	write        func(io.Writer, *result.Run) error
}

// outputs is where a run leaves its results.
type outputs struct {
	dir     string
	reports []reportFile
	rerun   func(*result.Brief) string
}

// outputChoice is what flags or files say about the output; empty fields are open.
type outputChoice struct {
	dir             string
	formats         []string // nil: all
	junit, html, md string
	granularity     string
	rerun           func(*result.Brief) string
}

// newOutputs settles folder and files. results.json is always written; a report whose file is named is written
// whatever the list of formats says.
func newOutputs(c outputChoice) *outputs {
	o := &outputs{dir: c.dir, rerun: c.rerun}
	if o.dir == "" {
		o.dir = defaultOut
	}
	wants := func(format, file string) bool {
		if file != "" || c.formats == nil {
			return true
		}
		return slices.Contains(c.formats, format)
	}
	add := func(format, file, name string, write func(io.Writer, *result.Run) error) {
		if !wants(format, file) {
			return
		}
		if file == "" {
			file = filepath.Join(o.dir, name)
		}
		o.reports = append(o.reports, reportFile{format, file, write})
	}
	add("html", c.html, htmlName, func(w io.Writer, r *result.Run) error {
		return html.Write(w, r, html.Options{Rerun: c.rerun})
	})
	add("junit", c.junit, junitName, func(w io.Writer, r *result.Run) error {
		return junit.Write(w, r, junit.Options{Granularity: junit.Granularity(c.granularity), Rerun: c.rerun})
	})
	add("markdown", c.md, markdownName, func(w io.Writer, r *result.Run) error {
		return markdown.Write(w, r, markdown.Options{Rerun: c.rerun})
	})
	o.reports = append(o.reports, reportFile{"json", filepath.Join(o.dir, resultsName), jsonout.Write})
	return o
}

// prepare makes sure that every file can be written before anything is paid for.
func (o *outputs) prepare() error {
	var errs []error
	tried := map[string]bool{}
	for _, path := range o.files() {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			errs = append(errs, fmt.Errorf("cannot write %s: it is a folder", path))
		}
		if dir := filepath.Dir(path); !tried[dir] {
			tried[dir] = true
			errs = append(errs, writableDir(dir))
		}
	}
	return errors.Join(errs...)
}

// files are those that a run writes.
func (o *outputs) files() []string {
	return append([]string{filepath.Join(o.dir, journalName)}, o.paths()...)
}

// writableDir makes a folder and tries to write into it.
func writableDir(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".arena-*"); err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // its path may be that of the file that was tried
	}
	return fmt.Errorf("cannot write into the folder %s: %w", dir, err)
}

// openJournal starts an empty journal. The journal of the run before is kept under another name, because it may hold
// results that were paid for; reports that it left are removed, so that none can be taken for this run's.
func (o *outputs) openJournal() (*os.File, error) {
	path := filepath.Join(o.dir, journalName)
	if err := os.Rename(path, filepath.Join(o.dir, previousName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, old := range o.leftovers() {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
}

// leftovers are the reports that a run before may have left: those that this one will write, and in the folder of a
// run also those of other formats.
func (o *outputs) leftovers() []string {
	old := o.paths()
	if exists(filepath.Join(o.dir, previousName)) {
		for _, name := range []string{htmlName, junitName, markdownName} {
			old = append(old, filepath.Join(o.dir, name))
		}
	}
	return old
}

// writeAll writes every report; one that fails does not keep the others from being written.
func (o *outputs) writeAll(run *result.Run) error {
	var errs []error
	for _, r := range o.reports {
		if err := r.save(run); err != nil {
			errs = append(errs, fmt.Errorf("write %s: %w", r.path, err))
		}
	}
	return errors.Join(errs...)
}

func (r *reportFile) save(run *result.Run) error {
	return writeWhole(r.path, func(w io.Writer) error { return r.write(w, run) })
}

// writeWhole writes beside the target and renames: a file is whole or not there.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".arena-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// paths lists the reports as the summary shows them.
func (o *outputs) paths() []string {
	out := make([]string, len(o.reports))
	for i, r := range o.reports {
		out[i] = r.path
	}
	return out
}
