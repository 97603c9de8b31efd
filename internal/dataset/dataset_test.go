package dataset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
)

func inMemory(name, text string) *dataset.File {
	return dataset.New(name, dataset.InMemory([]byte(text)))
}

// read lists the rows of a file, one on each line: id, line, and content or error.
func read(t testing.TB, f *dataset.File) (rows []string) {
	t.Helper()
	var d diag.List
	if !f.Index(&d) {
		t.Fatal(d.Sorted())
	}
	for i := range f.Len() {
		rows = append(rows, line(t, f, i))
	}
	return rows
}

func line(t testing.TB, f *dataset.File, i int) string {
	t.Helper()
	r, err := f.Row(i)
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != f.ID(i) || r.Number != i+1 {
		t.Errorf("row %d is %q, number %d; its id is %q", i, r.ID, r.Number, f.ID(i))
	}
	if r.Fault != nil {
		return fmt.Sprintf("%s: %s", r.ID, r.Fault)
	}
	return fmt.Sprintf("%s:%d %s", r.ID, r.Pos.Line, r.Canonical())
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"a.jsonl", "{\"id\":\"x\",\"n\":4.10,\"l\":[1,\"a\"]}\n\n  \n{\"q\":\"ü\\u0000\",\"id\":null}\r\n{\"id\":7}",
			[]string{`x:1 {"id":"x","l":[1,"a"],"n":4.10}`, `row-2:4 {"q":"ü\u0000"}`, `7:5 {"id":7}`}},
		{"a.jsonl", "\ufeff{\"q\":1}\n", []string{`row-1:1 {"q":1}`}},
		{"a.ndjson", "{\"q\":1}\n{\"q\":\n[1]\n{\"q\":1} {\"q\":2}\n{\"q\":1,\"q\":2}\nx\n", []string{
			`row-1:1 {"q":1}`, "row-2: a.ndjson:2:6: the row is no JSON: it breaks off",
			`row-3: a.ndjson:3:1: a row must be a map of fields, found a list (write {"name": "value"})`,
			`row-4: a.ndjson:4:9: something comes after the row: "{\"q\":2}" (each row has a line of its own)`,
			`row-5: a.ndjson:5:1: the key "q" stands twice`,
			`row-6: a.ndjson:6:1: the row is no JSON: invalid character 'x' looking for beginning of value`,
		}},
		{"a.csv", "\ufeffid, q\r\n1,\"a, \"\"b\"\"\nc\"\r\n\r\n2,\n,x\n", []string{
			`1:2 {"id":"1","q":"a, \"b\"\nc"}`, `2:5 {"id":"2","q":""}`, `row-3:6 {"id":"","q":"x"}`,
		}},
		{"a.csv", "id,q\n1,a \"b\"\n2,b\n3\n4,\xff\n5,\"open\n6,x\n", []string{
			"row-1: a.csv:2:5: a quote stands within a cell that is not quoted " +
				`(a cell with a quote is written in quotes, and its quotes twice: "say ""hello""")`,
			`2:3 {"id":"2","q":"b"}`,
			"row-3: a.csv:4: the row has 1 cells, and the header 2 (a cell with a comma or a line break is written in quotes)",
			`row-4: a.csv:5: the cell "q" is not UTF-8 (save the file as UTF-8)`,
			"row-5: a.csv:7:5: a quoted cell does not end where its quote ends, or its quote is not closed; " +
				"the row begins on line 6 " +
				`(a cell with a quote is written in quotes, and its quotes twice: "say ""hello""")`,
		}},
		{"a.csv", "id,q\n1,a\nid,q\n2,b\n", []string{
			`1:2 {"id":"1","q":"a"}`, "row-2: a.csv:3: the row repeats the header (take it out; it comes where files are joined)",
			`2:4 {"id":"2","q":"b"}`,
		}},
		{"a.csv", "word\nword\n", []string{`row-1:2 {"word":"word"}`}},
		{"a.tsv", "id\tq\n1\ta,b\n", []string{`1:2 {"id":"1","q":"a,b"}`}},
		{"a.json", "[{\"q\": \"]}\\\"\"},\n {\"q\": [{}]\n}\n]\n", []string{`row-1:1 {"q":"]}\""}`, `row-2:2 {"q":[{}]}`}},
		{"a.yaml", "- q: yes please\n  n: 1.10\n- 4\n- q: [a]\n", []string{
			`row-1:1 {"n":1.10,"q":"yes please"}`,
			"row-2: a.yaml:3:3: a row must be a map of fields, found a number (write name: value)", `row-3:4 {"q":["a"]}`,
		}},
		{"a.yaml", "- {a: 02134, b: 0x1F, c: 1_000, d: 0b11, e: 0o17, f: .5, g: +1, h: 1., i: [007, {j: 1_0.5}]}\n" +
			"- {a: 1.10, b: 1e3, c: -4, d: 5.0, e: yes, f: 2024-01-01, g: true, h: 12345678901234567890123, i: ~}\n" +
			"- {id: 007, a: 99999999999999999999}\n", []string{
			`row-1:1 {"a":"02134","b":"0x1F","c":"1_000","d":"0b11","e":"0o17","f":".5","g":"+1","h":"1.",` +
				`"i":["007",{"j":"1_0.5"}]}`,
			`row-2:2 {"a":1.10,"b":1e3,"c":-4,"d":5.0,"e":"yes","f":"2024-01-01","g":true,"h":12345678901234567890123}`,
			`007:3 {"a":99999999999999999999,"id":"007"}`,
		}},
	} {
		if diff := cmp.Diff(c.want, read(t, inMemory(c.file, c.text))); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.file, c.text, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"a.jsonl", "", "a.jsonl:1: error: the file has no rows"},
		{"a.jsonl", "\n \n", "a.jsonl:1: error: the file has no rows"},
		{"a.csv", "", "a.csv:1: error: the file is empty"},
		{"a.csv", "id,q\n", "a.csv:1: error: the file has a header and no rows"},
		{"a.csv", "id,,q\n1,2,3\n", "a.csv:1:4: error: column 2 has no name"},
		{"a.csv", "q, q\n1,2\n", `a.csv:1:3: error: two columns are called "q"`},
		{"a.csv", "id;q\n1;2\n", `a.csv:1:1: error: the header is one column, "id;q"`},
		{"a.csv", "\xff\xfei\x00", "a.csv:1:1: error: the file is UTF-16"},
		{"a.csv", "id\na\nb\na\n", `a.csv:4: error: the id "a" is that of the row on line 2 already`},
		{"a.jsonl", `{"id":[1]}`, "a.jsonl:1: error: the id must be a text or a number, found a list"},
		{"a.jsonl", `{"id":"a,b"}`, `a.jsonl:1: error: the id "a,b" has a bracket, a comma or a sign that is not seen`},
		{"a.jsonl", `{"id":" a"}`, `a.jsonl:1: error: the id " a" begins or ends with a space`},
		{"a.jsonl", "{\"id\":\"row-2\"}\n{}", `a.jsonl:2: error: the id "row-2" is that of the row on line 1 already`},
		{"a.json", "", "a.json:1: error: the file is empty"},
		{"a.json", "{}", "a.json:1: error: the file must be a list of rows"},
		{"a.json", "[]", "a.json:1: error: the file has no rows"},
		{"a.json", "[{},]", "a.json:1: error: a comma stands before the end of the list"},
		{"a.json", "[{} {}]", "a.json:1: error: a comma is missing before the row"},
		{"a.json", "[{}", "a.json:1: error: the list is not closed"},
		{"a.json", "[{}]\nx", "a.json:2: error: something comes after the list: 'x'"},
		{"a.json", "[\n{\"a\":}]", "a.json:2: error: the row is no JSON: invalid character '}' looking for beginning of value"},
		{"a.yaml", "", "a.yaml:1: error: the file is empty"},
		{"a.yaml", "a: 1", "a.yaml:1:1: error: the file must be one list of rows"},
		{"a.yaml", "[]", "a.yaml:1: error: the file has no rows"},
		{"a.jsonl", `{"a":1} x`, `a.jsonl:1:9: error: something comes after the row: "x"`},
		{"a.jsonl", "\n" + `{"a":1`, "a.jsonl:2:7: error: the row is no JSON: it breaks off"},
		{"a.jsonl", `{"a":1,"a":2}`, `a.jsonl:1:1: error: the key "a" stands twice`},
		{"a.yaml", "[1]", "a.yaml:1:2: error: a row must be a map of fields, found a number"},
	} {
		var d diag.List
		if f := inMemory(c.file, c.text); f.Index(&d) || f.Index(&diag.List{}) {
			t.Errorf("%s %q is taken", c.file, c.text)
		}
		found := d.Sorted()
		if len(found) != 1 {
			t.Fatalf("%s %q: %v", c.file, c.text, found)
		}
		if got := fmt.Sprintf("%s: %s: %s", found[0].Pos, found[0].Severity, found[0].Msg); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.file, c.text, got, c.want)
		}
	}
}

// TestManyRows reads rows of all formats across blocks, from the front, the back and in the middle.
func TestManyRows(t *testing.T) {
	t.Parallel()
	const rows = 1000
	var jsonl, csv, list, yaml strings.Builder
	csv.WriteString("id,q\n")
	list.WriteString("[")
	for i := range rows {
		long := strings.Repeat("é", i%7*100)
		fmt.Fprintf(&jsonl, "{\"id\": \"r%d\", \"q\": %q}\n", i, long)
		fmt.Fprintf(&csv, "r%d,\"%s\"\n", i, long)
		fmt.Fprintf(&list, "{\"id\": \"r%d\",\n \"q\": %q}", i, long)
		if i < rows-1 {
			list.WriteString(",\n")
		}
		fmt.Fprintf(&yaml, "- id: r%d\n  q: %q\n", i, long)
	}
	list.WriteString("]")
	for name, text := range map[string]string{
		"a.jsonl": jsonl.String(), "a.csv": csv.String(), "a.json": list.String(), "a.yaml": yaml.String(),
	} {
		f := inMemory(name, text)
		all := read(t, f)
		if len(all) != rows || !slices.Equal(f.Fields(), []string{"id", "q"}) {
			t.Fatalf("%s: %d rows with %v", name, len(all), f.Fields())
		}
		for _, i := range []int{rows - 1, 0, 500, 63, 64, 65, 999, 499} {
			if got := line(t, f, i); got != all[i] || !strings.HasPrefix(got, fmt.Sprintf("r%d:", i)) {
				t.Errorf("%s: row %d: %.40s, and before %.40s", name, i, got, all[i])
			}
		}
	}
}

func TestPeek(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       string
		whole, ok  bool
	}{
		{"a.csv", "id,q\n", "id q", true, true},
		{"a.jsonl", "{\"b\":1}\n{\"a\":null,\"c\":1}\n", "a b c", true, true},
		{"a.jsonl", strings.Repeat("{\"b\":1}\n", 200), "b", false, true},
		{"a.csv", "", "", false, false},
	} {
		fields, whole, ok := inMemory(c.file, c.text).Peek(&diag.List{})
		if strings.Join(fields, " ") != c.want || whole != c.whole || ok != c.ok {
			t.Errorf("%s: %v %v %v", c.text, fields, whole, ok)
		}
	}
}

func TestChangedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("{\"q\":1}\n")
	f := dataset.New("a.jsonl", dataset.OnDisk(path))
	var d diag.List
	if !f.Index(&d) {
		t.Fatal(d.Sorted())
	}
	write("{\"q\":1}\n{\"q\":2}\n")
	if _, err := f.Row(0); err == nil || err.Error() != "a.jsonl: the file was changed while the run was going on" {
		t.Error(err)
	}
}

// A file in the place of another one is told from it, though it has its size and its time.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	when := time.Now()
	write := func(path, text string) {
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "{\"q\":1}\n")
	f := dataset.New("a.jsonl", dataset.OnDisk(path))
	var d diag.List
	if !f.Index(&d) {
		t.Fatal(d.Sorted())
	}
	write(path+".new", "{\"q\":2}\n")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Row(0); err == nil || !strings.Contains(err.Error(), "changed while the run was going on") {
		t.Error(err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"id\":1}\n\n{\"id\":2}\n"))
	f.Add([]byte("\xef\xbb\xbf{\"a\":[1,{}]}\r\n{\n"))
	f.Fuzz(func(t *testing.T, data []byte) { tries(t, "a.jsonl", data) })
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,q\n1,\"a\nb\"\n\"2\"x,\n"))
	f.Add([]byte("a\r\n\"\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { tries(t, "a.csv", data) })
}

func FuzzList(f *testing.F) {
	f.Add([]byte("[{\"id\":1},{\"a\":\"\\\"]\"}]"))
	f.Fuzz(func(t *testing.T, data []byte) { tries(t, "a.json", data) })
}

// tries reads rows in any order: each is the same from everywhere, and has the id that the index tells.
func tries(t *testing.T, name string, data []byte) {
	file := dataset.New(name, dataset.InMemory(data))
	var d diag.List
	if !file.Index(&d) {
		if d.Errors() == 0 {
			t.Error("refused without a word")
		}
		return
	}
	if file.Len() == 0 || d.Errors() > 0 {
		t.Errorf("%d rows, with %v", file.Len(), d.Sorted())
	}
	ids := map[string]bool{}
	for i := range file.Len() {
		if ids[file.ID(i)] {
			t.Errorf("two rows are called %q", file.ID(i))
		}
		ids[file.ID(i)] = true
	}
	again := dataset.New(name, dataset.InMemory(data))
	again.Index(&d)
	for i := file.Len() - 1; i >= 0; i-- {
		a, err := file.Row(i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.Row(file.Len() - 1 - i)
		if err != nil || (a.Fault == nil) == (a.Values == nil) {
			t.Fatalf("%v: %+v", err, a)
		}
		if a.Fault == nil && !json.Valid(a.Canonical()) || len(b.ID) == 0 {
			t.Errorf("%q: %s", b.ID, a.Canonical())
		}
	}
}
