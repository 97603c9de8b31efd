package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"go.yaml.in/yaml/v3"
)

// parseJSON builds nodes from JSON. The YAML parser does not accept tabs for indentation and surrogate pairs.
func parseJSON(r *Reader, data []byte) []*Node {
	p := &jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, col: 1}
	p.dec.UseNumber()
	root, err := p.value(0)
	end := p.next()
	if err == nil {
		if _, more := p.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more text after the end of the document")
		}
	}
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the document ends in the middle")
		}
		line, col := p.place(end)
		hint := ""
		if rest := data[min(end, int64(len(data))):]; bytes.HasPrefix(rest, []byte("//")) ||
			bytes.HasPrefix(rest, []byte("/*")) ||
			bytes.HasPrefix(rest, []byte("#")) {
			err, hint = errors.New("JSON has no comments"), "take it out, or write the file in YAML"
		}
		r.Diags.Errorf(diag.Pos{File: r.File, Line: int32(line), Col: int32(col)}, 1, "json-syntax", "%v", err).Hint = hint
		return nil
	}
	if IsNull(root) {
		return nil
	}
	if !(&resolver{r: r}).run(root) {
		return nil
	}
	return []*Node{root}
}

const maxJSONDepth = 1000

type jsonParser struct {
	data      []byte
	dec       *json.Decoder
	offset    int64 // of line and col
	line, col int
}

// place advances the counted position to an offset.
func (p *jsonParser) place(offset int64) (line, col int) {
	for p.offset < offset && p.offset < int64(len(p.data)) {
		c, size := utf8.DecodeRune(p.data[p.offset:])
		p.offset += int64(size)
		p.col++
		if c == '\n' {
			p.line, p.col = p.line+1, 1
		}
	}
	return p.line, p.col
}

// next is the position of the next token.
func (p *jsonParser) next() int64 {
	at := p.dec.InputOffset()
	for at < int64(len(p.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[at]) >= 0 {
		at++
	}
	return at
}

// token reads the next token with its position.
func (p *jsonParser) token() (json.Token, *Node, error) {
	start := p.next()
	t, err := p.dec.Token()
	if err != nil {
		return nil, nil, err
	}
	line, col := p.place(start)
	return t, &Node{Line: line, Column: col}, nil
}

func (p *jsonParser) value(depth int) (*Node, error) {
	t, n, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.fill(t, n, depth)
}

func (p *jsonParser) fill(t json.Token, n *Node, depth int) (*Node, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxJSONDepth)
	}
	n.Kind = Scalar
	switch t := t.(type) {
	case json.Delim:
		return p.collect(t, n, depth)
	case string:
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if bytes.ContainsAny([]byte(t), ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(t)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

func (p *jsonParser) collect(open json.Delim, n *Node, depth int) (*Node, error) {
	n.Kind, n.Tag = List, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = Map, "!!map"
	}
	for p.dec.More() {
		if n.Kind == Map {
			k, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, k)
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
	}
	_, err := p.dec.Token() // the closing bracket
	return n, err
}
