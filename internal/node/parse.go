package node

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"go.yaml.in/yaml/v3"
)

// Limits for files that were made to hurt. Real projects are far below both.
const (
	MaxBytes      = 64 << 20 // of one file
	maxAliasNodes = 1 << 20  // limit of nodes that aliases add to a document, besides four times its own nodes
)

// Parse reads the documents of a YAML or JSON file. Problems go to the reader's list; valid documents are returned all
// the same. Aliases and merge keys are resolved, so that a Node is a plain tree. Empty documents are left out.
func Parse(r *Reader, data []byte) []*Node {
	data, ok := checkEncoding(r, data)
	if !ok {
		return nil
	}
	if strings.HasSuffix(strings.ToLower(r.File), ".json") {
		return parseJSON(r, data)
	}
	return parseYAML(r, data)
}

var bom = []byte("\xef\xbb\xbf")

// checkEncoding refuses invalid UTF-8 and too large files, and drops a byte order mark. YAML and JSON both accept CRLF.
func checkEncoding(r *Reader, data []byte) ([]byte, bool) {
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
		r.Diags.Errorf(invalidAt(r.File, data), 1, "invalid-encoding", "the file is not valid UTF-8 here").
			Hint = "save it as UTF-8"
		return nil, false
	}
	return data, true
}

// invalidAt is the position of the first byte that is not UTF-8.
func invalidAt(file string, data []byte) diag.Pos {
	at := 0
	for at < len(data) {
		c, size := utf8.DecodeRune(data[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	lines := diag.Lines(file, data[:at])
	last := lines[len(lines)-1]
	return diag.Pos{File: file, Line: int32(len(lines)), Col: int32(utf8.RuneCountInString(last) + 1)}
}

func parseYAML(r *Reader, data []byte) []*Node {
	r.source, r.lines, r.last = data, nil, place{}
	if root := plainDocument(data); root != nil {
		if (&resolver{r: r}).run(root) {
			return []*Node{root}
		}
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	lines := joinMarker{data: data}
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
		lines.run(root)
		if (&resolver{r: r}).run(root) {
			docs = append(docs, root)
		}
	}
}
