package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// sessionLogs writes the conversations of a run as event logs, which other tools read too: a file for each trial. While
// a conversation goes on its file ends in .part, so that one that broke off is told from one that ended. Nil writes
// nothing.
type sessionLogs struct {
	dir    string
	open   map[string]*sessionLog // by the id of the trial
	broken bool                   // a write failed, and was told
}

type sessionLog struct {
	*recording.EventLog
	file *os.File
}

// openSessionLogs prepares the folder, when the files ask for recordings.
func openSessionLogs(suite *scenario.Suite, out string) (*sessionLogs, error) {
	for _, p := range suite.Projects {
		o := p.Defaults.Output.Recording
		if !o.Enabled {
			continue
		}
		dir := o.Dir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(out, dir)
		}
		if err := harness.WritableDir(dir); err != nil {
			return nil, err
		}
		return &sessionLogs{dir: dir, open: map[string]*sessionLog{}}, nil
	}
	return nil, nil
}

// handle writes what an event says of a conversation. After the first failure nothing else is tried.
func (l *sessionLogs) handle(e result.Event) error {
	if l == nil || l.broken {
		return nil
	}
	err := l.write(e)
	if err != nil {
		l.broken = true
		return fmt.Errorf("cannot record the conversation: %w", err)
	}
	return nil
}

func (l *sessionLogs) write(e result.Event) error {
	switch e := e.(type) {
	case result.MessageCreated:
		log, err := l.of(e.Trial)
		if err != nil {
			return err
		}
		return log.Append(*e.Message, e.Time)
	case result.TrialDone:
		log := l.open[e.Trial.ID]
		if log == nil {
			return nil
		}
		delete(l.open, e.Trial.ID)
		if err := log.file.Close(); err != nil {
			return err
		}
		return os.Rename(log.file.Name(), l.path(e.Trial.ID))
	}
	return nil
}

func (l *sessionLogs) path(trial string) string {
	return filepath.Join(l.dir, recording.FileName(trial)+".jsonl")
}

// of is the log of a trial, which its first message opens.
func (l *sessionLogs) of(trial string) (*sessionLog, error) {
	if log := l.open[trial]; log != nil {
		return log, nil
	}
	file, err := os.Create(l.path(trial) + ".part")
	if err != nil {
		return nil, err
	}
	events, err := recording.NewEventLog(file, trial)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.open[trial] = &sessionLog{EventLog: events, file: file}
	return l.open[trial], nil
}

// close lets go of the conversations that did not end.
func (l *sessionLogs) close() error {
	if l == nil {
		return nil
	}
	var errs []error
	for _, log := range l.open {
		errs = append(errs, log.file.Close())
	}
	return errors.Join(errs...)
}
