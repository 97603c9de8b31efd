package process

import (
	"bytes"
	"io"
)

// limitedBuffer keeps what is written to it, up to a limit. Beyond the limit it calls over and refuses the rest.
type limitedBuffer struct {
	data   bytes.Buffer
	limit  int
	onFull func()
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if room := l.limit - l.data.Len(); len(p) > room {
		l.data.Write(p[:room])
		l.onFull()
		return room, io.ErrShortWrite
	}
	return l.data.Write(p)
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	data  []byte
	limit int
}

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.data = append(t.data, p[max(0, len(p)-t.limit):]...)
	if len(t.data) > 2*t.limit {
		t.data = append(t.data[:0], t.bytes()...)
	}
	return len(p), nil
}

func (t *tailBuffer) bytes() []byte { return t.data[max(0, len(t.data)-t.limit):] }

// maxLine is how many bytes of a line of stderr are passed on.
const maxLine = 64 << 10

// lineWriter passes on what is written to it, line by line.
type lineWriter struct {
	onLine func(line string) // nil: lines are dropped
	line   []byte
	cut    bool // the line was passed on, cut: its rest is dropped
}

// beside returns a writer to w that also writes to l; w itself when nobody listens.
func (l *lineWriter) beside(w io.Writer) io.Writer {
	if l.onLine == nil {
		return w
	}
	return io.MultiWriter(w, l)
}

func (l *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		part, rest, ended := bytes.Cut(p, []byte{'\n'})
		l.add(part)
		if !ended {
			return n, nil
		}
		l.flush()
		l.cut, p = false, rest
	}
}

// add appends a part of a line.
func (l *lineWriter) add(part []byte) {
	if l.cut {
		return
	}
	room := maxLine - len(l.line)
	if len(part) <= room {
		l.line = append(l.line, part...)
		return
	}
	kept := bytes.ToValidUTF8(append(l.line, part[:room]...), nil) // the cut may be within a character
	l.line = append(kept, "…"...)
	l.flush()
	l.cut = true
}

// flush passes on what there is of a line.
func (l *lineWriter) flush() {
	if line := bytes.TrimRight(l.line, "\r"); len(line) > 0 {
		l.onLine(string(line))
	}
	l.line = l.line[:0]
}
