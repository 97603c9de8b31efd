package node_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

func num(s string) json.Number { return json.Number(s) }

// read parses one value and gives it to a reader.
func read(t *testing.T, src string, lenient bool, use func(r *node.Reader, n *node.Node)) []diag.Diagnostic {
	t.Helper()
	var l diag.List
	r := &node.Reader{File: "f.yaml", Diags: &l, Lenient: lenient}
	docs := node.Parse(r, []byte("v: "+src+"\n"))
	if len(docs) != 1 {
		t.Fatalf("%q: got %d documents, want 1", src, len(docs))
	}
	use(r, node.Get(docs[0], "v"))
	return l.Sorted()
}

func TestScalars(t *testing.T) {
	t.Parallel()
	str := func(r *node.Reader, n *node.Node) (any, bool) { return r.String(n, "it") }
	boolean := func(r *node.Reader, n *node.Node) (any, bool) { return r.Bool(n, "it") }
	integer := func(r *node.Reader, n *node.Node) (any, bool) { return r.Int(n, "it", -5, 100) }
	float := func(r *node.Reader, n *node.Node) (any, bool) { return r.Float(n, "it", 0, 1) }
	above := func(r *node.Reader, n *node.Node) (any, bool) { return r.Float(n, "it", 0, math.Inf(1)) }
	span := func(r *node.Reader, n *node.Node) (any, bool) { return r.Duration(n, "it") }
	word := func(r *node.Reader, n *node.Node) (any, bool) { return r.OneOf(n, "it", "oldest", "fail") }
	list := func(r *node.Reader, n *node.Node) (any, bool) { return r.Strings(n, "it") }
	const noSpan = "it must be a time span above zero such as 90s or 5m, found "
	tests := []struct {
		name string
		src  string
		read func(*node.Reader, *node.Node) (any, bool)
		want any
		msg  string // of the one problem; "" when there is none
	}{
		{"text", "hello", str, "hello", ""},
		{"a number as text", "42", str, "42", ""},
		{"a date as text", "2024-01-02", str, "2024-01-02", ""},
		{"nothing as text", "", str, "", "it must be text, found nothing"},
		{"a list as text", "[a]", str, "", "it must be text, found a list"},
		{"true", "true", boolean, true, ""},
		{"yes", "yes", boolean, true, ""},
		{"Off", "Off", boolean, false, ""},
		{"quoted true", `"true"`, boolean, false, `it must be true or false, found text "true"`},
		{"a number as bool", "1", boolean, false, "it must be true or false, found the number 1"},
		{"int", "7", integer, 7, ""},
		{"whole float", "7.0", integer, 7, ""},
		{"hex", "0x10", integer, 16, ""},
		{"half", "7.5", integer, 0, "it must be a whole number, found 7.5"},
		{"too big", "101", integer, 0, "it must be between -5 and 100, found 101"},
		{"quoted number", `"7"`, integer, 0, `it must be a whole number, found text "7"`},
		{"nan", ".nan", float, 0.0, "it must be a number, found .nan"},
		{"infinite", ".inf", above, 0.0, "it must be a number, found .inf"},
		{"negative", "-0.1", above, 0.0, "it must be at least 0, found -0.1"},
		{"share", "0.25", float, 0.25, ""},
		{"span", "90s", span, 90 * time.Second, ""},
		{"span without unit", "90", span, time.Duration(0), noSpan + "the number 90"},
		{"negative span", "-1s", span, time.Duration(0), noSpan + `text "-1s"`},
		{"word", "fail", word, "fail", ""},
		{"wrong word", "fial", word, "", `it cannot be "fial"; expected one of oldest, fail`},
		{"one text as list", "a", list, []string{"a"}, ""},
		{"list", "[a, 1, true]", list, []string{"a", "1", "true"}, ""},
		{"list in list", "[[a]]", list, []string{""}, "an entry of it must be text, found a list"},
		{"map as list", "{a: 1}", list, []string(nil), "it must be a list of text, found a map"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got any
			var ok bool
			diags := read(t, tt.src, false, func(r *node.Reader, n *node.Node) { got, ok = tt.read(r, n) })
			if ok != (tt.msg == "") {
				t.Errorf("ok: got %v", ok)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			switch {
			case tt.msg == "" && len(diags) > 0:
				t.Errorf("problems: %v", diags)
			case tt.msg != "" && (len(diags) != 1 || diags[0].Msg != tt.msg):
				t.Errorf("problems: got %v, want %q", diags, tt.msg)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	src := "{role: user, rol: x, role: again, content: y}"
	var seen []string
	diags := read(t, src, false, func(r *node.Reader, n *node.Node) {
		r.Fields(n, "a turn", []string{"role", "content"}, func(key string, _, _ *node.Node) { seen = append(seen, key) })
	})
	if diff := cmp.Diff([]string{"role", "content"}, seen); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1:17 unknown-field", "1:25 duplicate-key"}, brief(diags)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if want := `did you mean "role"?`; diags[0].Hint != want {
		t.Errorf("hint: got %q, want %q", diags[0].Hint, want)
	}
}

func TestLenientFields(t *testing.T) {
	t.Parallel()
	diags := read(t, "{rol: x}", true, func(r *node.Reader, n *node.Node) {
		r.Fields(n, "a turn", []string{"role"}, func(string, *node.Node, *node.Node) {})
	})
	if len(diags) != 1 || diags[0].Severity != diag.Warning {
		t.Errorf("got %v, want one warning", diags)
	}
}

func TestStringMap(t *testing.T) {
	t.Parallel()
	var got map[string]string
	diags := read(t, "{a: x, b: 2, c: [1, two], d: {e: f}, g: }", false, func(r *node.Reader, n *node.Node) {
		got, _ = r.StringMap(n, "it")
	})
	if len(diags) > 0 {
		t.Errorf("problems: %v", diags)
	}
	want := map[string]string{"a": "x", "b": "2", "c": `[1,"two"]`, "d": `{"e":"f"}`, "g": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]int{"abc": 3, `"abc"`: 5, "größe": 5, "|\n  long\n  text": 1, "[a, b]": 1} {
		diags := read(t, src, false, func(r *node.Reader, n *node.Node) { r.Errorf(n, "x", "x") })
		if got := diags[0].Width; got != want {
			t.Errorf("%q: got %d, want %d", src, got, want)
		}
	}
}

func TestLongValuesAreCut(t *testing.T) {
	t.Parallel()
	diags := read(t, strings.Repeat("x", 500), false, func(r *node.Reader, n *node.Node) { r.Bool(n, "it") })
	if got := len(diags[0].Msg); got > 150 {
		t.Errorf("the message has %d bytes: %s", got, diags[0].Msg)
	}
}
