package node

import (
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"go.yaml.in/yaml/v3"
)

var (
	yamlLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`) })
	yamlAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown anchor '(.*)' referenced$`) })
)

// syntaxError makes a diagnostic of the library's error. The library's line is the start of the broken list or map,
// counted from 0 or from 1; so this searches for the line that breaks the file.
func syntaxError(file string, data []byte, err error) diag.Diagnostic {
	d := diag.Diagnostic{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Width: 1, Code: "yaml-syntax", Msg: plainText(err)}
	lines := diag.Lines(file, data)
	d.Pos.Line = firstBadLine(lines, err)
	text := lines[d.Pos.Line-1]
	if m := yamlAnchor().FindStringSubmatch(d.Msg); m != nil {
		d.Msg = "there is no anchor &" + m[1] + " for the alias *" + m[1]
		d.Hint = "quote a text that starts with *"
		before, _, _ := strings.Cut(text, "*"+m[1])
		d.Pos.Col = int32(utf8.RuneCountInString(before) + 1)
		d.Width = utf8.RuneCountInString(m[1]) + 1
		return d
	}
	if line, col, what := foreignLine(lines); what != "" {
		d.Pos.Line, d.Pos.Col = line, col
		d.Msg, d.Hint = what, "YAML takes only plain spaces there: type them anew"
		if strings.HasPrefix(what, "the mark") {
			d.Hint = "take one of the two sides, and the lines <<<<<<<, ======= and >>>>>>> out"
		}
		return d
	}
	if col, ok := tabIndent(text); ok {
		d.Pos.Col = col
		d.Msg, d.Hint = "a tab is used for indentation", "YAML takes only spaces there"
		return d
	}
	if strings.Contains(d.Msg, "did not find expected ','") {
		if line, col, ok := flowQuestion(lines, int(d.Pos.Line)-1); ok {
			d.Pos.Line, d.Pos.Col = line, col
			d.Msg, d.Hint = "a ? cannot stand here, within { } or [ ]", "put the text in quotes"
			return d
		}
	}
	if line, width, ok := dashWithoutBlank(lines, int(d.Pos.Line)-1); ok {
		d.Pos.Line, d.Pos.Col, d.Width = line, int32(strings.Index(lines[line-1], "-")+1), width
		key := strings.TrimSpace(lines[line-1])[:width]
		d.Msg, d.Hint = "\""+key+"\" begins with a dash that makes no entry of a list", "write a space after it: - "+key[1:]
		return d
	}
	if t, ok := trailingText(text); ok && textTooMany(d.Msg) {
		d.Pos.Col, d.Width, d.Msg, d.Hint = int32(t.col), t.width, t.msg, t.hint
		return d
	}
	for _, p := range translations {
		if strings.Contains(d.Msg, p.theirs) {
			d.Msg, d.Hint = p.msg, p.hint
			break
		}
	}
	d.Pos.Col = int32(utf8.RuneCountInString(text)-utf8.RuneCountInString(strings.TrimLeft(text, " "))) + 1
	d.Width = max(utf8.RuneCountInString(strings.TrimSpace(text)), 1)
	return d
}

// textTooMany reports whether the library expected a line to have ended.
func textTooMany(msg string) bool {
	for _, theirs := range []string{"key", "comment or line break", "'-' indicator", "<document start>"} {
		if strings.Contains(msg, "did not find expected "+theirs) {
			return true
		}
	}
	return false
}

// dashWithoutBlank finds a key with a dash directly before it, such as -type:, in the broken line or the line above.
// width is the length of dash and key.
func dashWithoutBlank(lines []string, at int) (line int32, width int, ok bool) {
	for i := at; i >= max(at-1, 0); i-- {
		text := strings.TrimSpace(lines[i])
		key, _, found := strings.Cut(text, ":")
		if found && len(key) > 1 && key[0] == '-' && !strings.ContainsAny(key[1:], " -\"'{[#") {
			return int32(i + 1), len(key), true
		}
	}
	return 0, 0, false
}

// plainText is the library's message without its line.
func plainText(err error) string {
	if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
		return m[2]
	}
	return err.Error()
}

// firstBadLine returns the line up to which the file has this error.
func firstBadLine(lines []string, err error) int32 {
	const limit = 1 << 20 // bytes; beyond that the search takes too long
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	if size > limit {
		var line int
		if m := yamlLine().FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
			line, _ = strconv.Atoi(m[1]) // digits only; too many of them are cut below
		}
		return int32(min(max(line, 1), len(lines)))
	}
	msg := plainText(err)
	first := sort.Search(len(lines), func(i int) bool {
		found := firstError(strings.Join(lines[:i+1], "\n") + "\n")
		return found != nil && plainText(found) == msg
	})
	return int32(min(first+1, len(lines)))
}

// firstError reads all documents and returns the first error.
func firstError(text string) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var skip yaml.Node
		if err := dec.Decode(&skip); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// translations are the library's errors in the words of users.
var translations = []struct{ theirs, msg, hint string }{
	{theirs: "did not find expected key", msg: "this line does not line up with the ones above",
		hint: "keys of one map start in the same column; quotes and \": \" within a value can be the cause too"},
	{theirs: "did not find expected '-' indicator", msg: "this line does not line up with the list above",
		hint: "entries of one list start with \"- \" in the same column; a further key of an entry, such as params below " +
			"type, is indented two more than its \"- \""},
	{theirs: "mapping values are not allowed", msg: "a \":\" cannot stand here",
		hint: "check the indentation; a value that contains \": \" needs quotes"},
	{theirs: "block sequence entries are not allowed", msg: "a list cannot start here",
		hint: "put it on a line of its own, below its key"},
	{theirs: "cannot start any token", msg: "a text cannot start with this character",
		hint: "quote a text that starts with %, @ or `"},
	{theirs: "did not find expected ',' or ']'", msg: "a list in [ ] is not closed, or lacks a comma",
		hint: "a text in it that begins with {, [ or a quote, and goes on after its end, needs quotes as a whole"},
	{theirs: "did not find expected ',' or '}'", msg: "a map in { } is not closed, or lacks a comma",
		hint: "a text in it that begins with {, [ or a quote, and goes on after its end, needs quotes as a whole"},
	{theirs: "did not find expected node content", msg: "a value is missing here"},
	{theirs: "found unexpected end of stream", msg: "a quoted text is not closed"},
	{theirs: "found unexpected document indicator", msg: "a quoted text is not closed"},
	{theirs: "found unknown escape character", msg: "this escape does not exist in a \"quoted\" text",
		hint: "write \\\\ for a backslash, or use 'single quotes'"},
	{theirs: "did not find expected alphabetic or numeric character", msg: "this is no name of an anchor",
		hint: "quote a text that starts with * or &"},
	{theirs: "could not find expected ':'", msg: "a key without \":\"",
		hint: "write \": \" behind its name, as in content: …; where the line goes on with the text above, indent it more"},
	{theirs: "control characters are not allowed", msg: "the file holds a control character"},
	{theirs: "did not find expected <document start>", msg: "the document has already ended here",
		hint: "start another one with a line ---"},
	{theirs: "exceeded max depth", msg: "the document is nested too deeply"},
}

// tabIndent finds a tab in the indentation of a line.
func tabIndent(line string) (col int32, ok bool) {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	tab := strings.IndexByte(indent, '\t')
	return int32(tab + 1), tab >= 0 && len(indent) < len(line)
}

// foreignLine finds a line that cannot be YAML: a merge conflict marker, or an indentation with non-breaking or other
// special spaces, as copied from web pages.
func foreignLine(lines []string) (line, col int32, what string) {
	for i, text := range lines {
		if strings.HasPrefix(text, "<<<<<<< ") || strings.HasPrefix(text, ">>>>>>> ") {
			return int32(i + 1), 1, "the mark of a merge conflict is still in the file"
		}
		for k, r := range []rune(text) {
			if r != ' ' && unicode.IsSpace(r) && r > unicode.MaxASCII {
				return int32(i + 1), int32(k + 1), "a no-break space is used for indentation"
			}
			if r != ' ' {
				break
			}
		}
	}
	return 0, 0, ""
}
