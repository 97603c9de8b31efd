package spans

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
)

const (
	usualFile = "spans.jsonl"
	lineFile  = ".jsonl" // is how the names of files end that may have spans
)

// Folder reads the spans that a program writes into files of a folder, piece by piece. In its file spans.jsonl, each
// line is a span. Other files whose names end in .jsonl may be about something else.
type Folder struct {
	path  string
	files map[string]*piecewise
	other map[string]bool // other entries that were found
}

// piecewise is the state of a file of lines.
type piecewise struct {
	usual bool  // it is for spans
	at    int64 // up to where it was read
	some  bool  // it has spans
	bad   error // why lines are invalid
}

// NewFolder reads the files of a folder.
func NewFolder(path string) *Folder {
	return &Folder{path: path, files: map[string]*piecewise{}, other: map[string]bool{}}
}

// marked is the time of the last change of a folder that MarkEmpty has marked. Whoever makes a file in it changes that.
func marked() time.Time { return time.Unix(946_684_800, 0) }

// MarkEmpty marks a folder that is empty, so that Untouched can tell whether it still is.
func MarkEmpty(path string) error { return os.Chtimes(path, marked(), marked()) }

// Untouched reports whether nothing was made in a folder since it was marked as empty. It costs much less than to list
// the folder.
func Untouched(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && info.ModTime().Equal(marked())
}

// Read returns the spans that were written since the last call: those in complete lines, and if the program has ended
// also in a last line without an end. An error says that a line is lost that is a span or should be one.
func (f *Folder) Read(ended bool) (list []Span, err error) {
	if Untouched(f.path) {
		return nil, nil
	}
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a program may tidy up
		return nil, fmt.Errorf("its traces cannot be read: %w", plainfile.WithoutPath(err))
	}
	var lost []string
	left := int64(MostFile)
	for _, e := range entries {
		name := e.Name()
		if name != usualFile && (!strings.HasSuffix(name, lineFile) || !e.Type().IsRegular()) {
			f.note(e)
			continue
		}
		if f.files[name] == nil {
			f.files[name] = &piecewise{usual: name == usualFile}
		}
		more, err := f.files[name].read(filepath.Join(f.path, name), ended, &left)
		list = append(list, more...)
		if err != nil {
			lost = append(lost, fmt.Sprintf("%s: %v", ellipsis.Runes(name, 80), err))
		}
	}
	if lost != nil {
		return list, fmt.Errorf("traces of the program are lost, and what it did is not known: %s", strings.Join(lost, "; "))
	}
	return list, nil
}

// note notes a file or folder that is not read. An empty one has nothing to read, such as that of a lock.
func (f *Folder) note(e fs.DirEntry) {
	if info, err := e.Info(); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		f.other[e.Name()] = true
	}
}

// Unread names the entries of the folder that were not read as spans; "": none.
func (f *Folder) Unread() string {
	var names []string
	for name := range f.other {
		names = append(names, name)
	}
	for name, file := range f.files {
		if file.bad != nil && !file.usual && !file.some {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	more := ""
	if len(names) > 1 {
		more = " and " + plural.Count(len(names)-1, "other")
	}
	return fmt.Sprintf("%q%s in the folder for traces was not read: spans are read from files whose names end in %s, "+
		"one span a line", ellipsis.Runes(names[0], 80), more, lineFile)
}

// read reads on in a file. left is how many bytes may still be read.
func (p *piecewise) read(path string, ended bool, left *int64) (list []Span, err error) {
	data, err := p.piece(path, *left+1)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was deleted after the folder was listed
		return nil, errors.New("it was removed while it was read")
	case err != nil:
		return nil, err
	case int64(len(data)) > *left:
		return nil, fmt.Errorf("there are more than %d MiB", MostFile>>20)
	}
	if !ended {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	p.at += int64(len(data))
	*left -= int64(len(data))
	bad := Lines(bytes.NewReader(data), func(s Span) { list = append(list, s) })
	p.some = p.some || len(list) > 0
	if p.bad == nil && len(bad) > 0 {
		p.bad = joined(bad)
	}
	if p.usual || p.some {
		return list, p.bad
	}
	return list, nil
}

// piece reads on in a file, at most so many bytes.
func (p *piecewise) piece(path string, most int64) ([]byte, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, plainfile.WithoutPath(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, plainfile.WithoutPath(err)
	case info.Size() < p.at:
		return nil, errors.New("it became shorter: a program must append its spans, and not write the file anew")
	}
	return io.ReadAll(io.NewSectionReader(file, p.at, most))
}

// joined are several errors on one line.
func joined(all []error) error {
	texts := make([]string, len(all))
	for i, err := range all {
		texts[i] = err.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}
