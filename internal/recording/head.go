package recording

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// head is the start of a file, by which its format is detected.
type head struct {
	kind  byte             // '{', '[', or 0 when it is not JSON
	keys  map[string]value // folded keys of the first object; the last one may be cut
	lines bool             // the first line is a complete JSON value
}

func (h *head) has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := h.keys[k]; !ok {
			return false
		}
	}
	return true
}

func (h *head) keysText() string {
	names := slices.Sorted(maps.Keys(h.keys))
	const shown = 10
	if len(names) > shown {
		names = append(names[:shown], "…")
	}
	for i, n := range names {
		names[i] = cutText(n, 40)
	}
	return strings.Join(names, ", ")
}

// sampleSize is how much of a file is read for detection.
const sampleSize = 64 << 10

// sample returns the first bytes of a file; nil after a problem.
func (s *scan) sample() []byte {
	text := make([]byte, min(s.size, sampleSize))
	if n, err := s.in.ReadAt(text, 0); err != nil && !(errors.Is(err, io.EOF) && n == len(text)) {
		s.err = err
		return nil
	}
	start := diag.Pos{File: s.file, Line: 1, Col: 1}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		s.errorf(start, "invalid-encoding", "the file is UTF-16").Hint = "save it as UTF-8"
		return nil
	}
	if kind := archive(text); kind != "" {
		s.errorf(start, "unread-recording", "this file is %s, which arena does not read", kind).Hint =
			"unpack it"
		return nil
	}
	text = bytes.TrimPrefix(text, []byte(bom))
	if len(bytes.TrimSpace(text)) == 0 && s.size <= sampleSize {
		s.errorf(start, "empty-recording", "the file is empty").Hint = "a recording has at least one message"
		return nil
	}
	return text
}

// archive names the program that packed a file; "": the file is not an archive.
func archive(text []byte) string {
	for _, known := range []struct{ start, name string }{
		{"PK\x03\x04", "a zip archive"}, {"PK\x05\x06", "an empty zip archive"},
		{"\x1f\x8b", "packed by gzip"}, {"\x28\xb5\x2f\xfd", "packed by zstd"}, {"PAR1", "a table of Parquet"},
		{"SQLite format 3\x00", "a database of SQLite"},
	} {
		if bytes.HasPrefix(text, []byte(known.start)) {
			return known.name
		}
	}
	return ""
}

// detect finds the format of a file; nil after a problem.
func (s *scan) detect() *format {
	text := s.sample()
	if text == nil {
		return nil
	}
	h := &head{}
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		h.kind = start[0]
	}
	first, p, problem := s.firstLine()
	switch {
	case h.kind == '{' && first.kind() != 0:
		h.lines = true
		h.readKeys(first)
	case h.kind == '{' && problem != nil && hasLinesExtension(s.file):
		problem.report(s.problems, s.file, p)
		return nil
	default:
		h.readKeys(value{text: start})
	}
	if f := h.match(); f != nil && (h.lines || h.kind == 0 || s.size <= sampleSize || f.early) {
		return f
	}
	if h.kind != 0 && !h.lines { // the decisive keys may come late
		doc, _, ok := s.document()
		if !ok {
			return nil
		}
		h.readKeys(doc)
		if f := h.match(); f != nil {
			return f
		}
	}
	s.unknown(h)
	return nil
}

// hasLinesExtension reports whether the file name says JSON lines. It matters only when the first line is broken.
func hasLinesExtension(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".jsonl", ".ndjson":
		return true
	}
	return false
}

func (h *head) match() *format {
	for _, f := range formats() {
		if f.detect(h) {
			return &f
		}
	}
	return nil
}

// readKeys reads the keys of an object, which may be cut, or those of the first object in a list.
func (h *head) readKeys(v value) {
	h.keys = map[string]value{}
	if h.kind == '[' {
		list := v
		v = value{}
		for v = range list.items {
			break
		}
	}
	for key, member := range v.members {
		if name := foldKey(key); h.keys[name].text == nil {
			h.keys[name] = member
		}
	}
}

// firstLine returns the first line that is not blank if it is a JSON value, or its problem.
func (s *scan) firstLine() (v value, p span, problem *badJSON) {
	r := newLineReader(s.in, s.size, s.limits.Line)
	for {
		text, p, _, err := r.next()
		if err != nil || text == nil { // reading the file reports it
			return value{}, p, nil
		}
		if t := bytes.TrimSpace(text); len(t) > 0 {
			if problem := syntax(t); problem != nil {
				return value{}, p, problem
			}
			return value{text: t}, p, nil
		}
	}
}
