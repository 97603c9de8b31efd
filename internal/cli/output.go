package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
		for _, f := range c.formats {
			if f == format {
				return true
			}
		}
		return false
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
	add("html", c.html, "report.html", func(w io.Writer, r *result.Run) error {
		return html.Write(w, r, html.Options{Rerun: c.rerun})
	})
	add("junit", c.junit, "junit.xml", func(w io.Writer, r *result.Run) error {
		return junit.Write(w, r, junit.Options{Granularity: junit.Granularity(c.granularity), Rerun: c.rerun})
	})
	add("markdown", c.md, "results.md", func(w io.Writer, r *result.Run) error {
		return markdown.Write(w, r, markdown.Options{Rerun: c.rerun})
	})
	o.reports = append(o.reports, reportFile{"json", filepath.Join(o.dir, resultsName), jsonout.Write})
	return o
}

// prepare makes sure that every file can be written before anything is paid for.
func (o *outputs) prepare() error {
	var errs []error
	tried := map[string]error{}
	paths := []string{filepath.Join(o.dir, journalName)}
	for _, r := range o.reports {
		paths = append(paths, r.path)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		if _, done := tried[dir]; !done {
			tried[dir] = writableDir(dir)
		}
		err := tried[dir]
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			err = errors.New("it is a folder")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot write %s: %w", path, err))
		}
	}
	return errors.Join(errs...)
}

func writableDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".arena-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// openJournal starts an empty journal. The journal of the run before is kept under another name, because it may hold
// results that were paid for; reports that it left are removed, so that none can be taken for this run's.
func (o *outputs) openJournal() (*os.File, error) {
	path := filepath.Join(o.dir, journalName)
	if err := os.Rename(path, filepath.Join(o.dir, previousName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, r := range o.reports {
		if err := os.Remove(r.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
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

// save writes beside the target and renames: a report is whole or not there.
func (r *reportFile) save(run *result.Run) (err error) {
	f, err := os.CreateTemp(filepath.Dir(r.path), ".arena-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(r.write(w, run), w.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), r.path)
}

// paths lists the reports as the summary shows them.
func (o *outputs) paths() []string {
	out := make([]string, len(o.reports))
	for i, r := range o.reports {
		out[i] = r.path
	}
	return out
}
