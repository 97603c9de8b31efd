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

// builder makes one session. Its problems go to a list; a session with problems is not used.
type builder struct {
	file       string
	limits     Limits
	problems   *diag.List
	before     int // number of problems of earlier sessions
	session    *Session
	events     []event
	calls      []modelCall
	updates    []modelCall
	seqs       seqRanges // of the session's events
	ordered    bool      // event numbers give the order of calls and replies
	badMessage bool      // a message could not be read
	// noErrorFlag is true when a tool result has no field that says whether the call failed.
	noErrorFlag bool
	piece       piece  // present piece
	system      *event // system prompt beside the messages
	dir         string // folder of the file; "": none
	// mediaBytes is the size of the media read from dir.
	mediaBytes int64
	// durationsInMS is true when durations of media are in milliseconds instead of seconds.
	durationsInMS bool
}

// event is a message with what orders it.
type event struct {
	Message
	seq    int64 // 0: none
	index  int   // in the transcript; other events refer to it
	turn   int
	offset bool // Message.Offset was recorded
	traced bool // the turn has a program's trace, and the calls in the trace are among the messages
}

// read makes the session of an entry. It returns nil after problems.
func (f *File) read(in io.ReaderAt, e *entry, problems *diag.List) (*Session, error) {
	b := &builder{
		file: f.name, dir: f.dir, limits: f.limits, problems: problems, before: problems.Errors(),
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

// pieces yields the pieces of an entry. The text of a piece is valid until the next one.
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

// notUTF8 reports the first invalid byte of a piece. Replacing the bytes would change what checks see.
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

// pos is the position of a value of the present piece.
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

// add appends a message to the session.
func (b *builder) add(e event) {
	if len(b.events) == b.limits.Messages {
		b.problems.Errorf(e.Pos, 1, "session-too-large", "a session has more than %d messages, the limit", b.limits.Messages)
	}
	if len(b.events) <= b.limits.Messages {
		b.events = append(b.events, e)
	}
	b.lookForMasks(&e)
}
