package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// badJSON is a syntax error.
type badJSON struct {
	text []byte
	at   int  // offset of the mistake
	cut  bool // it ends too early
	msg  string
}

// syntax returns the syntax error of a JSON value, or nil.
func syntax(text []byte) *badJSON {
	if json.Valid(text) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	bad := new(json.SyntaxError)
	if !errors.As(err, &bad) {
		return &badJSON{text: text, msg: "not valid JSON"}
	}
	at := max(int(bad.Offset)-1, 0)
	if bad.Error() == "unexpected end of JSON input" {
		return &badJSON{text: text, at: len(text), cut: true, msg: "the text ends in the middle"}
	}
	return &badJSON{text: text, at: min(at, len(text)), msg: bad.Error()}
}

// report reports the error; p is the start of the text.
func (b *badJSON) report(problems *diag.List, file string, p span) {
	line, col := (&locator{text: b.text, line: p.line, col: max(p.col, 1)}).place(b.at)
	problems.Errorf(diag.Pos{File: file, Line: line, Col: col}, 1, "json-syntax", "not valid JSON: %s", b.msg)
}

// locator converts offsets to lines and columns. It is fast when offsets grow.
type locator struct {
	text      []byte
	offset    int
	line, col int32

	start *locator // where it began; set when it first moves
}

func (l *locator) place(offset int) (line, col int32) {
	if l.start == nil {
		l.start = &locator{line: l.line, col: l.col}
	}
	if offset < l.offset {
		l.offset, l.line, l.col = 0, l.start.line, l.start.col
	}
	for offset = min(offset, len(l.text)); l.offset < offset; {
		rest := l.text[l.offset:offset]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			l.offset += end + 1
			l.line, l.col = l.line+1, 1
			continue
		}
		l.col += int32(utf8.RuneCount(rest))
		l.offset = offset
	}
	return l.line, l.col
}
