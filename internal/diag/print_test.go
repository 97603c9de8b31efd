package diag_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

var sources = map[string]string{
	"plain.yaml":   "turns:\n  - role: user\n    assertions:\n      - type: tool_caled\n",
	"tabs.json":    "{\n\t\"turns\": [\n\t\t{\"rol\": \"user\"}\n\t]\n}\n",
	"wide.yaml":    "greeting: 你好世界 # here\nemoji: 👍🏽 x\n",
	"hostile.yaml": "a: \x1b[31mred\x1b[0m\x07 \u202eevil\u202c b\n",
	"latin1.yaml":  "name: caf\xe9 au lait\n",
	"long.yaml":    "content: " + strings.Repeat("lorem ipsum ", 30) + "HERE" + strings.Repeat(" dolor sit", 30) + "\n",
	"crlf.yaml":    "a: 1\r\nb: 2\r\nc: 3\r\n",
	"keys.yaml":    "credential:\n  api_key: sk-live-0123456789abcdef\n  tokn: Bearer abcdefghijklmnop\n",
	".env":         "OPENAI_API_KEY sk-0123456789abcdef0123\n",
}

func source(file string) ([]byte, error) {
	text, ok := sources[file]
	if !ok {
		return nil, errors.New("gone")
	}
	return []byte(text), nil
}

func at(file string, line, col int32) diag.Pos { return diag.Pos{File: file, Line: line, Col: col} }

var problems = []diag.Diagnostic{
	{Pos: at(".env", 1, 0), Code: "dotenv-syntax", Msg: "this line is not NAME=value"},
	{Pos: at("crlf.yaml", 2, 4), Width: 1, Code: "x", Msg: "the line ends in CRLF"},
	{Pos: at("gone.yaml", 3, 4), Width: 2, Code: "x", Msg: "the file has gone since", Hint: "nothing to show"},
	{Pos: at("hostile.yaml", 1, 19), Width: 4, Code: "x", Msg: "found text \"\x1b[31mred\"\nand more", Hint: "tab\there"},
	{Pos: at("keys.yaml", 2, 12), Width: 24, Code: "x", Msg: `found text "sk-live-0123456789abcdef"`},
	{Pos: at("keys.yaml", 3, 3), Width: 4, Code: "unknown-field", Msg: `unknown field "tokn" in credential`},
	{Pos: at("latin1.yaml", 1, 10), Width: 1, Code: "invalid-encoding", Msg: "the file is not valid UTF-8 here"},
	{Pos: at("long.yaml", 1, 370), Width: 4, Code: "x", Msg: "the line is longer than the terminal"},
	{Pos: at("long.yaml", 1, 10), Width: 650, Code: "x", Msg: "so is the mark"},
	{
		Pos: at("plain.yaml", 4, 15), Width: 10, Code: "unknown-check", Msg: `unknown check "tool_caled"`,
		Hint: "did you mean \"tool_called\"? `arena checks` lists all of them",
	},
	{Severity: diag.Warning, Pos: at("plain.yaml", 2, 0), Code: "x", Msg: "a line without a column"},
	{Pos: at("plain.yaml", 99, 1), Width: 1, Code: "x", Msg: "below the end of the file"},
	{Pos: at("plain.yaml", 1, 99), Width: 5, Code: "x", Msg: "right of the end of the line"},
	{Pos: at("tabs.json", 3, 4), Width: 5, Code: "unknown-field", Msg: `unknown field "rol" in a turn`},
	{Pos: at("wide.yaml", 1, 13), Width: 2, Code: "x", Msg: "two columns for each of these"},
	{Pos: at("wide.yaml", 1, 16), Width: 6, Code: "x", Msg: "behind them"},
	{Code: "no-config", Msg: "there is no config.arena.yaml here", Hint: "name files or folders to run"},
	{Severity: diag.Warning, Pos: diag.Pos{File: "plain.yaml"}, Code: "x", Msg: "the file as a whole"},
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := diag.Print(&b, problems, diag.PrintOptions{Read: source, Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "plain.txt", b.String())
	if strings.ContainsAny(b.String(), "\x1b\x07\u202e") {
		t.Error("control characters of the file reached the terminal")
	}
	if strings.Contains(b.String(), "0123456789abcdef") {
		t.Error("a secret of the file reached the terminal")
	}
}

func TestPrintColour(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	careful := diag.Diagnostic{Severity: diag.Warning, Pos: at("plain.yaml", 1, 1), Width: 5, Code: "x", Msg: "careful"}
	list := []diag.Diagnostic{problems[9], careful}
	if err := diag.Print(&b, list, diag.PrintOptions{Read: source, Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "colour.txt", b.String())
}

func TestPrintWithoutSources(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := diag.Print(&b, problems[9:10], diag.PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "plain.yaml:4:15: unknown check \"tool_caled\" [unknown-check]\n" +
		"    = did you mean \"tool_called\"? `arena checks` lists all of them\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrintReadsEachFileOnce(t *testing.T) {
	t.Parallel()
	reads := map[string]int{}
	read := func(file string) ([]byte, error) { reads[file]++; return source(file) }
	if err := diag.Print(&strings.Builder{}, problems, diag.PrintOptions{Read: read}); err != nil {
		t.Fatal(err)
	}
	for file, n := range reads {
		if n > 1 && file != "plain.yaml" { // the list above returns to that one
			t.Errorf("%s was read %d times", file, n)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestPrintReturnsWriteErrors(t *testing.T) {
	t.Parallel()
	if err := diag.Print(brokenWriter{}, problems, diag.PrintOptions{}); err == nil {
		t.Error("no error from a broken pipe")
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := diag.WriteJSON(&b, problems, 7); err != nil {
		t.Fatal(err)
	}
	golden(t, "diagnostics.json", b.String())
}

func TestSummary(t *testing.T) {
	t.Parallel()
	file := func(s diag.Severity, name string) diag.Diagnostic {
		return diag.Diagnostic{Severity: s, Pos: diag.Pos{File: name, Line: 1}}
	}
	tests := []struct {
		name  string
		diags []diag.Diagnostic
		files int
		want  string
	}{
		{"none", nil, 12, ""},
		{"two in one", []diag.Diagnostic{file(diag.Error, "a"), file(diag.Error, "a")}, 12, "2 problems in 1 of 12 files"},
		{"one of one", []diag.Diagnostic{file(diag.Error, "a")}, 1, "1 problem in 1 of 1 file"},
		{
			"warnings too", []diag.Diagnostic{file(diag.Error, "a"), file(diag.Warning, "b")}, 3,
			"1 problem in 1 of 3 files, 1 warning",
		},
		{"warnings only", []diag.Diagnostic{file(diag.Warning, "b"), file(diag.Warning, "b")}, 3, "2 warnings"},
		{"command line", []diag.Diagnostic{{Msg: "x"}}, 0, "1 problem"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := diag.Summary(tt.diags, tt.files); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, src string
		want      []string
	}{
		{"f.yaml", "a\nb", []string{"a", "b"}},
		{"f.yaml", "a\r\nb\r\n", []string{"a", "b", ""}},
		{"f.yaml", "a\rb\u0085c\u2028d\u2029e", []string{"a", "b", "c", "d", "e"}},
		{"f.json", "a\rb\u2028c\nd", []string{"a\rb\u2028c", "d"}},
		{"f.yaml", "\xef\xbb\xbfa", []string{"a"}},
		{"f.yaml", "\r\r\n\n", []string{"", "", "", ""}},
		{"f.yaml", "", []string{""}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, diag.Lines(tt.file, []byte(tt.src))); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.file, tt.src, diff)
		}
	}
}

func FuzzPrint(f *testing.F) {
	f.Add("a: 1\n", int32(1), int32(4), 1, 20)
	f.Add("\t\x1b[0m你\u202e\n", int32(1), int32(2), 3, 40)
	f.Fuzz(func(t *testing.T, src string, line, col int32, width, room int) {
		d := diag.Diagnostic{Pos: diag.Pos{File: "f", Line: line, Col: col}, Width: width, Msg: src, Hint: src}
		var b strings.Builder
		read := func(string) ([]byte, error) { return []byte(src), nil }
		if err := diag.Print(&b, []diag.Diagnostic{d}, diag.PrintOptions{Read: read, Width: room}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\x07\x00\r\t") {
			t.Errorf("control characters in %q", b.String())
		}
	})
}
