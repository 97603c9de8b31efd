package traced

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/spans"
)

// tail reads a file of spans that a program writes, piece by piece.
type tail struct {
	path string
	at   int64
}

// read returns the spans that were written since the last call: those in complete lines, and if the program has ended
// also in the last, incomplete one. A line that is not a span is an error, because information is lost.
func (t *tail) read(ended bool) (list []spans.Span, err error) {
	f, err := plainfile.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("its traces cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.NewSectionReader(f, t.at, spans.MostFile+1))
	if err != nil {
		return nil, fmt.Errorf("its traces cannot be read: %w", err)
	}
	if !ended && len(data) <= spans.MostFile {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	t.at += int64(len(data))
	if bad := spans.Lines(bytes.NewReader(data), func(s spans.Span) { list = append(list, s) }); len(bad) > 0 {
		var all []string
		for _, one := range bad {
			all = append(all, one.Error())
		}
		return nil, fmt.Errorf("traces of the program are lost, and what it did is not known: spans.jsonl: %s",
			strings.Join(all, "; "))
	}
	return list, nil
}
