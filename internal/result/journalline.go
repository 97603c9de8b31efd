package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
)

// journalLine is a line of a journal, decoded as far as that needs no other line.
type journalLine struct {
	text    []byte // of a line that is longer than the longest, its beginning
	at      int64  // offset of its first byte
	number  int    // from 1
	length  int64  // in bytes, with its end
	long    bool   // longer than the longest
	readErr error  // io.EOF: it has no end; another one: the file cannot be read any further

	body    lineBody
	isTrial bool  // though perhaps a damaged one
	err     error // why it cannot be used
}

// lineBody is the content of a line.
type lineBody struct {
	Index   int            `json:"index"`
	Trial   *Trial         `json:"trial"`
	Judging string         `json:"judging"`
	Journal int            `json:"journal"`
	End     *JournalFooter `json:"end"`
}

// decode reads the line and holds its trial against itself.
func (l *journalLine) decode() {
	if l.long || l.readErr != nil && !errors.Is(l.readErr, io.EOF) {
		return
	}
	distinct, err := decode(l.text, &l.body)
	if err != nil {
		l.err = fmt.Errorf("corrupt journal: %w", err)
		return
	}
	t := l.body.Trial
	switch {
	case l.body.Journal != 0 || l.body.End != nil:
	case t == nil || t.ID == "" || t.Status == Unset:
		l.err = errors.New("corrupt journal: neither a trial nor the end")
	case trialStart(l.text) < 0:
		l.err = errors.New("corrupt journal: the line does not begin with its trial")
	default:
		l.isTrial = true
		if err := t.CheckComplete(); err != nil {
			l.err = fmt.Errorf("corrupt journal: the trial %s is damaged: %w", t.ID, err)
		} else if err := t.agrees(l.text, distinct); err != nil {
			l.err = fmt.Errorf("corrupt journal: the trial %s %w", t.ID, err)
		}
	}
}

// read takes the next line from a reader, and appends its text to those of other lines. Of one that is longer than the
// longest, it keeps the beginning.
func (l *journalLine) read(in *bufio.Reader, longest int, texts []byte) []byte {
	from := len(texts)
	for {
		piece, err := in.ReadSlice('\n')
		l.length += int64(len(piece))
		if room := longest + 1 - (len(texts) - from); room > 0 {
			texts = append(texts, piece[:min(len(piece), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.readErr, l.long = err, len(texts)-from > longest
			return texts
		}
	}
}

// lineBatch is lines that are decoded in one go.
type lineBatch struct {
	lines []journalLine
	texts []byte // of all lines
}

// batchBytes is how many bytes of lines are decoded in one go: many short lines, or a long one.
const batchBytes = 128 << 10

// lineBatches are batches whose room is used again.
var lineBatches = sync.Pool{New: func() any { return new(lineBatch) }}

// free returns the memory of a batch whose lines are not needed any more.
func (b *lineBatch) free() {
	clear(b.lines)
	if cap(b.texts) <= 2*batchBytes {
		lineBatches.Put(b)
	}
}

// decode decodes the lines.
func (b *lineBatch) decode() {
	for i := range b.lines {
		b.lines[i].decode()
	}
}

// journalLines yields the lines of a journal in their order, up to the one whose readErr says that it is the last. A
// line and its text may not be kept. Those that come next are decoded meanwhile.
func journalLines(file io.ReaderAt, longest int) iter.Seq[*journalLine] {
	return func(yield func(*journalLine) bool) {
		for batch := range ahead(lineBatchesOf(file, longest), (*lineBatch).decode) {
			for i := range batch.lines {
				if line := &batch.lines[i]; !yield(line) || line.readErr != nil {
					return
				}
			}
			batch.free()
		}
	}
}

// lineBatchesOf reads the lines, up to the last one.
func lineBatchesOf(file io.ReaderAt, longest int) iter.Seq[*lineBatch] {
	return func(yield func(*lineBatch) bool) {
		in, next := bufio.NewReaderSize(io.NewSectionReader(file, 0, 1<<62), 1<<16), journalLine{number: 1}
		for last := false; !last; {
			batch := lineBatches.Get().(*lineBatch) //nolint:forcetypeassert // it holds nothing else
			batch.lines, batch.texts = batch.lines[:0], batch.texts[:0]
			for len(batch.texts) < batchBytes && !last {
				line := next
				batch.texts = line.read(in, longest, batch.texts)
				next.at, next.number, last = line.at+line.length, line.number+1, line.readErr != nil
				batch.lines = append(batch.lines, line)
			}
			batch.share(longest)
			if !yield(batch) {
				return
			}
		}
	}
}

// share gives each line its part of the texts.
func (b *lineBatch) share(longest int) {
	from := 0
	for i := range b.lines {
		line := &b.lines[i]
		n := int(min(line.length, int64(longest)+1))
		line.text, from = b.texts[from:from+n:from+n], from+n
	}
}
