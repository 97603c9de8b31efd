package calibrate

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// document reads a list in JSON or YAML, or the documents of a YAML stream.
func (r *labelReader) document(data []byte) {
	docs := node.Parse(&r.Reader, data)
	for _, doc := range docs {
		if doc.Kind == node.Map && len(docs) > 1 {
			r.entry(doc)
			continue
		}
		r.Items(doc, "the labels", func(_ int, n *node.Node) { r.entry(n) })
	}
}

// lines reads a JSON object per line. An invalid line does not keep the others from being read.
func (r *labelReader) lines(data []byte) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	line := int32(0)
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		own := node.Reader{File: "line.json", Diags: &diag.List{}} // the .json name makes the parser strict
		docs := node.Parse(&own, text)
		for _, d := range own.Diags.Sorted() {
			d.Pos = diag.Pos{File: r.File, Line: line, Col: d.Pos.Col}
			r.Diags.Add(d)
		}
		for _, doc := range docs {
			moveToLine(doc, int(line))
			r.entry(doc)
		}
	}
}

// moveToLine corrects the positions of a value that was parsed alone.
func moveToLine(n *node.Node, line int) {
	n.Line = line
	for _, v := range n.Content {
		moveToLine(v, line)
	}
}

// table reads rows below a header. Empty cells are left out.
func (r *labelReader) table(data []byte, comma rune) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	in.Comma, in.FieldsPerRecord = comma, -1
	header, err := in.Read()
	if err != nil {
		r.tableError(err)
		return
	}
	if !r.header(header) {
		return
	}
	for {
		cells, err := in.Read()
		if err != nil {
			r.tableError(err)
			return
		}
		line, _ := in.FieldPos(0)
		if len(cells) != len(header) {
			r.Diags.Errorf(diag.Pos{File: r.File, Line: int32(line)}, 0, "wrong-length",
				"the header has %d cells, this row %d", len(header), len(cells)).
				Hint = "put a cell with the separator, a quote or a line break in double quotes"
			continue
		}
		r.entry(rowNode(header, cells, line))
	}
}

func (r *labelReader) tableError(err error) {
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(err, &bad):
		r.Diags.Errorf(diag.Pos{File: r.File, Line: int32(bad.Line)}, 0, "csv-syntax", "%v", bad.Err).
			Hint = `a quote within a quoted cell is written twice: "he said ""no"""`
	default:
		r.Diags.Errorf(diag.Pos{File: r.File}, 0, "csv-syntax", "%v", err)
	}
}

// header reports missing columns, once for the whole table.
func (r *labelReader) header(names []string) bool {
	ok := true
	for i := range columns {
		c := &columns[i]
		found := false
		for _, name := range names {
			found = found || columnOf(name) == c
		}
		if c.must && !found {
			ok = false
			r.Diags.Errorf(diag.Pos{File: r.File, Line: 1}, 0, "missing-field", "the header has no %s", c.names[0]).
				Hint = "the first line names the columns: text,label,critique"
		}
	}
	return ok
}

// rowNode returns a row as a map.
func rowNode(header, cells []string, line int) *node.Node {
	row := &node.Node{Kind: node.Map, Tag: "!!map", Line: line}
	text := func(s string) *node.Node { return &node.Node{Kind: node.Scalar, Tag: "!!str", Value: s, Line: line} }
	for i, name := range header {
		c := columnOf(name)
		if cells[i] == "" && (c == nil || !c.must) {
			continue
		}
		row.Content = append(row.Content, text(strings.TrimSpace(name)), text(cells[i]))
	}
	return row
}
