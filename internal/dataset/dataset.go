// Package dataset reads the rows for which a scenario is run once each: from JSON lines, CSV, and lists in JSON and
// YAML. A file is read as a stream and never held as a whole, except YAML, which has to be; rows come back in any
// order.
package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
)

// Extensions are the file name extensions of the formats.
var Extensions = []string{".csv", ".json", ".jsonl", ".ndjson", ".tsv", ".yaml", ".yml"}

// Known reports whether the name of a file shows its format.
func Known(name string) bool { return slices.Contains(Extensions, extension(name)) }

func extension(name string) string { return strings.ToLower(filepath.Ext(name)) }

// Source is an open file. Info is nil for what is held in memory.
type Source struct {
	io.ReaderAt
	io.Closer

	Size int64
	Info fs.FileInfo
}

// isStill reports whether the source is the one of before, as far as the file system tells.
func (s *Source) isStill(size int64, before fs.FileInfo) bool {
	if s.Size != size || s.Info == nil || before == nil {
		return s.Size == size
	}
	return os.SameFile(s.Info, before) && s.Info.ModTime().Equal(before.ModTime())
}

// OnDisk opens a file by its path.
func OnDisk(path string) func() (*Source, error) {
	return func() (*Source, error) {
		f, err := plainfile.Open(path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err != nil {
			_ = f.Close() // read only
			return nil, err
		}
		return &Source{f, f, info.Size(), info}, nil
	}
}

// InMemory opens what the caller holds.
func InMemory(data []byte) func() (*Source, error) {
	return func() (*Source, error) {
		return &Source{bytes.NewReader(data), io.NopCloser(nil), int64(len(data)), nil}, nil
	}
}

// File is a file with rows. It is safe for concurrent use.
type File struct {
	Name string // for messages

	open func() (*Source, error)

	mu       sync.Mutex
	indexed  bool
	problems []diag.Diagnostic // of the whole file
	index    index
	held     []piece  // of YAML: all rows
	blocks   []*block // that were read last, the latest at the end
}

// New makes a File. Nothing is opened yet.
func New(name string, open func() (*Source, error)) *File { return &File{Name: name, open: open} }

// peeked is up to how many rows Peek looks at.
const peeked = 100

// Peek lists the fields that the first rows have, or the header, sorted. whole is true where no other row can have
// another one. Problems of the whole file that it meets go to d; then ok is false.
func (f *File) Peek(d *diag.List) (fields []string, whole, ok bool) {
	src, fatal := f.source()
	if fatal != nil {
		f.report(fatal, d)
		return nil, false, false
	}
	defer func() { _ = src.Close() }() // read only
	seen := names{}
	in, fatal := f.reader(src, nil)
	if fatal != nil {
		f.report(fatal, d)
		return nil, false, false
	}
	if header := in.header(); header != nil {
		return slices.Sorted(slices.Values(header)), true, true
	}
	for range peeked {
		p, err := in.next()
		if errors.Is(err, io.EOF) {
			return seen.sorted(), true, true
		}
		if err != nil {
			f.report(asFatal(err), d)
			return nil, false, false
		}
		seen.add(p.values)
	}
	return seen.sorted(), false, true
}

// Index reads the file once and notes where its rows are. Problems of the whole file, such as two rows of one id, go to
// d; then it is false, and the file must not be used. Calls after the first cost nothing.
func (f *File) Index(d *diag.List) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.indexed {
		f.indexed = true
		f.makeIndex()
	}
	for _, p := range f.problems {
		d.Add(p)
	}
	return len(f.problems) == 0
}

// Len is the number of rows. Index must have been called, as for all that follows.
func (f *File) Len() int { return f.index.rows }

// ID is the id of a row, by its index from 0: its field id, else row- and its number.
func (f *File) ID(i int) string { return f.index.id(i) }

// Fields lists the fields that any row has, sorted.
func (f *File) Fields() []string { return f.index.fields }

// source opens the file.
func (f *File) source() (*Source, *fatal) {
	src, err := f.open()
	if err != nil {
		return nil, &fatal{code: "unreadable-file", msg: plainfile.WithoutPath(err).Error()}
	}
	return src, nil
}

// fatal is why nothing of a file can be used.
type fatal struct {
	line, col       int
	code, msg, hint string
}

func (e *fatal) Error() string { return e.msg }

func asFatal(err error) *fatal {
	if e, ok := errors.AsType[*fatal](err); ok {
		return e
	}
	return &fatal{code: "unreadable-file", msg: plainfile.WithoutPath(err).Error()}
}

func (f *File) report(e *fatal, d *diag.List) { d.Add(f.diagnostic(e)) }

func (f *File) diagnostic(e *fatal) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error, Pos: diag.Pos{File: f.Name, Line: int32(e.line), Col: int32(e.col)}, Code: e.code,
		Msg: e.msg, Hint: e.hint,
	}
}

// reader starts to read at a place; nil is the beginning.
func (f *File) reader(src *Source, from *place) (reader, *fatal) {
	if from == nil {
		at, e := begin(src)
		if e != nil {
			return nil, e
		}
		from = at
	}
	section := io.NewSectionReader(src, from.offset, src.Size-from.offset)
	switch extension(f.Name) {
	case ".csv":
		return newCSV(section, ',', from, f.index.header)
	case ".tsv":
		return newCSV(section, '\t', from, f.index.header)
	case ".json":
		return newList(section, from)
	case ".yaml", ".yml":
		return newYAML(section, f.Name)
	}
	return newLines(section, from), nil
}

// place is where a row begins.
type place struct {
	offset int64
	line   int  // from 1
	row    int  // index of the row
	head   bool // nothing was read yet
}

// begin is the place behind a byte order mark.
func begin(src *Source) (*place, *fatal) {
	head := make([]byte, 3)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, asFatal(err)
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, &fatal{1, 1, "bad-encoding", "the file is UTF-16", "save it as UTF-8"}
	case string(head) == "\ufeff":
		return &place{offset: 3, line: 1, head: true}, nil
	}
	return &place{line: 1, head: true}, nil
}

// reader reads row after row.
type reader interface {
	// next returns io.EOF behind the last row, and a *fatal where no other can be read.
	next() (piece, error)
	// header are the fields that all rows have; nil: each has its own.
	header() []string
}

// piece is one row as it was read.
type piece struct {
	values     map[string]any // null for fields without a value
	fault      *Fault
	line       int
	start, end int64 // in the file
}

// Fault is why one row cannot be used.
type Fault struct {
	Pos       diag.Pos
	Msg, Hint string
}

func (e *Fault) Error() string {
	text := e.Pos.String() + ": " + e.Msg
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// names is a set of names of fields.
type names map[string]bool

func (s names) add(values map[string]any) {
	for name := range values {
		s[name] = true
	}
}

func (s names) sorted() []string {
	all := make([]string, 0, len(s))
	for name := range s {
		all = append(all, name)
	}
	slices.SortFunc(all, cmp.Compare)
	return all
}
