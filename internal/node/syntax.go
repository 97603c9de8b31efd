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

var (
	yamlLine   = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)
	yamlAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntaxError makes a diagnostic of the library's error. The library's line is the one where the broken list or map
// begins, counted from 0 or from 1; so the file is read once more, byte by byte, to see where reading ended.
func syntaxError(file string, data []byte, err error) diag.Diagnostic {
	d := diag.Diagnostic{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Width: 1, Code: "yaml-syntax", Msg: err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		d.Msg = m[2]
		if line, convErr := strconv.Atoi(m[1]); convErr == nil {
			d.Pos.Line = int32(line)
		}
	}
	lines := diag.Lines(file, data)
	if m := yamlAnchor.FindStringSubmatch(d.Msg); m != nil {
		d.Msg = "there is no anchor &" + m[1] + " for the alias *" + m[1]
		d.Hint = "quote a text that starts with *"
		d.Pos = find(d.Pos, lines, "*"+m[1])
		d.Width = utf8.RuneCountInString(m[1]) + 1
		return d
	}
	stop := stoppedAt(lines, data)
	if tab, ok := tabIndent(lines, stop); ok {
		d.Pos.Line, d.Pos.Col = tab.Line, tab.Col
		d.Msg, d.Hint = "a tab is used for indentation", "YAML takes only spaces there"
		return d
	}
	for _, p := range phrases {
		if strings.Contains(d.Msg, p.library) {
			d.Msg, d.Hint = p.msg, p.hint
			if !p.opening {
				d.Pos.Line = stop
			}
			break
		}
	}
	d.Pos.Line = min(max(d.Pos.Line, 1), int32(len(lines)))
	text := lines[d.Pos.Line-1]
	d.Pos.Col = int32(utf8.RuneCountInString(text)-utf8.RuneCountInString(strings.TrimLeft(text, " "))) + 1
	d.Width = max(utf8.RuneCountInString(strings.TrimSpace(text)), 1)
	return d
}

// phrases puts the library's errors into words of the user. opening: its line, where the broken text begins, helps
// more than the place where reading ended.
var phrases = []struct {
	library, msg, hint string
	opening            bool
}{
	{library: "did not find expected key", msg: "this line does not line up with the ones above",
		hint: "keys of one map start in the same column, and a value that contains \": \" needs quotes"},
	{library: "did not find expected '-' indicator", msg: "this line does not line up with the list above",
		hint: "entries of one list start with \"- \" in the same column"},
	{library: "mapping values are not allowed", msg: "a \":\" cannot stand here",
		hint: "check the indentation; a value that contains \": \" needs quotes"},
	{library: "block sequence entries are not allowed", msg: "a list cannot start here",
		hint: "put it on a line of its own, below its key"},
	{library: "cannot start any token", msg: "a text cannot start with this character",
		hint: "quote a text that starts with %, @ or `"},
	{library: "did not find expected ',' or ']'", msg: "a list in [ ] is not closed, or lacks a comma"},
	{library: "did not find expected ',' or '}'", msg: "a map in { } is not closed, or lacks a comma"},
	{library: "did not find expected node content", msg: "a value is missing here"},
	{library: "found unexpected end of stream", msg: "a quoted text is not closed", opening: true},
	{library: "found unexpected document indicator", msg: "a quoted text is not closed", opening: true},
	{library: "found unknown escape character", msg: "this escape does not exist in a \"quoted\" text",
		hint: "write \\\\ for a backslash, or use 'single quotes'"},
	{library: "did not find expected alphabetic or numeric character", msg: "this is no name of an anchor",
		hint: "quote a text that starts with * or &"},
	{library: "could not find expected ':'", msg: "a key without \":\"",
		hint: "check the indentation of the lines around it"},
	{library: "control characters are not allowed", msg: "the file holds a control character"},
	{library: "did not find expected <document start>", msg: "the document has already ended here",
		hint: "start another one with a line ---"},
	{library: "exceeded max depth", msg: "the document is nested too deeply"},
}

// byteReader gives the parser one byte at a time, so that its appetite tells how far it came.
type byteReader struct {
	data []byte
	n    int
}

func (r *byteReader) Read(p []byte) (int, error) {
	if r.n == len(r.data) || len(p) == 0 {
		return 0, io.EOF
	}
	p[0] = r.data[r.n]
	r.n++
	return 1, nil
}

// stoppedAt returns the line at which the parser gave up: the last one with text that it read.
func stoppedAt(lines []string, data []byte) int32 {
	const limit = 4 << 20
	if len(data) > limit {
		return 1
	}
	r := &byteReader{data: data}
	dec := yaml.NewDecoder(r)
	for {
		var skip yaml.Node
		if err := dec.Decode(&skip); err != nil {
			if errors.Is(err, io.EOF) {
				return 1
			}
			break
		}
	}
	read := len(diag.Lines("", data[:r.n]))
	for ; read > 1; read-- {
		if text := strings.TrimSpace(lines[read-1]); text != "" && text[0] != '#' {
			break
		}
	}
	return int32(max(read, 1))
}

// tabIndent finds a tab in the indentation of the line where reading stopped, or of its neighbours.
func tabIndent(lines []string, stop int32) (diag.Pos, bool) {
	for _, i := range []int32{stop, stop - 1, stop + 1} {
		if i < 1 || int(i) > len(lines) {
			continue
		}
		line := lines[i-1]
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && strings.TrimSpace(line) != "" {
			return diag.Pos{Line: i, Col: int32(tab + 1)}, true
		}
	}
	return diag.Pos{}, false
}

// find places pos at the first occurrence of a text.
func find(pos diag.Pos, lines []string, text string) diag.Pos {
	for i, line := range lines {
		if at := bytes.Index([]byte(line), []byte(text)); at >= 0 {
			pos.Line, pos.Col = int32(i+1), int32(utf8.RuneCountInString(line[:at])+1)
			break
		}
	}
	return pos
}
