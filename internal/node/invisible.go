package node

import (
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Invisible characters, such as those that reverse the text direction, are escaped in quoted texts, so that readers of
// the file see them. The YAML library writes most of them unescaped.

// mustEscape reports whether a character must be escaped in a file.
func mustEscape(r rune) bool { return r != '\n' && !unicode.IsPrint(r) || r == '\ufeff' }

// unescaped reports whether the library writes an invisible character unescaped.
func unescaped(r rune) bool {
	return mustEscape(r) && r >= '\u00a0' && r != '\u2028' && r != '\u2029' && r != '\ufeff'
}

// markInvisible replaces invisible characters in the quoted texts below a node by marks. escapeMarks replaces the marks
// in the written text by escapes, and restore restores the texts of the node.
func markInvisible(n *Node) (escapeMarks func(text string) string, restore func()) {
	var quoted []*Node
	var all []string
	var walk func(n *Node)
	walk = func(n *Node) {
		if n.Kind == Scalar {
			all = append(all, n.Value)
			if n.Style&yaml.DoubleQuotedStyle != 0 && strings.ContainsFunc(n.Value, unescaped) {
				quoted = append(quoted, n)
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(n)
	if len(quoted) == 0 {
		return func(text string) string { return text }, func() {}
	}
	mark := freeMark(strings.Join(all, "\n"))
	escapes, texts := map[rune]bool{}, make([]string, len(quoted))
	for i, q := range quoted {
		texts[i] = q.Value
		var b strings.Builder
		for _, r := range q.Value {
			if unescaped(r) {
				escapes[r] = true
				fmt.Fprintf(&b, "%s%xz", mark, r)
			} else {
				b.WriteRune(r)
			}
		}
		q.Value = b.String()
	}
	var pairs []string
	for r := range escapes {
		escape := fmt.Sprintf(`\u%04X`, r)
		if r > 0xffff {
			escape = fmt.Sprintf(`\U%08X`, r)
		}
		pairs = append(pairs, fmt.Sprintf("%s%xz", mark, r), escape)
	}
	return strings.NewReplacer(pairs...).Replace, func() {
		for i, q := range quoted {
			q.Value = texts[i]
		}
	}
}

// freeMark is a word that does not occur in a text.
func freeMark(text string) string {
	for i := 0; ; i++ {
		if mark := fmt.Sprintf("unseen%dx", i); !strings.Contains(text, mark) {
			return mark
		}
	}
}
