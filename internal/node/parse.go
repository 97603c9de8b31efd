package node

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"gopkg.in/yaml.v3"
)

// Limits for files that were made to hurt. Real projects are far below both.
const (
	MaxBytes = 64 << 20 // of one file
	maxNodes = 20 << 20 // of one document with every alias written out
)

// Parse reads the documents of a YAML or JSON file. Problems go to the reader's list; the documents that could be
// read are returned all the same. Aliases are resolved and merge keys spread, so that a Node is a plain tree. An
// empty document is left out.
func Parse(r *Reader, data []byte) []*Node {
	data, ok := clean(r, data)
	if !ok {
		return nil
	}
	if strings.HasSuffix(strings.ToLower(r.File), ".json") {
		return parseJSON(r, data)
	}
	return parseYAML(r, data)
}

var bom = []byte("\xef\xbb\xbf")

// clean refuses what no parser should see and drops a byte order mark. CRLF stays: yaml and json both read it.
func clean(r *Reader, data []byte) ([]byte, bool) {
	if len(data) > MaxBytes {
		r.Diags.Errorf(diag.Pos{File: r.File}, 1, "file-too-large", "the file has %d MiB; the limit is %d MiB",
			len(data)>>20, MaxBytes>>20)
		return nil, false
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		r.Diags.Errorf(diag.Pos{File: r.File, Line: 1, Col: 1}, 1, "invalid-encoding", "the file is UTF-16").
			Hint = "save it as UTF-8"
		return nil, false
	}
	data = bytes.TrimPrefix(data, bom)
	if !utf8.Valid(data) {
		pos := invalidAt(data)
		pos.File = r.File
		r.Diags.Errorf(pos, 1, "invalid-encoding", "the file is not valid UTF-8 here").Hint = "save it as UTF-8"
		return nil, false
	}
	return data, true
}

func invalidAt(data []byte) diag.Pos {
	line, col := int32(1), int32(1)
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		if c == utf8.RuneError && size == 1 {
			break
		}
		col++
		if c == '\n' {
			line, col = line+1, 1
		}
		data = data[size:]
	}
	return diag.Pos{Line: line, Col: col}
}

func parseYAML(r *Reader, data []byte) []*Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*Node
	for {
		var doc Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			r.Diags.Add(syntaxError(r.File, data, err))
			return docs
		}
		if len(doc.Content) == 0 || IsNull(doc.Content[0]) {
			continue
		}
		root := doc.Content[0]
		if (&resolver{r: r}).run(root) {
			docs = append(docs, root)
		}
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxError takes the line out of the library's text. The library counts some lines from 0 and blames the line
// after the mistake for others, so only the line is given, and tabs, the most common cause, are looked for.
func syntaxError(file string, data []byte, err error) diag.Diagnostic {
	d := diag.Diagnostic{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Width: 1, Code: "yaml-syntax", Msg: err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		d.Msg = m[2]
		if line, convErr := strconv.Atoi(m[1]); convErr == nil {
			d.Pos.Line = int32(line)
		}
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(bytes.TrimSpace(line)) > 0 && i+2 >= int(d.Pos.Line) {
			d.Pos.Line, d.Pos.Col = int32(i+1), int32(tab+1)
			d.Hint = "YAML does not allow tabs for indentation; use spaces"
			break
		}
	}
	return d
}
