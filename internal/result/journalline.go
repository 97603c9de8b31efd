package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
)

// journalLine is a line of a journal, decoded as far as possible without other lines.
type journalLine struct {
	text    []byte // only the beginning if the line is too long
	at      int64  // offset of its first byte
	number  int    // from 1
	length  int64  // in bytes, with its end
	long    bool   // longer than the limit
	readErr error  // io.EOF: the line has no line break; another error: the file cannot be read further

	body    lineBody
	isTrial bool  // possibly damaged
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

// decode decodes the line and validates its trial.
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
		} else if err := t.checkConsistency(l.text, distinct); err != nil {
			l.err = fmt.Errorf("corrupt journal: the trial %s %w", t.ID, err)
		}
	}
}

// read reads the next line, and appends its text to texts. Of a line above the limit it keeps the beginning.
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

// lineBatch is a number of lines that are decoded together.
type lineBatch struct {
	lines []journalLine
	texts []byte // of all lines
}

// batchBytes is the size of a batch in bytes: many short lines, or one long one.
const batchBytes = 128 << 10

// lineBatches is a pool of batches.
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

// journalLines yields the lines of a journal in order, up to the one with a readErr. Lines and their texts must not be
// kept. The next lines are decoded meanwhile.
func journalLines(file io.ReaderAt, longest int) iter.Seq[*journalLine] {
	return func(yield func(*journalLine) bool) {
		for batch := range prefetch(lineBatchesOf(file, longest), (*lineBatch).decode) {
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
			batch := lineBatches.Get().(*lineBatch) // the pool holds nothing else
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

// share assigns each line its part of the texts.
func (b *lineBatch) share(longest int) {
	from := 0
	for i := range b.lines {
		line := &b.lines[i]
		n := int(min(line.length, int64(longest)+1))
		line.text, from = b.texts[from:from+n:from+n], from+n
	}
}
