package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// scan reads a file once and finds its sessions.
type scan struct {
	in       io.ReaderAt
	size     int64
	file     string
	limits   Limits
	problems *diag.List
	index    index
	notes    []string
	skip     bool              // see Options.SkipUnreadable
	stopped  bool              // the rest of the file was not read
	declared []result.Declared // by the projects of the run; nil: not known
	missing  int               // known number of conversations that are not in the file
	err      error             // of reading the file
}

// maxProblems is the number of problems that are reported for one file.
const maxProblems = 100

func (s *scan) full() bool {
	limit := maxProblems
	if s.skip { // problems of all skipped conversations are reported
		limit = maxSkipped
	}
	return s.err != nil || s.problems.Errors() >= limit
}

func (s *scan) errorf(pos diag.Pos, code, format string, args ...any) *diag.Diagnostic {
	return s.problems.Errorf(pos, 1, code, format, args...)
}

func (s *scan) notef(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// add adds a piece to a session.
func (s *scan) add(key string, p span) *entry {
	e, made := s.index.at(key)
	if made && len(s.index.entries) == s.limits.Sessions+1 {
		s.errorf(diag.Pos{File: s.file, Line: p.line}, "too-many-sessions", "more than %d sessions in one file, the limit",
			s.limits.Sessions).Hint = "split the file"
	}
	e.add(p)
	return e
}

func (s *scan) pos(p span) diag.Pos { return diag.Pos{File: s.file, Line: p.line, Col: p.col} }

// document reads a file that is one JSON document. It returns its position too.
func (s *scan) document() (value, span, bool) {
	text, ok := s.readAll()
	if !ok {
		return value{}, span{}, false
	}
	trimmed := bytes.TrimSpace(text)
	lead := bytes.Index(text, trimmed)
	line, col := (&locator{text: text, line: 1, col: 1}).place(lead)
	p := span{at: s.size - int64(len(text)-lead), size: int64(len(trimmed)), line: line, col: col}
	if problem := syntax(trimmed); problem != nil {
		problem.report(s.problems, s.file, p)
		return value{}, p, false
	}
	return value{text: trimmed}, p, s.checkDuplicates(value{text: trimmed}, p)
}

// readAll reads a file within the limit, without its byte order mark.
func (s *scan) readAll() ([]byte, bool) {
	if s.size > s.limits.Document {
		s.errorf(diag.Pos{File: s.file}, "file-too-large", "the file has %s and has to be read at once; the limit is %s",
			size(s.size), size(s.limits.Document)).Hint = "JSON lines may be longer"
		return nil, false
	}
	text := make([]byte, s.size)
	if n, err := s.in.ReadAt(text, 0); err != nil && !(errors.Is(err, io.EOF) && n == len(text)) {
		s.err = err
		return nil, false
	}
	return bytes.TrimPrefix(text, []byte(bom)), true
}

const bom = "\xef\xbb\xbf"
