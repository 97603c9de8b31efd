package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Event is one data line of a server-sent event stream. It is valid until the next one is read.
type Event struct {
	Name string // of the event it belongs to; "" mostly
	Data []byte // empty for a line that carries none, such as a comment that keeps the connection alive
	Cut  bool   // the stream ended within the line
}

// events reads an event stream. Servers put each chunk on one data line, and not all of them put the empty
// line between events, so a data line is an event here. The reader below bounds the length of a line.
type events struct {
	r    *bufio.Reader
	name string
	line []byte
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReader(r)} }

// next returns io.EOF where the stream ends between lines.
func (s *events) next() (Event, error) {
	line, err := s.readLine()
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return Event{}, err
	}
	cut := err != nil
	line = bytes.TrimSuffix(line, []byte("\r"))
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(field) {
	case "":
		if len(line) == 0 {
			s.name = ""
		}
	case "event":
		s.name = string(value)
	case "data":
		return Event{s.name, value, cut}, nil
	}
	return Event{}, nil
}

// readLine is the next line without its end. With io.EOF it is what was left of the stream.
func (s *events) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		piece, err := s.r.ReadSlice('\n')
		if err == nil && len(s.line) == 0 {
			return piece[:len(piece)-1], nil
		}
		s.line = append(s.line, piece...)
		if err == nil {
			return s.line[:len(s.line)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.line, err
		}
	}
}
