package node_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

func parse(file, src string) ([]*node.Node, []diag.Diagnostic) {
	var l diag.List
	docs := node.Parse(&node.Reader{File: file, Diags: &l}, []byte(src))
	return docs, l.Sorted()
}

// brief is line:col code of every problem.
func brief(diags []diag.Diagnostic) []string {
	out := []string{}
	for _, d := range diags {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code))
	}
	return out
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, src string
		want, msg       string
	}{
		{"map out of line", "f.yaml", "a:\n  b: 1\n c: 2\nd: 3\n", "3:2", "does not line up"},
		{"less indented sibling", "f.yaml", "a:\n    b: 1\n  c: 2\n", "3:3", "does not line up"},
		{"key beside a list", "f.yaml", "a:\n  - b: 1\n   c: 2\n", "3:4", "does not line up with the list"},
		{"list after a map", "f.yaml", "a: 1\n- b\n", "2:1", "does not line up"},
		{"colon in a value", "f.yaml", "x: 1\na: hello: world\n", "2:1", `a ":" cannot stand here`},
		{"indented sibling", "f.yaml", "a: 1\n  b: 2\n", "2:3", `a ":" cannot stand here`},
		{"open bracket", "f.yaml", "x: 1\na: [1, 2\nb: 3\n", "2:1", "a list in [ ]"},
		{"open brace", "f.yaml", "x: 1\na: {b: 1\nc: 3\n", "2:1", "a map in { }"},
		{"open quote", "f.yaml", "x: \"abc\ny: 2\nz: 3\n", "1:1", "a quoted text is not closed"},
		{"open quote later", "f.yaml", "v: 1\nw: 2\nx: 'abc\ny: 2\n", "3:1", "a quoted text is not closed"},
		{"reserved sign", "f.yaml", "x: `foo\n", "1:1", "cannot start with this character"},
		{"unknown anchor", "f.yaml", "x: 1\ny: *foo bar\n", "2:4", "no anchor &foo"},
		{"tab", "f.yaml", "a:\n\t- b\n", "2:1", "a tab is used"},
		{"tab after spaces", "f.yaml", "a:\n  b:\n  \tc: 1\n", "3:3", "a tab is used"},
		{"escape", "f.yaml", "x: 1\ny: \"a\\qb\"\n", "2:1", "this escape"},
		{"missing colon", "f.yaml", "a: 1\nb\nc: 2\n", "2:1", `a key without ":"`},
		{"list behind a key", "f.yaml", "a: - b\n", "1:1", "a list cannot start here"},
		{"second document", "f.yaml", "a: 1\n---\nb: [\n", "3:1", "a value is missing"},
		{"template without quotes", "f.yaml", "a: {{x}}\n", "1:5", "a key must be text"},
		{"cyclic alias", "f.yaml", "a: &x [*x]\n", "1:4", "contains itself"},
		{"merge of text", "f.yaml", "a: &x foo\nb:\n  <<: *x\n", "3:3", "<< must name a map"},
		{"utf-16", "f.yaml", "\xff\xfea\x00", "1:1", "UTF-16"},
		{"invalid utf-8", "f.yaml", "a: 1\nb: ö\xff\n", "2:5", "not valid UTF-8"},
		{"crlf", "f.yaml", "a: 1\r\nb: [\r\n", "2:1", "a value is missing"},
		{"json cut", "f.json", "{\"a\": [1, 2", "1:12", "ends in the middle"},
		{"json comma", "f.json", "{\n  \"a\": 1,\n}\n", "3:1", "invalid character '}'"},
		{"json quotes", "f.json", "{\n  'a': 1\n}\n", "2:3", "invalid character '\\''"},
		{"json tail", "f.json", "{}\n{}\n", "2:1", "more text after the end"},
		{"json colon", "f.json", "{\"a\" 1}", "1:6", "after object key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, diags := parse(tt.file, tt.src)
			if len(diags) != 1 {
				t.Fatalf("problems: got %v, want 1", brief(diags))
			}
			d := diags[0]
			if got := fmt.Sprintf("%d:%d", d.Pos.Line, d.Pos.Col); got != tt.want || !strings.Contains(d.Msg, tt.msg) {
				t.Errorf("got %s %q, want %s %q", got, d.Msg, tt.want, tt.msg)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, src string
		want            []any
	}{
		{"empty", "f.yaml", "", nil},
		{"comment only", "f.yaml", "# nothing\n", nil},
		{"null document", "f.yaml", "---\n---\na: 1\n", []any{map[string]any{"a": num("1")}}},
		{"byte order mark", "f.yaml", "\xef\xbb\xbfa: 1\n", []any{map[string]any{"a": num("1")}}},
		{"crlf", "f.yaml", "a: 1\r\nb: two\r\n", []any{map[string]any{"a": num("1"), "b": "two"}}},
		{"alias", "f.yaml", "a: &x {b: 1}\nc: *x\n", []any{map[string]any{
			"a": map[string]any{"b": num("1")}, "c": map[string]any{"b": num("1")},
		}}},
		{"merge", "f.yaml", "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", []any{map[string]any{
			"a": map[string]any{"b": num("1"), "c": num("2")}, "d": map[string]any{"b": num("1"), "c": num("3")},
		}}},
		{"merge of two", "f.yaml", "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nd: {<<: [*x, *y]}\n", []any{map[string]any{
			"a": map[string]any{"k": num("1")}, "b": map[string]any{"k": num("2"), "l": num("2")},
			"d": map[string]any{"k": num("1"), "l": num("2")},
		}}},
		{"merge of a merge", "f.yaml", "a: &x {k: 1}\nb: &y {<<: *x, l: 2}\nc: {<<: *y}\n", []any{map[string]any{
			"a": map[string]any{"k": num("1")}, "b": map[string]any{"k": num("1"), "l": num("2")},
			"c": map[string]any{"k": num("1"), "l": num("2")},
		}}},
		{"json", "f.json", "{\"a\": [1, 2.5e3, true, null, \"\\ud83d\\ude00\"]}", []any{map[string]any{
			"a": []any{num("1"), num("2.5e3"), true, nil, "😀"},
		}}},
		{"json with tabs", "f.json", "{\n\t\"a\": 1\n}\n", []any{map[string]any{"a": num("1")}}},
		{"numbers of yaml", "f.yaml", "[0x1F, 0o17, 1_000, .5, 12345678901234567890]", []any{[]any{
			num("31"), num("15"), num("1000"), num("0.5"), num("12345678901234567890"),
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var l diag.List
			r := &node.Reader{File: tt.file, Diags: &l}
			var got []any
			for _, doc := range node.Parse(r, []byte(tt.src)) {
				got = append(got, r.Any(doc))
			}
			if l.Errors() > 0 {
				t.Fatalf("problems: %v", l.Sorted())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("values differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	docs, diags := parse("bomb.yaml", b.String())
	if len(docs) != 0 || len(diags) != 1 || diags[0].Code != "yaml-bomb" {
		t.Errorf("got %d documents and %v, want the bomb refused", len(docs), brief(diags))
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	_, diags := parse("big.yaml", strings.Repeat("#", node.MaxBytes+1))
	if diff := cmp.Diff([]string{"0:0 file-too-large"}, brief(diags)); diff != "" {
		t.Error(diff)
	}
}

// TestDeep: nesting that would overflow the stack of a careless reader is refused or read, never a crash.
func TestDeep(t *testing.T) {
	t.Parallel()
	for file, src := range map[string]string{
		"deep.yaml": strings.Repeat("[", 200_000), "deep.json": strings.Repeat("[", 200_000),
		"map.yaml": strings.Repeat("{a: ", 50_000), "map.json": strings.Repeat("{\"a\":", 50_000),
	} {
		docs, diags := parse(file, src)
		if len(docs) != 0 || len(diags) != 1 {
			t.Errorf("%s: got %d documents, %d problems; want 0 and 1", file, len(docs), len(diags))
		}
	}
}

func TestDuplicatesOfALongMap(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	b.WriteString("k7: 2\n")
	_, diags := parse("f.yaml", b.String())
	if diff := cmp.Diff([]string{"101:1 duplicate-key"}, brief(diags)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseYAML(f *testing.F) {
	seeds, err := filepath.Glob("testdata/fuzz/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range seeds {
		data, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, s := range []string{
		"a: &x [*x]\n", "a: {<<: {b: 1}}", "? [a]\n: b", "a: |\n  text\r\n more", "\t- x", "a: \"\\x\"", "- - - -",
		"%YAML 1.1\n---\n*a",
		"\xef\xbb\xbfa: 1", "a: b\u2028c: d", "a: b\rc: [", "<<: *a", "!!binary x", "a: !!float .nan", "x: \x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) { neverOutside(t, "f.yaml", src) })
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		"{}", "[1,", "{\"a\":{\"a\":1}}", "\"\\ud800\"", "nul", "{\"a\" 1}", "[]]", "1e400", "\xef\xbb\xbf{}",
		"{\"a\":1,\"a\":2}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) { neverOutside(t, "f.json", src) })
}

// neverOutside reads a file as its values would be read and checks that every place lies in the file.
func neverOutside(t *testing.T, file, src string) {
	var l diag.List
	r := &node.Reader{File: file, Diags: &l}
	for _, doc := range node.Parse(r, []byte(src)) {
		r.Any(doc)
		r.Fields(doc, "the file", []string{"a"}, func(_ string, _, v *node.Node) {
			r.String(v, "a")
			r.Strings(v, "a")
			r.StringMap(v, "a")
			r.Int(v, "a", 0, 1)
			r.Float(v, "a", 0, 1)
			r.Bool(v, "a")
			r.Duration(v, "a")
			r.OneOf(v, "a", "x", "y")
		})
	}
	lines := diag.Lines(file, []byte(src))
	for _, d := range l.Sorted() {
		if d.Pos.Line == 0 {
			continue
		}
		if int(d.Pos.Line) > len(lines)+1 {
			t.Fatalf("%s is below the file of %d lines: %s", d.Pos, len(lines), d.Msg)
		}
		if int(d.Pos.Line) <= len(lines) && int(d.Pos.Col) > utf8.RuneCountInString(lines[d.Pos.Line-1])+2 {
			t.Fatalf("%s is right of the line %q: %s", d.Pos, lines[d.Pos.Line-1], d.Msg)
		}
	}
}
