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
