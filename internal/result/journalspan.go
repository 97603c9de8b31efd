package result

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
)

// span is the position of a trial's JSON in a journal, and its state.
type span struct {
	at     int64
	len    int32
	before bool // the trial was kept from before
	as     *Recounted
}

var (
	indexKey = []byte(`{"index":`)
	trialKey = []byte(`,"trial":`)
)

// spacedKey is trialKey as other programs write it, with blanks.
var spacedKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{\s*"index"\s*:\s*[0-9]+\s*,\s*"trial"\s*:\s*`)
})

var judgingKey = []byte(`"judging"`)

// judgingEnd matches what follows the trial in a line that has Judging.
var judgingEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*,\s*"judging"\s*:\s*"[^"]*"\s*\}\s*$`)
})

// trialStart is where the trial's own JSON begins in its line; -1: the line does not begin with it.
func trialStart(line []byte) int {
	const first = 40 // bytes: the number of a trial is not longer
	if at := bytes.Index(line[:min(len(line), first)], trialKey); at >= 0 && bytes.HasPrefix(line, indexKey) {
		return at + len(trialKey)
	}
	if at := spacedKey().FindIndex(line); at != nil {
		return at[1]
	}
	return -1
}

// trialSpan finds the trial's own JSON within its line.
func trialSpan(at int64, line []byte) span {
	start := trialStart(line)
	end := len(bytes.TrimRight(line, " \t\r\n")) - 1 // the closing brace of the line
	const last = 200                                 // in bytes: what follows the trial is never longer
	tail := max(len(line)-last, start)
	if bytes.Contains(line[max(tail, 0):], judgingKey) {
		if judging := judgingEnd().FindIndex(line[tail:]); judging != nil {
			end = tail + judging[0]
		}
	}
	end = len(bytes.TrimRight(line[:max(end, start)], " \t\r\n"))
	return span{at: at + int64(start), len: int32(end - start)}
}

// beforeKey marks a trial that was kept from before. Its line was written before it was kept.
const beforeKey = `{"before":true,`

// read reads the JSON of a trial from a journal.
func (s span) read(file io.ReaderAt) ([]byte, error) {
	return s.readInto(file, make([]byte, 0, int(s.len)+len(beforeKey)))
}

// readInto is read with room for what is read.
func (s span) readInto(file io.ReaderAt, b []byte) ([]byte, error) {
	b = slices.Grow(b[:0], int(s.len)+len(beforeKey))[:s.len]
	if _, err := file.ReadAt(b, s.at); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	if s.as != nil {
		var err error
		if b, err = s.as.applyTo(b); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
	}
	if s.before && len(b) > 0 {
		b = slices.Insert(b[1:], 0, []byte(beforeKey)...)
	}
	return b, nil
}

// decode reads the trial.
func (s span) decode(file io.ReaderAt, index int) (*Trial, error) {
	room := lineBuffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // it holds nothing else
	defer lineBuffers.Put(room)
	room.Reset()
	room.Grow(int(s.len) + len(beforeKey))
	raw, err := s.readInto(file, room.AvailableBuffer())
	if err != nil {
		return nil, err
	}
	t, err := DecodeTrial(raw, index)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return t, nil
}
