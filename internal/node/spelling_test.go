package node_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// A zero ahead makes another number of it for some readers.
func TestNumbersWithAZeroAhead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"010": false, "00": false, "-07": false, "0": true, "0o10": true, "0.5": true, "10": true} {
		docs, _ := parse("a.yaml", "n: "+text)
		_, ok := (&node.Reader{Diags: &diag.List{}}).Float(node.Get(docs[0], "n"), "n", -100, 100)
		if ok != want {
			t.Errorf("%s: taken: %v", text, ok)
		}
	}
}

func TestOddPattern(t *testing.T) {
	t.Parallel()
	for pattern, hint := range map[string]string{
		"/shipped|sent/":    "write shipped|sent; ",
		"/shipped/i":        "write (?i)shipped; ",
		"/a.*b/gi":          "write (?i)a.*b; ",
		`/^a\/b$/`:          "write ^a/b$; ",
		"/refund/g":         "write refund; ",
		"soft\u00adhyphen":  "take it out",
		"\ufeffshipped":     "take it out",
		"no\u200bblank":     "take it out",
		"left\u200eright":   "take it out",
		"joined\u200dlatin": "take it out",
		"shipped\n":         "| and > add it",
	} {
		if o := node.OddPattern(pattern); !strings.HasPrefix(o.Hint, hint) {
			t.Errorf("%q: got %q, want %q", pattern, o.Hint, hint)
		}
	}
	for _, pattern := range []string{
		"refund", "/usr/bin", "/usr/bin/", "/api/v[0-9]+/orders", "^/refund/", "https?://[a-z]+/", "a/b", "/", "//", "/refund/",
		"/users/[0-9]+/", "/x/items", "می\u200cخواهم", "👩‍👩‍👧", "שלום\u200f!", `\x{200B}`,
	} {
		if o := node.OddPattern(pattern); o != (node.Oddity{}) {
			t.Errorf("%q: %+v", pattern, o)
		}
	}
}

func TestOddText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"soft\u00adhyphen", "\ufeffshipped", "no\u200bblank", "bell\a"} {
		if node.OddText(text, false) == (node.Oddity{}) {
			t.Errorf("%q is not odd", text)
		}
	}
	for _, text := range []string{"\u200b", "\u00ad \ufeff", "👩‍👩‍👧 family", "می\u200cخواهم", "30\u00a0days"} {
		if o := node.OddText(text, false); o != (node.Oddity{}) {
			t.Errorf("%q: %+v", text, o)
		}
	}
}

func TestIsJoined(t *testing.T) {
	t.Parallel()
	const file = `
one: a b
two: a
  b
three:
  - x y # and more
  - x
    y
  - 'x
    y'
  - "x y"
four: >-
  a b
five: >
  a
  b
six: |
  a b
  c
seven: {k: a b, l: a
  b}
eight: ä ö
`
	docs, _ := parse("a.yaml", file+"---\n"+file)
	if len(docs) != 2 {
		t.Fatal(len(docs))
	}
	for _, doc := range docs {
		var got []string
		var walk func(n *node.Node)
		walk = func(n *node.Node) {
			if node.IsJoined(n) {
				got = append(got, n.Value)
			}
			for _, c := range n.Content {
				walk(c)
			}
		}
		walk(doc)
		if all := strings.Join(got, "|"); all != "a b|x y|a b\n|a b" {
			t.Errorf("%q", all)
		}
	}
}
