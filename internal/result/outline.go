package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Outline is the structure of the last run in a journal, with the positions of its trials. Trials are not decoded, so
// their lines may be damaged.
type Outline struct {
	Header JournalHeader
	Footer *JournalFooter // nil: the run did not end
	Lines  []OutlineLine  // by plan index
	// Damaged are lines of the last run that are neither trials nor valid, and duplicate trials.
	Damaged []Damage
	Cut     bool // the last line is incomplete

	file       io.ReaderAt
	headerLost error // why the first header is unreadable
}

// OutlineLine is the line of a trial.
type OutlineLine struct {
	Index int // in the plan of its run
	at    int64
	as    *Recounted
}

// ReadOutline reads the structure of a journal. It returns ErrNotJournal if there is no header.
func ReadOutline(file io.ReaderAt) (*Outline, error) {
	o := &Outline{file: file}
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, 1<<62), 1<<16)
	var line []byte
	for at, number := int64(0), 1; ; number++ {
		var err error
		if line, err = nextLine(in, line[:0]); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(line) == 0 {
			break
		}
		if o.Cut = err != nil && !json.Valid(line); o.Cut {
			break
		}
		if why := o.read(line, at); why != nil {
			if _, newer := errors.AsType[versionError](why); newer {
				return nil, why
			}
			if errors.Is(why, errJoined) {
				return nil, joinedError(number)
			}
			o.Damaged = append(o.Damaged, Damage{number, why})
		}
		if at += int64(len(line)); number >= maxUnknownLines && o.Header.Journal == 0 {
			break
		}
	}
	if o.Header.Journal == 0 {
		if o.headerLost != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotJournal, o.headerLost)
		}
		return nil, ErrNotJournal
	}
	o.sort()
	return o, nil
}

func nextLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		if line = append(line, piece...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return line, errLongLine
		}
	}
}

// read handles a line.
func (o *Outline) read(line []byte, at int64) error {
	switch {
	case bytes.HasPrefix(line, []byte(headerPrefix)):
		err := o.header(line)
		o.headerLost = cmp.Or(o.headerLost, err)
		return err
	case bytes.HasPrefix(line, []byte(footerPrefix)):
		var end struct {
			End JournalFooter `json:"end"`
		}
		if err := json.Unmarshal(line, &end); err != nil {
			return fmt.Errorf("corrupt journal: %w", jsonvalue.Explain(err))
		}
		o.Footer = &end.End
		return nil
	case o.Header.Journal == 0 || o.Footer != nil:
		return errors.New("corrupt journal: the line does not belong to a run")
	}
	index, err := lineIndex(line)
	if err != nil {
		return err
	}
	o.Lines = append(o.Lines, OutlineLine{Index: index, at: at})
	return nil
}

// lineIndex is the plan index of the trial in a line.
func lineIndex(line []byte) (int, error) {
	if trialStart(line) < 0 {
		return 0, errors.New("corrupt journal: the line does not begin with its trial")
	}
	digits := bytes.TrimLeft(line[bytes.IndexByte(line, ':')+1:], " \t")
	end := bytes.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	index, err := strconv.Atoi(string(digits[:max(end, 0)]))
	if err != nil {
		return 0, errors.New("corrupt journal: the place of a trial is no number")
	}
	return index, nil
}

// header starts another run, which keeps some earlier trials.
func (o *Outline) header(line []byte) error {
	var h JournalHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("corrupt journal: %w", jsonvalue.Explain(err))
	}
	if h.Journal != SchemaVersion {
		return versionError(h.Journal)
	}
	if key, twice := jsonvalue.KeyTwice(line); twice {
		return fmt.Errorf("corrupt journal: the header has the key %q twice", key)
	}
	if o.Header.Journal != 0 && !h.goesOn() {
		return errJoined
	}
	o.Header, o.Footer, o.Lines, o.Damaged = h, nil, nil, nil
	as := map[int]*Recounted{}
	for i := range h.Recounted {
		as[h.Recounted[i].Index] = &h.Recounted[i]
	}
	for _, kept := range h.Kept {
		o.Lines = append(o.Lines, OutlineLine{Index: int(kept[0]), at: kept[1], as: as[int(kept[0])]})
	}
	return nil
}

// sort sorts the lines and drops duplicates.
func (o *Outline) sort() {
	slices.SortStableFunc(o.Lines, func(a, b OutlineLine) int { return cmp.Compare(a.Index, b.Index) })
	once := o.Lines[:0]
	for i, line := range o.Lines {
		if i > 0 && once[len(once)-1].Index == line.Index {
			o.Damaged = append(o.Damaged, Damage{Why: fmt.Errorf("corrupt journal: the trial at the place %d of its plan is "+
				"in it twice", line.Index+1)})
			continue
		}
		once = append(once, line)
	}
	o.Lines = once
}

var errJoined = errors.New("another run begins")

// Trial reads the trial of a line.
func (o *Outline) Trial(l *OutlineLine) (*Trial, error) {
	in := bufio.NewReader(io.NewSectionReader(o.file, l.at, 1<<62))
	line, err := nextLine(in, nil)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return DecodeLine(bytes.TrimSpace(line))
}

// Excused reports whether the trial, which is no longer in the plan, failed in a group that tolerated it.
func (l *OutlineLine) Excused() bool { return l.as != nil && l.as.Excused }

// Gone reports whether the trial is no longer in the plan.
func (l *OutlineLine) Gone() bool { return l.as != nil && l.as.Gone }

// Piece is one of several journals to join.
type Piece struct {
	*Outline

	// Place maps an index in this journal to the joined one; below 0: leave the trial out.
	Place func(index int) int
}

// Compose writes the trials of several journals into a new one, without a footer. Lines are copied, even damaged ones.
// It syncs the file.
func Compose(file Syncer, h JournalHeader, pieces []Piece) (*Journal, error) {
	j, err := NewJournal(file, h)
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		if err := p.copy(j, p.Place); err != nil {
			return nil, err
		}
	}
	if err := file.Sync(); err != nil {
		return nil, fmt.Errorf("sync journal: %w", err)
	}
	return j, nil
}

// copy copies the trials into another journal.
func (o *Outline) copy(to *Journal, place func(index int) int) error {
	lines := slices.Clone(o.Lines)
	slices.SortStableFunc(lines, func(a, b OutlineLine) int { return cmp.Compare(a.at, b.at) })
	in := bufio.NewReaderSize(nil, 1<<16)
	var line, out []byte
	for at, i := int64(-1), 0; i < len(lines); i++ {
		l := &lines[i]
		if l.at != at {
			in.Reset(io.NewSectionReader(o.file, l.at, 1<<62))
		}
		var err error
		if line, err = nextLine(in, line[:0]); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at = l.at + int64(len(line))
		index := place(l.Index)
		if index < 0 {
			continue
		}
		if out, err = l.moved(out[:0], line, index); err != nil {
			return err
		}
		if err := to.write(out); err != nil {
			return err
		}
	}
	return nil
}

// moved appends the line with another plan index.
func (l *OutlineLine) moved(out, line []byte, index int) ([]byte, error) {
	s := trialSpan(0, line)
	if s.at < 0 || s.len <= 0 {
		return nil, fmt.Errorf("corrupt journal: there is no trial at byte %d to keep", l.at)
	}
	trial, rest := line[s.at:s.at+int64(s.len)], bytes.TrimRight(line[s.at+int64(s.len):], " \t\r\n")
	if l.as != nil {
		var err error
		if trial, err = l.as.applyTo(trial); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
	}
	out = strconv.AppendInt(append(out, indexKey...), int64(index), 10)
	out = append(append(append(out, trialKey...), trial...), rest...)
	return append(out, '\n'), nil
}
