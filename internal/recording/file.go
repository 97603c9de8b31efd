package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

// Options say how to read files. The zero value detects the format.
type Options struct {
	// Type is the format according to the user, one of Types. A file of another format is read as that, with a note.
	Type   string
	Limits Limits
	// SkipUnreadable leaves out conversations with problems, and reports them by File.Skipped. It is an error if
	// nothing else is left, or if a problem may concern any conversation.
	SkipUnreadable bool
	// Name is what the file is called in messages; "": its path.
	Name string
}

// File is an open recording: its sessions and their positions. Messages stay on disk.
type File struct {
	name     string
	dir      string // its folder; "": none
	format   format
	limits   Limits
	open     func() (source, error)
	entries  []*entry
	refs     []Ref
	notes    []string
	missing  int
	declared []result.Declared // by the projects of the run; nil: not known
	skip     bool              // see Options.SkipUnreadable
	skipped  []diag.Diagnostic
}

// source is the content of a file.
type source interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Error is all problems of a file.
type Error struct {
	Problems []diag.Diagnostic // at least one
}

// Error lists the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Pos.String() + ": " + p.Msg
	}
	return strings.Join(lines, "\n")
}

// Open finds the sessions of a file and reads each once, so that all problems are known before the first is used. The
// error is an *Error unless the file cannot be read.
func Open(path string, o Options) (*File, error) {
	f := &File{
		name: cmp.Or(o.Name, path), dir: filepath.Dir(path), skip: o.SkipUnreadable,
		open: func() (source, error) { return openDisk(path) },
	}
	return f, f.index(o)
}

func (f *File) index(o Options) error {
	f.limits = o.Limits.withDefaults()
	problems := &diag.List{}
	checkHint(o.Type, problems, f.name)
	in, err := f.open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	s := &scan{in: in, size: in.Size(), file: f.name, limits: f.limits, problems: problems, skip: f.skip}
	if !f.unpack(s) {
		return &Error{problems.Sorted()}
	}
	if found := s.detect(); found != nil {
		f.format = *found
		if found.contradicts(o.Type) {
			s.notef("read as %s, which is what it holds, not as type %s", found.name, o.Type)
		}
		found.scan(s)
	}
	if s.err == nil && len(s.index.entries) == 0 && problems.Errors() == 0 {
		s.errorf(diag.Pos{File: f.name}, "empty-recording", "there is no message in the file, read as %s", f.format.name)
	}
	f.entries, f.notes, f.missing, f.declared = s.index.entries, s.notes, s.missing, s.declared
	problems = f.leaveOut(problems, s.stopped)
	if s.err == nil && problems.Errors() < maxProblems {
		s.err = f.verify(s.in, problems)
	}
	if s.err != nil {
		return fmt.Errorf("read %s: %w", f.name, s.err)
	}
	if problems.Errors() > 0 {
		return &Error{problems.Sorted()}
	}
	return nil
}

// verify reads every session once to find its problems, and keeps its Ref.
func (f *File) verify(in io.ReaderAt, problems *diag.List) error {
	f.refs = make([]Ref, 0, len(f.entries))
	unread := map[*entry]bool{}
	ids := map[string]int{}
	words := map[string]string{}
	for i, e := range f.entries {
		found := problems
		if f.skip {
			found = &diag.List{}
		}
		s, err := f.read(in, e, found)
		if err != nil {
			return err
		}
		if f.skip && s == nil {
			unread[e] = true
			f.skipped = append(f.skipped, found.Sorted()[0])
			continue
		}
		if problems.Errors() >= maxProblems {
			return nil
		}
		if s == nil {
			continue
		}
		id, own := f.unique(ids, s.ID, i), ""
		if s.ID != "" && id != s.ID {
			own = intern(words, s.ID)
		}
		f.refs = append(f.refs, Ref{
			ID: id, Own: own, Scenario: intern(words, s.Scenario), Provider: intern(words, s.Provider),
			Model: intern(words, s.Model), Region: intern(words, s.Region), TaskType: intern(words, s.TaskType),
			Start: intern(words, s.Start), InWorkflow: s.InWorkflow(), MissingInfo: s.MissingInfo,
			Declared: result.DeclaredOf(f.declared, s.ID),
			Tags:     s.Tags, Messages: len(s.Messages), Pos: s.Messages[0].Pos,
		})
	}
	if f.withoutUnread(unread); len(f.refs) == 0 && len(f.skipped) > 0 {
		for _, p := range f.skipped[:min(len(f.skipped), maxProblems)] {
			problems.Add(p)
		}
	}
	return nil
}

// unique returns an id that no earlier session has: the session's own, that of the file, or either with a number. ids
// counts their uses.
func (f *File) unique(ids map[string]int, id string, i int) string {
	if id == "" {
		id = stem(f.name)
		if len(f.entries) > 1 {
			id = fmt.Sprintf("%s#%d", id, i+1)
		}
	}
	name := id
	for ids[name] > 0 {
		ids[id]++
		name = fmt.Sprintf("%s#%d", id, ids[id])
	}
	ids[name]++
	return name
}

// stem is the name of a file without folder and extensions.
func stem(path string) string {
	base := filepath.Base(path)
	name, _, _ := strings.Cut(base, ".")
	if name == "" {
		return base
	}
	return name
}

func intern(words map[string]string, s string) string {
	if w, ok := words[s]; ok {
		return w
	}
	words[s] = strings.Clone(s)
	return words[s]
}

// Path is the path of the file as it was opened.
func (f *File) Path() string { return f.name }

// Format is the format of the file.
func (f *File) Format() Format { return f.format.name }

// Sessions returns the sessions in the order of the file. Callers must not change the list.
func (f *File) Sessions() []Ref { return f.refs }

// Notes returns remarks about the file, for people.
func (f *File) Notes() []string { return f.notes }

// Missing is the number of conversations that are not in the file because its run was stopped.
func (f *File) Missing() int { return f.missing }

// Load reads the i-th session. It is safe for concurrent use.
func (f *File) Load(i int) (*Session, error) {
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	problems := &diag.List{}
	s, err := f.read(in, f.entries[i], problems)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", f.name, err)
	case problems.Errors() > 0:
		return nil, &Error{problems.Sorted()}
	case len(s.Messages) != f.refs[i].Messages:
		return nil, fmt.Errorf("read %s: %w", f.name, errChanged)
	}
	s.ID = f.refs[i].ID
	return s, nil
}

var errChanged = errors.New("the file has changed since it was opened")

// disk is a file with its size.
type disk struct {
	*os.File
	size int64
}

func (d disk) Size() int64 { return d.size }

func openDisk(path string) (source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	return disk{file, info.Size()}, nil
}
