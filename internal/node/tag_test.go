package node_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// TestTags: a tag that is ignored, or that contradicts its value, is refused everywhere.
func TestTags(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"!env FORBIDDEN":    "unknown-tag",
		"!!binary ZGVuaWVk": "unknown-tag",
		"!!timestamp 2026":  "unknown-tag",
		"!!set {a: }":       "unknown-tag",
		"!include [a]":      "unknown-tag",
		"!<tag:x,1:y> {}":   "unknown-tag",
		"!!int abc":         "wrong-tag",
		"!!float denied":    "wrong-tag",
		"!!bool denied":     "wrong-tag",
		"!!null denied":     "wrong-tag",
		"!!map [a]":         "wrong-tag",
		"!!seq {a: b}":      "wrong-tag",
		"!!str [a]":         "wrong-tag",
		"!!str 12":          "",
		"!!int 12":          "",
		"!!float 1.5":       "",
		"!!float .inf":      "",
		"!!bool true":       "",
		"!!null ''":         "",
		"!!map {a: b}":      "",
		"!!seq [a]":         "",
	} {
		for _, in := range []string{"a: {b: V}", "a:\n- V\n", "a: 1\n---\nb: &x V\nc: [*x]\n", "{a: [[V]]}"} {
			src := strings.ReplaceAll(in, "V", value)
			_, diags := parse("f.yaml", src)
			got := ""
			if len(diags) > 0 {
				got = diags[0].Code
			}
			if got != want {
				t.Errorf("%q: %v, want %q", src, diags, want)
			}
		}
	}
	if _, diags := parse("f.yaml", "!env a: 1\n"); len(diags) != 1 || diags[0].Code != "unknown-tag" {
		t.Errorf("a key: %v", diags)
	}
}

func TestUnspoken(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"a: {b: [yes, {c: off}]}":                 {"1:9 ambiguous-boolean", "1:18 ambiguous-boolean"},
		"a: {b: ['yes', {c: \"off\"}, !!str no]}": {},
		"a: [true, false, maybe, none]":           {},
	} {
		var l diag.List
		r := &node.Reader{File: "f.yaml", Diags: &l}
		docs := node.Parse(r, []byte(src))
		r.NoYAML11Bools(docs[0], "a")
		if diff := cmp.Diff(want, brief(l.Sorted())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}
