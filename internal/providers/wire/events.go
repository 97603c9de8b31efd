package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// Event is one data line of a server-sent event stream. It is valid until the next one is read.
type Event struct {
	Name string // of its event; mostly ""
	Data []byte // empty for a line without data, such as a comment that keeps the connection alive
	Cut  bool   // the stream ended within the line
}

// Events reads a stream.
type Events interface {
	// Next returns the next event, or io.EOF if the stream ends between two events.
	Next() (Event, error)
	// Rest appends the following data lines to an event whose data is a part of a document.
	Rest(e *Event) error
}

// events reads server-sent events. Servers put each chunk on one data line, and some omit the empty line between
// events. So each data line is an event here, and Rest appends more lines. The underlying reader limits the length of a
// line.
type events struct {
	r    *bufio.Reader
	name string
	line []byte
	read bool // the first line was read

	behindCR bool // the last line ended with CR: a following LF belongs to it
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReader(r)} }

// Next returns io.EOF where the stream ends between lines.
func (s *events) Next() (Event, error) {
	field, value, cut, err := s.field()
	if err != nil || field != "data" {
		return Event{}, err
	}
	return Event{s.name, value, cut}, nil
}

// Rest appends the data of the following lines up to the end of the event.
func (s *events) Rest(e *Event) error {
	e.Data = slices.Clone(e.Data)
	for {
		field, value, cut, err := s.field()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case field == "data":
			e.Data, e.Cut = append(append(e.Data, '\n'), value...), cut
		case field == "end":
			return nil
		}
	}
}

// field reads a line. It returns "data" and its value, "end" for the line after an event, or "" for ignored lines.
func (s *events) field() (field string, value []byte, cut bool, err error) {
	line, err := s.readLine()
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return "", nil, false, err
	}
	cut = err != nil
	if !s.read {
		s.read, line = true, chat.WithoutBOM(line)
	}
	if len(line) == 0 {
		s.name = ""
		return "end", nil, cut, nil
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "event":
		s.name = string(value)
	case "data":
		return "data", value, cut, nil
	default:
		if line[0] == '<' || line[0] == '{' {
			return "", nil, cut, &strayLineError{slices.Clone(line)}
		}
	}
	return "", nil, cut, nil
}

// strayLineError is a line of HTML or JSON between events: a server or a proxy sent something other than the reply.
type strayLineError struct{ line []byte }

func (e *strayLineError) Error() string { return "the stream has a line that is no event" }

// readLine returns the next line without its end, which is LF, CR or both. With io.EOF it returns the rest of the
// stream.
func (s *events) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		if _, err := s.r.Peek(1); err != nil {
			return s.line, err
		}
		piece, _ := s.r.Peek(s.r.Buffered()) // the bytes are in the buffer
		if s.behindCR && piece[0] == '\n' {
			s.behindCR = false
			_, _ = s.r.Discard(1)
			continue
		}
		s.behindCR = false
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			end = len(piece)
		}
		if at := bytes.IndexByte(piece[:end], '\r'); at >= 0 {
			end, s.behindCR = at, true
		}
		s.line = append(s.line, piece[:end]...)
		whole := end < len(piece)
		_, _ = s.r.Discard(min(end+1, len(piece)))
		if whole {
			return s.line, nil
		}
	}
}
