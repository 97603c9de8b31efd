package recording

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// piece is a part of a file that belongs to one session: a line, a document, an element of a list. It is valid JSON.
type piece struct {
	value
	loc *locator
}

// builder makes one session. Problems go to its list; the session counts only when there are none.
type builder struct {
	file     string
	limits   Limits
	problems *diag.List
	before   int // problems of other sessions
	session  *Session
	events   []event
	calls    []modelCall
	updates  []modelCall
	seen     numbers // of the events of a session
	ordered  bool    // the numbers of events tell what came before what
	broken   bool    // a message could not be read
	// unflagged says that the result of a tool has no place to say that the call failed.
	unflagged bool
	piece     piece  // that is being read
	system    *event // a system prompt that stands outside of the messages
	beside    string // the folder of the file; "": it is in none
	// mediaBytes were read from there.
	mediaBytes int64
	// milliseconds says that the format counts the durations of media so, and not in seconds.
	milliseconds bool
}

// event is a message and what puts it into its place.
type event struct {
	Message
	seq    int64 // 0: none
	index  int   // by which other events name it
	turn   int
	offset bool // Message.Offset was recorded
}

// read makes the session of an entry. It is nil when there are problems, which were reported.
func (f *File) read(in io.ReaderAt, e *entry, problems *diag.List) (*Session, error) {
	b := &builder{
		file: f.name, beside: f.beside, limits: f.limits, problems: problems, before: problems.Errors(),
		session: &Session{File: f.name, Format: f.format.name, ID: e.id},
	}
	if e.bytes > f.limits.SessionBytes {
		b.problems.Errorf(diag.Pos{File: f.name, Line: e.last.line}, 1, "session-too-large",
			"a session has %s; the limit is %s", size(e.bytes), size(f.limits.SessionBytes))
		return nil, nil
	}
	var failed error
	f.format.read(b, f.pieces(in, e, b, &failed))
	if failed != nil {
		return nil, failed
	}
	b.finish()
	if problems.Errors() > b.before {
		return nil, nil
	}
	return b.session, nil
}

// pieces reads the pieces of an entry one after the other; the text of each is gone with the next.
func (f *File) pieces(in io.ReaderAt, e *entry, b *builder, failed *error) iter.Seq[piece] {
	var buffer []byte
	return func(yield func(piece) bool) {
		for s := range e.all {
			if int64(cap(buffer)) < s.size {
				buffer = make([]byte, s.size)
			}
			buffer = buffer[:s.size]
			if n, err := in.ReadAt(buffer, s.at); err != nil && !(errors.Is(err, io.EOF) && n == len(buffer)) {
				*failed = errChanged
				return
			}
			b.piece = piece{value{text: buffer}, &locator{text: buffer, line: s.line, col: s.col}}
			if !utf8.Valid(buffer) {
				b.notUTF8()
				continue
			}
			if !f.format.free && syntax(buffer) != nil {
				*failed = errChanged
				return
			}
			if !yield(b.piece) {
				return
			}
		}
	}
}

// notUTF8 reports where a piece stops being text. Were the bytes replaced, checks would judge what nobody wrote.
func (b *builder) notUTF8() {
	text := b.piece.text
	at := 0
	for at < len(text) {
		c, size := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line, col := b.piece.loc.place(at)
	b.problems.Errorf(diag.Pos{File: b.file, Line: line, Col: col}, 1, "invalid-encoding", "this is not valid UTF-8").
		Hint = "recordings must be UTF-8: convert the file"
}

// pos is the place of a value of the piece that is being read.
func (b *builder) pos(v value) diag.Pos {
	line, col := b.piece.loc.place(v.at)
	return diag.Pos{File: b.file, Line: line, Col: col}
}

func (b *builder) errorf(v value, code, format string, args ...any) *diag.Diagnostic {
	return b.problems.Errorf(b.pos(v), 1, code, format, args...)
}

func (b *builder) notef(format string, args ...any) {
	b.session.Notes = append(b.session.Notes, fmt.Sprintf(format, args...))
}

// add puts a message at the end of the session.
func (b *builder) add(e event) {
	if len(b.events) == b.limits.Messages {
		b.problems.Errorf(e.Pos, 1, "session-too-large", "a session has more than %d messages, the limit", b.limits.Messages)
	}
	if len(b.events) <= b.limits.Messages {
		b.events = append(b.events, e)
	}
}
