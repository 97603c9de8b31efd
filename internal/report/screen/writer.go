// Package screen filters what arena prints to a terminal or to the log of a CI system. Text of models, tools and files
// cannot move the cursor, change the reading direction, break a line, or give a command to a CI system.
package screen

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/show"
)

// Writer passes text on, and replaces characters that a terminal or a CI system would obey. Tabs and newlines stay. It
// is safe for concurrent use. Its views share the state of the current line.
type Writer struct {
	*stream
	kind kind
}

// kind is what a view lets pass in addition to text.
type kind uint8

const (
	text kind = iota
	colored
	live
	data
	workflow
)

// stream is the state that the views of one output share.
type stream struct {
	mu          sync.Mutex
	out         io.Writer
	buf         []byte
	pending     []byte // the start of a character or of one of arena's own sequences, whose rest was not written yet
	pendingKind kind   // of the view that wrote pending
	line        commandScanner
	before      rune // the last character written; 0 for one that is replaced by a sign
}

// New returns the view for text. Nothing else may write to out.
func New(out io.Writer) *Writer { return &Writer{&stream{out: out}, text} }

// Colored is the view for text with arena's own colours. Untrusted text must have been cleaned of colours before.
func Colored(w io.Writer) io.Writer { return view(w, colored) }

// Live is the view for the live block. It must hold no untrusted text.
func Live(w io.Writer) io.Writer { return view(w, live) }

// Data is the view for JSON. Characters that may not pass are escaped, so that a program reads the same values.
func Data(w io.Writer) io.Writer { return view(w, data) }

// Workflow is the view for commands to a CI system. Untrusted text must have been escaped before.
func Workflow(w io.Writer) io.Writer { return view(w, workflow) }

// view returns a view of another kind; w itself when it is no Writer.
func view(w io.Writer, k kind) io.Writer {
	if guarded, ok := w.(*Writer); ok {
		return &Writer{guarded.stream, k}
	}
	return w
}

// Write implements io.Writer. It keeps the start of an incomplete character for the next call.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	if len(w.pending) > 0 && w.pendingKind != w.kind {
		w.flushPending()
	}
	rest := p
	if len(w.pending) > 0 {
		rest = append(w.pending, p...)
		w.pending = nil
	}
	for len(rest) > 0 {
		if n := w.line.plainPrefix(rest); n > 0 {
			w.buf, w.before, rest = append(w.buf, rest[:n]...), rune(rest[n-1]), rest[n:]
			continue
		}
		n := w.writeNext(rest, w.kind)
		if n == 0 {
			w.pending, w.pendingKind = append([]byte(nil), rest...), w.kind
			break
		}
		rest = rest[n:]
	}
	if len(w.buf) == 0 {
		return len(p), nil
	}
	if _, err := w.out.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the start of an incomplete character, if there is one. Nothing may be written after it.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	w.flushPending()
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.out.Write(w.buf)
	return err
}

// flushPending writes the pending bytes, although their rest did not come.
func (s *stream) flushPending() {
	for _, c := range string(s.pending) {
		s.writeRune(c, s.pendingKind)
	}
	s.pending = nil
}

// writeNext writes one character, or one of arena's own sequences, and returns its length; 0 when it is incomplete.
func (s *stream) writeNext(p []byte, k kind) int {
	if k == colored || k == live {
		n, more := ownSequence(p, k)
		if more {
			return 0
		}
		if n > 0 {
			s.buf = append(s.buf, p[:n]...) // takes no column, so the scanner skips it
			return n
		}
	}
	if !utf8.FullRune(p) {
		return 0
	}
	c, n := utf8.DecodeRune(p)
	s.writeRune(c, k)
	return n
}

// writeRune writes a character, or its replacement.
func (s *stream) writeRune(c rune, k kind) {
	before := s.before
	if s.before = c; string(c) != show.Joiner && show.IsHidden(c, before) {
		s.before = 0
		s.line.next(0)
		if k == data {
			for _, half := range utf16.AppendRune(nil, c) {
				s.buf = fmt.Appendf(s.buf, `\u%04x`, half)
			}
			return
		}
		s.buf = show.AppendSign(s.buf, c)
		return
	}
	if s.line.next(c) && k != workflow {
		if k == data && c == '[' {
			s.buf = append(s.buf, `\u005b`...)
			return
		}
		s.buf = append(s.buf, show.Joiner...)
	}
	s.buf = utf8.AppendRune(s.buf, c)
}

// ownSequence returns the length of one of arena's own sequences at the start of p: a colour or, in a live block, a
// cursor movement. more reports that p ends before the sequence does.
func ownSequence(p []byte, k kind) (n int, more bool) {
	if k == live && p[0] == '\r' {
		return 1, false
	}
	if p[0] != 0x1B {
		return 0, false
	}
	const longest = 12
	for i, c := range p {
		switch {
		case i == 0 || i == 1 && c == '[':
		case i >= longest || i == 1:
			return 0, false
		case c >= '0' && c <= '9' || c == ';':
		case c == 'm', k == live && (c == 'A' || c == 'J' || c == 'K'):
			return i + 1, false
		default:
			return 0, false
		}
	}
	return 0, true
}
