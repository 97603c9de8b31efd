package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// sessionLogs writes the conversations of a run as event logs, which other tools can read: a file for each trial. The
// file of an unfinished conversation ends in .part. A nil sessionLogs does nothing.
type sessionLogs struct {
	dir     string
	judged  map[string]bool        // ids of trials without a conversation of their own
	open    map[string]*sessionLog // by id of the trial
	broken  bool                   // a write failed, and was reported
	keepErr error                  // why the conversation of a kept trial could not be written

	inResultsFolder bool             // dir is in the results folder
	release         func() error     // unlocks dir; nil: not locked
	secrets         *harness.Secrets // removed from every conversation that is written
}

type sessionLog struct {
	*recording.EventLog
	file *os.File
}

// openSessionLogs prepares the folder, if the files ask for recordings and the plan has conversations.
func openSessionLogs(
	suite *scenario.Suite, plan *runner.Plan, out string, secrets *harness.Secrets, now time.Time,
) (*sessionLogs, error) {
	for _, p := range suite.Projects {
		o := p.Defaults.Output.Recording
		if !o.Enabled {
			continue
		}
		dir := o.Dir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(out, dir)
		}
		l := &sessionLogs{
			dir: dir, inResultsFolder: filepath.IsLocal(o.Dir), secrets: secrets,
			judged: map[string]bool{}, open: map[string]*sessionLog{},
		}
		return l, l.prepare(plan, now)
	}
	return nil, nil
}

// prepare refuses a folder that cannot be written, or from which the run reads.
func (l *sessionLogs) prepare(plan *runner.Plan, now time.Time) error {
	for t := range plan.Groups() { // a recorded conversation is a group of its own
		if t.Recorded != nil {
			l.judged[t.ID()] = true
		}
	}
	if len(l.judged) == plan.Len() {
		return nil
	}
	for _, file := range recordingsOf(plan) {
		if sameFile(filepath.Dir(file), l.dir) {
			return fmt.Errorf("the run would record its conversations in %s, from which it reads %s\n"+
				"name another folder for its results with -o, or move the recordings", l.dir, file)
		}
	}
	if err := harness.WritableDir(l.dir); err != nil || l.inResultsFolder {
		return err
	}
	var err error
	l.release, err = harness.LockTargets(now, harness.Target{What: "conversations", Path: l.dir})
	return err
}

// handle writes an event of a conversation. After a failure it does nothing.
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
		if l.judged[e.Trial] {
			return nil
		}
		log, err := l.of(e.Trial)
		if err != nil {
			return err
		}
		return log.Append(*e.Message, e.Time)
	case result.TrialDone:
		log := l.open[e.At.Trial] // the id in the plan
		if log == nil {
			return nil
		}
		delete(l.open, e.At.Trial)
		if err := log.file.Close(); err != nil {
			return err
		}
		err := os.Rename(log.file.Name(), l.path(e.At.Trial))
		if err != nil && len(e.Trial.Turns) > 0 && l.rebuild(e.Trial, e.Time) == nil { // somebody removed the folder
			return nil
		}
		return err
	}
	return nil
}

// keep writes the conversation of a kept trial if its file is missing or unfinished: the process may have ended right
// after the line in its journal, or did not record then.
func (l *sessionLogs) keep(t *result.Trial, now time.Time) {
	if l == nil || l.judged[t.ID] || l.keepErr != nil || len(t.Turns) == 0 {
		return
	}
	if _, err := os.Stat(l.path(t.ID)); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err := l.rebuild(t, now); err != nil {
		l.keepErr = fmt.Errorf("cannot record the conversation of %s: %w", t.ID, err)
	}
}

// rebuild writes a conversation from its trial, with times relative to now.
func (l *sessionLogs) rebuild(t *result.Trial, now time.Time) error {
	path := l.path(t.ID)
	if err := plainfile.MakeDir(l.dir); err != nil {
		return err
	}
	err := plainfile.Replace(path, 0o644, func(w io.Writer) error {
		log, err := recording.NewEventLog(l.secrets.Lines(w), t.ID)
		if err != nil {
			return err
		}
		if t.System != "" {
			err = log.Append(chat.Message{Role: chat.System, Content: t.System}, now)
		}
		for i := range t.Turns {
			for _, m := range t.Turns[i].Messages {
				now = now.Add(time.Duration(m.LatencyMS * float64(time.Millisecond)))
				err = errors.Join(err, log.Append(m, now))
			}
		}
		return err
	})
	if err == nil {
		_ = os.Remove(path + partSuffix) // remove the unfinished file
	}
	return err
}

// partSuffix marks the file of an unfinished conversation.
const partSuffix = ".part"

func (l *sessionLogs) path(trial string) string {
	return filepath.Join(l.dir, recording.FileName(trial)+".jsonl")
}

// of returns the log of a trial. It opens it at the first message.
func (l *sessionLogs) of(trial string) (*sessionLog, error) {
	if log := l.open[trial]; log != nil {
		return log, nil
	}
	file, err := l.create(l.path(trial) + partSuffix)
	if err != nil {
		return nil, err
	}
	events, err := recording.NewEventLog(l.secrets.Lines(file), trial)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.open[trial] = &sessionLog{EventLog: events, file: file}
	return l.open[trial], nil
}

// create creates a file, and its folder again if somebody removed it, even at the same moment.
func (l *sessionLogs) create(path string) (file *os.File, err error) {
	for range 10 {
		if file, err = os.Create(path); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
		if err = plainfile.MakeDir(l.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}

// unfinished warns of unfinished files.
func (l *sessionLogs) unfinished() (list []diag.Diagnostic) {
	if l == nil {
		return nil
	}
	for _, trial := range slices.Sorted(maps.Keys(l.open)) {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "recording-unfinished", Msg: fmt.Sprintf(
			"the recording of %s did not end: what there is of it is in %s", trial, l.open[trial].file.Name())})
	}
	return list
}

// close closes the files of unfinished conversations.
func (l *sessionLogs) close() error {
	if l == nil {
		return nil
	}
	errs := []error{l.keepErr}
	for _, log := range l.open {
		errs = append(errs, log.file.Close())
	}
	if l.release != nil {
		errs = append(errs, l.release())
	}
	return errors.Join(errs...)
}
