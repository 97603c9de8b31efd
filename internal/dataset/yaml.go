package dataset

import (
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// maxYAML is the size of the largest list in YAML, in bytes. It is read as a whole.
const maxYAML = 16 << 20

// items are the rows of a list in YAML.
type items struct {
	rows []piece
}

func newYAML(section *io.SectionReader, name string) (reader, *fatal) {
	if section.Size() > maxYAML {
		return nil, &fatal{1, 0, "file-too-large",
			fmt.Sprintf("the list has %d MiB; the limit of YAML is %d MiB", section.Size()>>20, maxYAML>>20),
			"write JSON lines, which are read one by one, into a file .jsonl"}
	}
	data, err := io.ReadAll(section)
	if err != nil {
		return nil, asFatal(err)
	}
	r := node.Reader{File: name, Diags: &diag.List{}}
	docs := node.Parse(&r, data)
	if e := worst(r.Diags); e != nil {
		return nil, e
	}
	if len(docs) == 0 {
		return nil, &fatal{1, 0, "no-rows", "the file is empty", "write a list of rows, each a map of fields"}
	}
	if len(docs) > 1 || docs[0].Kind != node.List {
		return nil, &fatal{docs[0].Line, docs[0].Column, "wrong-type", "the file must be one list of rows",
			"write each row as an entry: - name: value"}
	}
	in := &items{}
	for i, n := range docs[0].Content {
		p := piece{line: n.Line, start: int64(i), end: int64(i + 1)}
		v := r.Any(node.AsSpelt(n))
		if e := worst(r.Diags); e != nil {
			return nil, e
		}
		if values, ok := v.(map[string]any); ok {
			p.values = values
		} else {
			p.fault = &Fault{
				Pos: diag.Pos{Line: int32(n.Line), Col: int32(n.Column)}, Hint: "write name: value",
				Msg: "a row must be a map of fields, found " + kindOf(v),
			}
		}
		in.rows = append(in.rows, p)
	}
	return in, nil
}

// worst is the first error in a list; nil: none.
func worst(d *diag.List) *fatal {
	for _, p := range d.Sorted() {
		if p.Severity == diag.Error {
			return &fatal{int(p.Pos.Line), int(p.Pos.Col), p.Code, p.Msg, p.Hint}
		}
	}
	return nil
}

func (*items) header() []string { return nil }

func (i *items) next() (piece, error) {
	if len(i.rows) == 0 {
		return piece{}, io.EOF
	}
	p := i.rows[0]
	i.rows = i.rows[1:]
	return p, nil
}
