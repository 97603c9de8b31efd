package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// table reads CSV with a header.
type table struct {
	in      *csv.Reader
	limit   *limited
	columns []string
	base    place
	line    int // of the row before
}

// limited ends a row that does not end.
type limited struct {
	io.Reader

	left int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.Reader.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

var errTooLong = errors.New("the row does not end")

// newCSV starts at the header, or with a header that is known at a row.
func newCSV(r io.Reader, comma rune, from *place, header []string) (reader, *fatal) {
	t := &table{limit: &limited{Reader: r}, base: *from}
	t.in = csv.NewReader(t.limit)
	t.in.Comma, t.in.FieldsPerRecord, t.in.ReuseRecord = comma, -1, true
	if !from.head {
		t.columns = header
		return t, nil
	}
	if e := t.readHeader(); e != nil {
		return nil, e
	}
	return t, nil
}

func (t *table) header() []string { return t.columns }

func (t *table) readHeader() *fatal {
	t.limit.left = maxRow
	cells, err := t.in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return &fatal{1, 0, "no-rows", "the file is empty", "write a header with the names of the fields, and a row below it"}
	case errors.Is(err, errTooLong):
		return tooLong(1, unclosed)
	case err != nil:
		return &fatal{1, 0, "bad-header", "the header cannot be read: " + csvWords(err), ""}
	}
	seen := map[string]bool{}
	for i, name := range cells {
		line, col := t.in.FieldPos(i)
		at := fatal{line: line + t.base.line - 1, col: col, code: "bad-header", hint: "give every column a name of its own"}
		switch name = strings.TrimSpace(name); {
		case !utf8.ValidString(name):
			at.msg, at.hint = "the header is not UTF-8", "save the file as UTF-8"
		case name == "":
			at.msg = fmt.Sprintf("column %d has no name", i+1)
		case seen[name]:
			at.msg = fmt.Sprintf("two columns are called %q", name)
		case len(cells) == 1 && strings.ContainsAny(name, ";\t|") && t.in.Comma == ',':
			at.msg = fmt.Sprintf("the header is one column, %q", name)
			at.hint = "columns are separated by commas; a file with tabs is called .tsv"
		case len(cells) > maxFields:
			at.msg, at.hint = fmt.Sprintf("there are more than %d columns", maxFields), ""
		}
		if at.msg != "" {
			return &at
		}
		seen[name] = true
		t.columns = append(t.columns, name)
	}
	return nil
}

const unclosed = "a quote may not be closed"

func (t *table) next() (piece, error) {
	start := t.base.offset + t.in.InputOffset()
	t.limit.left = maxRow
	cells, err := t.in.Read()
	p := piece{start: start, end: t.base.offset + t.in.InputOffset()}
	wrong, isWrong := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, io.EOF):
		return piece{}, err
	case errors.Is(err, errTooLong):
		return piece{}, tooLong(t.line+1, unclosed)
	case isWrong:
		p.line = wrong.StartLine + t.base.line - 1
		p.fault = &Fault{
			Pos: diag.Pos{Line: int32(wrong.Line + t.base.line - 1), Col: int32(wrong.Column)}, Msg: csvWords(err),
			Hint: `a cell with a quote is written in quotes, and its quotes twice: "say ""hello"""`,
		}
		if wrong.Line != wrong.StartLine {
			p.fault.Msg += fmt.Sprintf("; the row begins on line %d", p.line)
		}
		return p, nil
	case err != nil:
		return piece{}, err
	}
	line, _ := t.in.FieldPos(0)
	p.line = line + t.base.line - 1
	t.line = p.line
	p.values, p.fault = t.row(cells, p.line)
	return p, nil
}

// row makes a row of its cells.
func (t *table) row(cells []string, line int) (map[string]any, *Fault) {
	at := diag.Pos{Line: int32(line)}
	if len(cells) != len(t.columns) {
		return nil, &Fault{
			Pos: at, Msg: fmt.Sprintf("the row has %d cells, and the header %d", len(cells), len(t.columns)),
			Hint: "a cell with a comma or a line break is written in quotes",
		}
	}
	if len(cells) > 1 && slices.Equal(cells, t.columns) {
		return nil, &Fault{Pos: at, Msg: "the row repeats the header", Hint: "take it out; it comes where files are joined"}
	}
	values := make(map[string]any, len(cells))
	for i, cell := range cells {
		if !utf8.ValidString(cell) {
			return nil, &Fault{
				Pos: at, Msg: fmt.Sprintf("the cell %q is not UTF-8", t.columns[i]), Hint: "save the file as UTF-8",
			}
		}
		values[t.columns[i]] = cell
	}
	return values, nil
}

// csvWords says what is wrong with a row.
func csvWords(err error) string {
	switch {
	case errors.Is(err, csv.ErrQuote):
		return "a quoted cell does not end where its quote ends, or its quote is not closed"
	case errors.Is(err, csv.ErrBareQuote):
		return "a quote stands within a cell that is not quoted"
	}
	return err.Error()
}
