package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
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

// lineBody is what stands in a line.
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
	if err := decode(l.text, &l.body); err != nil {
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
		if err := t.Whole(); err != nil {
			l.err = fmt.Errorf("corrupt journal: the trial %s is damaged: %w", t.ID, err)
		} else if err := t.Agrees(l.text); err != nil {
			l.err = fmt.Errorf("corrupt journal: the trial %s %w", t.ID, err)
		}
	}
}

// read takes the next line from a reader. Of one that is longer than the longest, it keeps the beginning.
func (l *journalLine) read(in *bufio.Reader, longest int) {
	for {
		piece, err := in.ReadSlice('\n')
		l.length += int64(len(piece))
		if room := longest + 1 - len(l.text); room > 0 {
			l.text = append(l.text, piece[:min(len(piece), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.readErr, l.long = err, len(l.text) > longest
			return
		}
	}
}

// lineBatch is lines that are decoded in one go.
type lineBatch struct {
	lines   []*journalLine
	decoded chan struct{} // closed when they are
}

// batchBytes is how many bytes of lines are decoded in one go: many short lines, or a long one.
const batchBytes = 128 << 10

// journalLines yields the lines of a journal in their order, up to the one whose readErr says that it is the last.
// Those that come next are decoded meanwhile, by as many goroutines as there are processors.
func journalLines(file io.ReaderAt, longest int) iter.Seq[*journalLine] {
	return func(yield func(*journalLine) bool) {
		ahead := runtime.GOMAXPROCS(0)
		inOrder, stop := make(chan *lineBatch, ahead), make(chan struct{})
		defer func() { // nobody reads the file any more when the caller goes on
			close(stop)
			for batch := range inOrder {
				<-batch.decoded
			}
		}()
		go readBatches(file, longest, inOrder, stop)
		for batch := range inOrder {
			<-batch.decoded
			for _, line := range batch.lines {
				if !yield(line) || line.readErr != nil {
					return
				}
			}
		}
	}
}

// readBatches reads lines until the last one, or until it is stopped.
func readBatches(file io.ReaderAt, longest int, out chan<- *lineBatch, stop <-chan struct{}) {
	defer close(out)
	in, next := bufio.NewReaderSize(io.NewSectionReader(file, 0, 1<<62), 1<<16), journalLine{number: 1}
	for last := false; !last; {
		batch := &lineBatch{decoded: make(chan struct{})}
		for size := 0; size < batchBytes && !last; {
			line := next
			line.read(in, longest)
			size += int(line.length)
			next.at, next.number, last = line.at+line.length, line.number+1, line.readErr != nil
			batch.lines = append(batch.lines, &line)
		}
		select {
		case out <- batch:
		case <-stop:
			return
		}
		go func() {
			defer close(batch.decoded)
			for _, line := range batch.lines {
				line.decode()
			}
		}()
	}
}
