package node

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// back writes a value under a key, in a list and on its own line, and reads all of that again.
func back(t *testing.T, v any) {
	t.Helper()
	root := NewMap()
	Put(root, "value", FromJSON(v))
	Put(root, "list", NewList(FromJSON(v), FromJSON(v)))
	Put(root, "nothing", nil)
	inner := NewMap()
	Put(inner, "deep", FromJSON(v))
	Put(root, "map", inner)
	text, err := Text(root)
	if err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	if strings.ContainsFunc(text, mustEscape) {
		t.Errorf("%#v: there is something that nobody sees in\n%q", v, text)
	}
	r := &Reader{File: "x.yaml", Diags: &diag.List{}}
	docs := Parse(r, []byte(text))
	if len(docs) != 1 || r.Diags.Errors() > 0 {
		t.Fatalf("%#v: %d documents, %v from\n%s", v, len(docs), r.Diags.Sorted(), text)
	}
	want := map[string]any{"value": v, "list": []any{v, v}, "map": map[string]any{"deep": v}}
	if diff := cmp.Diff(want, r.Any(docs[0])); diff != "" {
		t.Fatalf("(-want +got):\n%s\nfrom\n%s", diff, text)
	}
}

var hostileTexts = []string{
	"", " ", "\n", "\n\n", "a", "a\n", "a\nb", "a\nb\n", "a\nb\n\n", " a\nb", "\ta\nb", "a\n b", "a \nb", "a\n\tb", "\na\nb",
	"---", "---\nx", "...", "a\n---\nb", "a\n...\nb", "# x", "a # b", "a: b", "- a", "? a", "*a", "&a", "!a", "!!binary", "%a", "@a",
	"`a`", "{{x}}", "{a: 1}", "[1]", "'", `"`, `\`, "null", "~", "true", "True", "yes", "No", "on", "y", "1", "1.5", "0x1F", "0o17",
	"1_000", ".inf", ".nan", "1e5", "2024-01-01", "12:30:45", "<<", "=", "a\r\nb", "\r", "\x00", "\x1b[31m", "\u0085", "\u2028",
	"\ufeff", "\ufeffa\nb", "a\u200bb", "\u202e", "\U0001f600", "\ud7ff", "é", "a\n\u2029b", "|", ">", "|\n a", "a\n#b", "a\n\n\nb",
	strings.Repeat("long ", 400), strings.Repeat("x", 3000), "a:\n", "key:", ": a", "a\n  b\n c", "x\n \ny", "\u007f",
	"\u00a0", "a\u00adb", "\u200f\u200d", "\U000e0041", "unseen0x202ez\u202e", `\u202e`, "\\\u202e\u2066 " + strings.Repeat("long \u2069", 99),
	"\u180e\u115f\ue000\U000f0000",
}

func TestTextsComeBack(t *testing.T) {
	t.Parallel()
	for _, text := range hostileTexts {
		back(t, text)
		back(t, map[string]any{text: text})
	}
}

func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `true`, `0`, `-0`, `1.50`, `1e5`, `1E400`, `12345678901234567890123`, `[]`, `{}`, `[[], {}]`,
		`{"a": [1, "1", null, {"b": "x\ny"}], "c": {"d": {"e": []}}}`,
	} {
		v, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		back(t, v)
	}
	back(t, json.Number("1"))
}

func TestTextIsReadable(t *testing.T) {
	t.Parallel()
	root := NewMap()
	Put(root, "id", Str("refund"))
	Put(root, "content", Str("first\nsecond\n"))
	Put(root, "number", Str("12"))
	Put(root, "args", FromJSON(map[string]any{"id": "A1", "qty": json.Number("2")}))
	Put(root, "long", FromJSON([]any{strings.Repeat("x", 60), strings.Repeat("y", 60)}))
	Replace(root, "id", Str("order"))
	Replace(root, "new", Bool(true))
	got, err := Text(root)
	if err != nil {
		t.Fatal(err)
	}
	want := "id: order\ncontent: |\n  first\n  second\nnumber: \"12\"\nargs: {id: A1, qty: 2}\nlong:\n  - " +
		strings.Repeat("x", 60) + "\n  - " + strings.Repeat("y", 60) + "\nnew: true\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzStr(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			back(t, text)
			return
		}
		back(t, Str(text).Value)
	})
}
