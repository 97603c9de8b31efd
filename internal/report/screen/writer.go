// Package screen stands between arena and whoever shows what it prints: a terminal, or the log of a CI system. Whatever
// a model, a tool or a file says, no byte passes that moves a cursor, changes the reading direction, breaks a line
// where arena did not, or is a command to a CI system.
package screen

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/show"
)

// Writer passes text on, with signs in the place of what a terminal or a CI system would obey. Tabs and newlines stay.
// It is safe for concurrent use; its views share what they know of the line that is being written.
type Writer struct {
	*stream
	kind kind
}

// kind is what a view lets pass beside text.
type kind uint8

const (
	text kind = iota
	colored
	live
	data
	workflow
)

// stream is what the views of one output share.
type stream struct {
	mu   sync.Mutex
	out  io.Writer
	buf  []byte
	held []byte // the start of a character, or of a sequence of our own, whose rest is yet to be written
	by   kind   // of the view that wrote it
	line line
}

// New returns the view for text. Whatever is written to out has to pass here.
func New(out io.Writer) *Writer { return &Writer{&stream{out: out}, text} }

// Colored is the view for text with arena's own colours. Text of strangers has to be clean of colours before.
func Colored(w io.Writer) io.Writer { return view(w, colored) }

// Live is the view for a block that is drawn again and again; only arena's own words may stand in it.
func Live(w io.Writer) io.Writer { return view(w, live) }

// Data is the view for JSON. What may not pass is escaped, so that a program reads the same values.
func Data(w io.Writer) io.Writer { return view(w, data) }

// Workflow is the view for commands to a CI system. Text of strangers has to be escaped before.
func Workflow(w io.Writer) io.Writer { return view(w, workflow) }

// view is w when that guards nothing.
func view(w io.Writer, k kind) io.Writer {
	if guarded, ok := w.(*Writer); ok {
		return &Writer{guarded.stream, k}
	}
	return w
}

// Write implements io.Writer. What is left of a character that is not whole is kept for the next one.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	if len(w.held) > 0 && w.by != w.kind {
		w.release()
	}
	rest := p
	if len(w.held) > 0 {
		rest = append(w.held, p...)
		w.held = nil
	}
	for len(rest) > 0 {
		if n := w.line.dull(rest); n > 0 {
			w.buf, rest = append(w.buf, rest[:n]...), rest[n:]
			continue
		}
		n := w.step(rest, w.kind)
		if n == 0 {
			w.held, w.by = append([]byte(nil), rest...), w.kind
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

// Flush writes what still waits for its rest. Nothing more may come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	w.release()
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.out.Write(w.buf)
	return err
}

// release gives up waiting for a rest.
func (s *stream) release() {
	for _, c := range string(s.held) {
		s.put(c, s.by)
	}
	s.held = nil
}

// step takes one character, or one sequence of our own, and returns its length; 0 when its rest is yet to come.
func (s *stream) step(p []byte, k kind) int {
	if k == colored || k == live {
		n, more := own(p, k)
		if more {
			return 0
		}
		if n > 0 {
			s.buf = append(s.buf, p[:n]...) // it does not change where in a line we are
			return n
		}
	}
	if !utf8.FullRune(p) {
		return 0
	}
	c, n := utf8.DecodeRune(p)
	s.put(c, k)
	return n
}

// put writes a character, or what stands for it.
func (s *stream) put(c rune, k kind) {
	if show.Forbidden(c) {
		s.line.next(0)
		if k == data {
			s.buf = fmt.Appendf(s.buf, `\u%04x`, c)
			return
		}
		s.buf = utf8.AppendRune(s.buf, sign(c))
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

// sign stands for a character that may not pass.
func sign(c rune) rune {
	switch {
	case c < ' ':
		return 0x2400 + c // the control pictures of Unicode
	case c == 0x7F:
		return '␡'
	}
	return utf8.RuneError
}

// own measures a sequence of arena's with which p begins: a colour, and for a live block what draws it again. more says
// that p ends before the sequence does.
func own(p []byte, k kind) (n int, more bool) {
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
