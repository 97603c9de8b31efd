package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/events"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
)

// stdoutName is the file name that means standard output.
const stdoutName = "-"

// eventStream writes the events of a run as JSON lines. A nil stream drops them.
type eventStream struct {
	*events.Writer
	name   string
	file   *os.File // nil: stdout
	plain  bool     // a regular file
	broken bool     // a write failed, and was reported
	closed bool
}

// otherFiles are the files that a run writes besides its reports.
func (f *runFlags) otherFiles() (all []harness.Target) {
	if f.events != "" && f.events != stdoutName {
		all = append(all, harness.Target{What: "events", Path: f.events, Recognizes: harness.StartsWith(events.Start)})
	}
	if f.metrics.File != "" {
		all = append(all, harness.Target{What: "metrics", Path: f.metrics.File, Recognizes: metrics.Wrote, ReadsAll: true})
	}
	return all
}

func sameFile(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	if errX == nil && errY == nil && x == y {
		return true
	}
	infoX, errX := os.Stat(a)
	infoY, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(infoX, infoY)
}

// openEvents opens the stream of --events; nil: none. An existing file is overwritten.
func (a *App) openEvents(name string) (*eventStream, error) {
	switch name {
	case "":
		return nil, nil
	case stdoutName:
		if a.KeepPipes != nil {
			a.KeepPipes()
		}
		s := &eventStream{Writer: events.NewWriter(screen.Data(a.Out)), name: "stdout"}
		s.Scrub = a.secrets.JSON
		return s, nil
	}
	if err := plainfile.MakeDir(filepath.Dir(name)); err != nil {
		return nil, unwritable(name, err)
	}
	mode := os.O_RDWR // to write it again
	if harness.Device(name) {
		mode = os.O_WRONLY
	}
	file, err := os.OpenFile(name, mode|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, unwritable(name, err)
	}
	s := &eventStream{Writer: events.NewWriter(file), name: name, file: file, plain: mode == os.O_RDWR}
	s.Scrub = a.secrets.JSON
	return s, nil
}

func unwritable(name string, err error) error {
	return fmt.Errorf("cannot write events to %s: %w", name, plainfile.WithoutPath(err))
}

// handle writes an event. After a failed write it does nothing.
func (s *eventStream) handle(e result.Event) error {
	if s == nil || s.broken {
		return nil
	}
	if err := s.Handle(e); err != nil {
		s.broken = true
		return unwritable(s.name, err)
	}
	return nil
}

// look writes the file again if somebody removed it during the run.
func (s *eventStream) look() error {
	if !s.plain {
		return nil
	}
	where, err := plainfile.Find(s.file, s.name)
	switch {
	case err != nil || where == plainfile.InPlace:
		return err
	case where == plainfile.Replaced:
		return fmt.Errorf("%s is another file now than the run wrote its events to: what came since is not in it", s.name)
	}
	if err := plainfile.Again(s.file, s.name); err != nil {
		return fmt.Errorf("%s was removed while the run went on, and cannot be written again: %w", s.name, err)
	}
	return fmt.Errorf("%s was removed while the run went on, and was written again", s.name)
}

// close ends the stream, and reports lost events if that was not reported before. A second call does nothing.
func (s *eventStream) close() error {
	if s == nil || s.closed {
		return nil
	}
	s.closed = true
	errs := []error{s.Err()}
	if s.file != nil {
		errs = append(errs, s.look())
		if err := s.file.Close(); err != nil && !s.broken {
			errs = append(errs, unwritable(s.name, err))
		}
	}
	return errors.Join(errs...)
}
