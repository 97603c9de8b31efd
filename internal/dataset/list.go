package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// list reads the elements of a list in JSON, one after the other.
type list struct {
	in     *bufio.Reader
	offset int64
	line   int
	begun  bool // an element may come without a comma
}

func newList(r io.Reader, from *place) (reader, *fatal) {
	l := &list{in: bufio.NewReaderSize(r, 64<<10), offset: from.offset, line: from.line, begun: true}
	if !from.head { // behind the bracket
		return l, nil
	}
	if c, err := l.sign(); err != nil || c != '[' {
		e := &fatal{l.line, 0, "wrong-type", "the file must be a list of rows",
			`write [{"name": "value"}, …], or JSON lines in a .jsonl`}
		if errors.Is(err, io.EOF) {
			e.code, e.msg = "no-rows", "the file is empty"
		}
		return nil, e
	}
	return l, nil
}

func (*list) header() []string { return nil }

// byte is the next byte.
func (l *list) byte() (byte, error) {
	c, err := l.in.ReadByte()
	if err != nil {
		return 0, err
	}
	l.offset++
	if c == '\n' {
		l.line++
	}
	return c, nil
}

// sign is the next byte that is no space.
func (l *list) sign() (byte, error) {
	for {
		c, err := l.byte()
		if err != nil || !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c, err
		}
	}
}

func (l *list) broken(format string, args ...any) *fatal {
	return &fatal{l.line, 0, "invalid-json", fmt.Sprintf(format, args...), ""}
}

func (l *list) next() (piece, error) {
	c, err := l.sign()
	if err == nil && c == ',' && !l.begun {
		if c, err = l.sign(); err == nil && c == ']' {
			return piece{}, l.broken("a comma stands before the end of the list")
		}
	} else if err == nil && c != ']' && !l.begun {
		return piece{}, l.broken("a comma is missing before the row")
	}
	switch {
	case errors.Is(err, io.EOF):
		return piece{}, l.broken("the list is not closed")
	case err != nil:
		return piece{}, err
	case c == ']':
		if c, err = l.sign(); err == nil {
			return piece{}, l.broken("something comes after the list: %q", c)
		}
		return piece{}, err // io.EOF, and nothing else, is the end
	}
	l.begun = false
	p := piece{line: l.line, start: l.offset - 1}
	text, err := l.element(c)
	if err != nil {
		return piece{}, err
	}
	p.end = l.offset
	if p.values, p.fault = object(text, p.line); p.fault != nil && p.values == nil {
		return piece{}, &fatal{p.line, 0, "invalid-json", p.fault.Msg, p.fault.Hint}
	}
	return p, nil
}

// element is the text of the next element, which begins with a byte.
func (l *list) element(c byte) ([]byte, error) {
	line := l.line
	text, depth, quoted := []byte{c}, 0, false
	for {
		switch last := text[len(text)-1]; {
		case quoted && last == '\\':
			next, err := l.byte()
			if err != nil {
				return nil, l.cut(err)
			}
			text = append(text, next)
		case last == '"':
			quoted = !quoted
		case quoted:
		case last == '{' || last == '[':
			depth++
		case last == '}' || last == ']':
			depth--
		}
		if depth <= 0 && !quoted {
			if ahead, err := l.in.Peek(1); err == nil && strings.IndexByte(",]} \t\r\n", ahead[0]) >= 0 {
				return text, nil
			}
		}
		if len(text) > maxRow {
			return nil, tooLong(line, "")
		}
		next, err := l.byte()
		if err != nil {
			return nil, l.cut(err)
		}
		text = append(text, next)
	}
}

func (l *list) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return l.broken("the list is not closed")
	}
	return err
}
