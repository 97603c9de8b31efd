package node

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// byLibrary are the documents of a file as the library reads them.
func byLibrary(data []byte) ([]*Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*Node
	for {
		var doc Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return docs, err
		}
		docs = append(docs, &doc)
	}
}

// samePlain fails where a file is read without the library, and otherwise than by it.
func samePlain(t *testing.T, data []byte) (read bool) {
	t.Helper()
	got := plainDocument(data)
	if got == nil {
		return false
	}
	docs, err := byLibrary(data)
	if err != nil || len(docs) != 1 || len(docs[0].Content) != 1 {
		t.Fatalf("%d documents, %v; read without the library:\n%s", len(docs), err, data)
	}
	if diff := cmp.Diff(docs[0].Content[0], got); diff != "" {
		t.Fatalf("read differently from the library:\n%s\n%s", data, diff)
	}
	return true
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		plain bool
	}{
		"map":                     {"a: b\nc: 1\nd: true\ne: 1.5\nf: ~x\n", false},
		"words":                   {"a: b\nc: 1\nd: true\ne: 1.5\nf: 2001-01-01\ng: yes\nh: null\n", true},
		"no line feed at the end": {"a: b", true},
		"nested":                  {"a:\n  b:\n    c: d\ne: f\n", true},
		"blank lines":             {"\n\na:\n\n  b: c\n   \n\nd: e\n\n\n", true},
		"list":                    {"a:\n  - b\n  - c\n", true},
		"list under its key":      {"a:\n- b\n- c\nd: e\n", true},
		"list of maps":            {"a:\n  - b: c\n    d: e\n  - f:\n    - g\n    h: i\n", true},
		"far entries":             {"a:\n  -   b: c\n      d: e\n", true},
		"quotes":                  {`a: "b \" \\ \n \t / c"` + "\n" + `'d': 'it''s'` + "\n" + `"e f": ''` + "\n", true},
		"flow":                    {`a: {"b":1,"c": [1, -2.5, x.y/z, "d,}", true], e: {}, "f":[]}` + "\n", true},
		"flow entries":            {"a:\n  - [1, 2]\n  - {b: c}\n", true},
		"colons in texts":         {"a: b:c http://x/y?z={q}#w\n", true},
		"wide":                    {"ä: {\"é\": 1, \"日本\": 2}\nb: \"ü — x\"\n", true},
		"spaces at the end":       {"a:  \n  b: c   \nd: [1]  \n", true},
		"spaced words":            {"a b c: d  e   f\n", true},
		"comment":                 {"a: b # c\n", false},
		"comment line":            {"# c\na: b\n", false},
		"block":                   {"a: |\n  b\n", false},
		"two lines":               {"a: b\n  c\n", false},
		"quoted lines":            {"a: \"b\n  c\"\n", false},
		"no value":                {"a:\nb: c\n", false},
		"no value at the end":     {"a:\n", false},
		"anchor":                  {"a: &x b\nc: *x\n", false},
		"tag":                     {"a: !!str 1\n", false},
		"merge":                   {"<<: {a: b}\n", false},
		"documents":               {"---\na: b\n", false},
		"tab":                     {"a:\tb\n", false},
		"carriage return":         {"a: b\r\n", false},
		"two colons":              {"a: b: c\n", false},
		"colon at the end":        {"a: b:\n", false},
		"list in a list":          {"a:\n  - - b\n", false},
		"wrong column":            {"a:\n    b: c\n  d: e\n", false},
		"wrong entry":             {"a:\n  - b\n  c: d\n", false},
		"behind quotes":           {"a: \"b\" c\n", false},
		"open quotes":             {"a: \"b\n", false},
		"escape at the end":       {"a: \"b\\", false},
		"open flow":               {"a: [1, 2\nb: c\n", false},
		"commas":                  {"a: [1,,2]\n", false},
		"last comma":              {"a: [1, ]\n", false},
		"pair":                    {"a: [b: c]\n", false},
		"key of a map":            {"{a: b}: c\n", false},
		"long key":                {strings.Repeat("k", 1025) + ": b\n", false},
		"list alone":              {"- a\n", false},
		"text alone":              {"a\n", false},
		"nothing":                 {"", false},
		"deep":                    {"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", false},
		"end mark":                {"a: b\n...\n", false},
		"next line":               {"a: b\u0085c: d\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := samePlain(t, []byte(c.text)); got != c.plain {
				t.Errorf("read without the library: %v, want %v:\n%s", got, c.plain, c.text)
			}
		})
	}
}

// Every file of the repository is read alike, also when it is cut anywhere.
func TestPlainFiles(t *testing.T) {
	t.Parallel()
	files, plain := 0, 0
	for _, folder := range []string{"../../scenarios", "../../examples", "../../testdata", "../scenario/testdata"} {
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, _ error) error {
			if ends := filepath.Ext(path); ends != ".yaml" && ends != ".yml" && ends != ".txtar" && ends != ".json" {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, part := range bytes.SplitAfter(data, []byte("\n-- ")) {
				if _, text, ok := bytes.Cut(part, []byte(" --\n")); ok {
					part = bytes.TrimSuffix(text, []byte("-- "))
				}
				files++
				if samePlain(t, part) {
					plain++
				}
				for i := range min(8, len(part)) {
					samePlain(t, part[:len(part)*i/8])
				}
			}
			return nil
		})
	}
	if files == 0 || plain == 0 {
		t.Fatalf("%d files, %d of them plain", files, plain)
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		"a: b\nc:\n  - d: \"e\\n\"\n    f: {\"g\":[1,-2,x y]}\n  - h\ni:\n- 'j''k'\n", "a: b c: d\n  e\n", "ä: [é, 日: 1]\n",
		"spec:\n  turns:\n    - role: user\n      content: \"x\"\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if utf8.Valid(data) { // Parse has refused all others
			samePlain(t, data)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	turn := "    - role: user\n      content: \"Please confirm order ORD-1. {\\\"ok\\\":true}\"\n      assertions:\n" +
		"        - type: json_schema\n          params:\n            schema: {\"type\":\"object\",\"required\":[\"ok\"]}\n"
	plain := []byte("kind: Scenario\nspec:\n  id: s1\n  turns:\n" + strings.Repeat(turn, 10))
	for name, data := range map[string][]byte{"plain": plain, "library": append([]byte("# by the library\n"), plain...)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if docs := Parse(&Reader{File: "x.yaml", Diags: &diag.List{}}, data); len(docs) != 1 {
					b.Fatal(docs)
				}
			}
		})
	}
}
