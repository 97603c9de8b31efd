package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// lines reads JSON lines. Empty lines are no rows.
type lines struct {
	in     *bufio.Reader
	offset int64
	line   int
}

func newLines(r io.Reader, from *place) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), offset: from.offset, line: from.line}
}

func (*lines) header() []string { return nil }

func (l *lines) next() (piece, error) {
	for {
		text, err := l.text()
		if err != nil {
			return piece{}, err
		}
		p := piece{line: l.line, start: l.offset, end: l.offset + int64(len(text))}
		l.offset = p.end
		l.line++
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 {
			p.values, p.fault = object(trimmed, p.line)
			return p, nil
		}
	}
}

// text is the next line with its end.
func (l *lines) text() ([]byte, error) {
	text, err := l.in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) && len(text) > 0 {
		return text, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	whole := bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > maxRow {
			return nil, tooLong(l.line, "")
		}
		text, err = l.in.ReadSlice('\n')
		whole = append(whole, text...)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return whole, err
}

func tooLong(line int, hint string) *fatal {
	return &fatal{line, 0, "row-too-long", fmt.Sprintf("a row has more than %d MiB", maxRow>>20), hint}
}

// maxDepth is how deep lists and maps may be nested.
const maxDepth = 200

// object reads one row of JSON.
func object(text []byte, line int) (map[string]any, *Fault) {
	fault := func(col int, format string, args ...any) *Fault {
		return &Fault{Pos: diag.Pos{Line: int32(line), Col: int32(col)}, Msg: fmt.Sprintf(format, args...)}
	}
	if !utf8.Valid(text) {
		return nil, &Fault{Pos: diag.Pos{Line: int32(line)}, Msg: "the row is not UTF-8", Hint: "save the file as UTF-8"}
	}
	if jsonvalue.Deeper(text, maxDepth) {
		return nil, fault(0, "lists and maps stand within each other more than %d deep", maxDepth)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fault(utf8.RuneCount(text)+1, "the row is no JSON: it breaks off")
		}
		col := 0
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			col = utf8.RuneCount(text[:min(max(int(at.Offset)-1, 0), len(text))]) + 1
		}
		return nil, fault(col, "the row is no JSON: %v", jsonvalue.Explain(err))
	}
	values, ok := v.(map[string]any)
	if !ok {
		e := fault(1, "a row must be a map of fields, found %s", kindOf(v))
		e.Hint = `write {"name": "value"}`
		return nil, e
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		e := fault(utf8.RuneCount(text[:len(text)-len(rest)])+1, "something comes after the row: %q",
			ellipsis.Runes(string(rest), 20))
		e.Hint = "each row has a line of its own"
		return nil, e
	}
	if key, twice := jsonvalue.KeyTwiceAsWritten(text); twice {
		return nil, fault(1, "the key %q stands twice", key)
	}
	return values, nil
}
