package recording

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/arena-evals/arena/internal/diag"
)

// line is a line of a file that is not blank.
type line struct {
	value // valid JSON
	span
}

// lines calls visit for every line that is a JSON object, in order, until it returns false. The text of a line is valid
// until visit returns. Other lines that are not blank are reported. cut is the position of an incomplete last line.
func (s *scan) lines(visit func(l line) bool) (cut span) {
	r := newLineReader(s.in, s.size, s.limits.Line)
	for !s.full() {
		text, p, whole, err := r.next()
		if err != nil {
			s.readError(err, p)
			return cut
		}
		if text == nil {
			return cut
		}
		trimmed := bytes.TrimSpace(text)
		if len(trimmed) == 0 {
			continue
		}
		lead := bytes.Index(text, trimmed)
		p = span{at: p.at + int64(lead), size: int64(len(trimmed)), line: p.line, col: p.col + int32(lead)}
		if problem := syntax(trimmed); problem != nil {
			if !whole && problem.cut {
				return p
			}
			problem.report(s.problems, s.file, p)
			continue
		}
		if trimmed[0] != '{' {
			s.errorf(s.pos(p), "wrong-type", "a line must be a JSON object, found %s", describe(value{text: trimmed}))
			continue
		}
		if !s.checkDuplicates(value{text: trimmed}, p) {
			continue
		}
		if !visit(line{value{text: trimmed}, p}) {
			return cut
		}
	}
	return cut
}

// completeLines is lines for files that must be complete.
func (s *scan) completeLines(visit func(l line) bool) {
	if cut := s.lines(visit); cut.line > 0 {
		s.errorf(diag.Pos{File: s.file, Line: cut.line}, "cut-line", "the last line is cut: the file ends in the middle").
			Hint = "the recording is incomplete; record it again, or remove the line"
	}
}

func (s *scan) readError(err error, p span) {
	if errors.Is(err, errLongLine) {
		s.stopped = true
		s.errorf(diag.Pos{File: s.file, Line: p.line}, "long-line", "the line is longer than %s, the limit",
			size(s.limits.Line))
		return
	}
	s.err = err
}

var errLongLine = errors.New("a line is too long")

// lineReader splits a file at line feeds.
type lineReader struct {
	in    *bufio.Reader
	limit int64
	at    int64
	line  int32
	long  []byte // a line that does not fit into the buffer
}

func newLineReader(in io.ReaderAt, size, limit int64) *lineReader {
	buffer := int(min(size+1, 256<<10))
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(in, 0, size), buffer), limit: limit}
}

// next returns a line without its line feed; nil at the end. The text is valid until the next call. whole is true when
// a line feed follows. A byte order mark at the start of the file is dropped.
func (r *lineReader) next() (text []byte, p span, whole bool, err error) {
	r.line++
	r.long = r.long[:0]
	p = span{at: r.at, line: r.line, col: 1}
	for {
		chunk, err := r.in.ReadSlice('\n')
		r.at += int64(len(chunk))
		if err == nil || errors.Is(err, io.EOF) {
			text = chunk
			if len(r.long) > 0 {
				r.long = append(r.long, chunk...)
				text = r.long
			}
			whole = err == nil
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, p, false, err
		}
		if r.long = append(r.long, chunk...); int64(len(r.long)) > r.limit {
			return nil, p, false, errLongLine
		}
	}
	if len(text) == 0 {
		return nil, p, false, nil
	}
	if int64(len(text)) > r.limit {
		return nil, p, false, errLongLine
	}
	if p.at == 0 {
		rest := bytes.TrimPrefix(text, []byte(bom))
		p.at += int64(len(text) - len(rest))
		text = rest
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	p.size = int64(len(text))
	return text, p, whole, nil
}
