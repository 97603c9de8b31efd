package scenario

import (
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Tags and groups are listed with commas on the command line. A tag that cannot be typed there could never be selected.

// selectable is a tag or a group with its position.
type selectable struct {
	kind string // tag or group
	name string
	pos  diag.Pos
}

// tags is a field with words to select by.
func tags[T any](name, kind string, at func(*T) *[]string) *field[T] {
	return custom(name, texts, func(d *decoder, t *T, v *node.Node) {
		if list, ok := d.selectables(v, name, kind); ok {
			*at(t) = list
		}
	})
}

// selectables reads tags or groups.
func (d *decoder) selectables(n *node.Node, what, kind string) ([]string, bool) {
	list, ok := d.Strings(n, what)
	if !ok {
		return nil, false
	}
	items := n.Content
	if n.Kind == node.Scalar {
		items = []*node.Node{n}
	}
	for _, item := range items {
		if !isTag(item.Value) {
			d.Errorf(item, "wrong-name",
				"%s: %q cannot be a %s: expected a line of text without commas and without spaces around it", what, item.Value,
				kind).Hint = tagHint(item.Value)
			ok = false
			continue
		}
		d.tags = append(d.tags, selectable{kind, item.Value, d.Pos(item)})
	}
	return list, ok
}

func isTag(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, ",\n\r\t")
}

// tagHint says how to write the words of a text as tags.
func tagHint(text string) string {
	if words := SplitTags(text); len(words) > 0 {
		return "write [" + strings.Join(words, ", ") + "]"
	}
	return ""
}

// SplitTags splits a text with commas into tags.
func SplitTags(text string) []string {
	var list []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",\n\r\t", r) }) {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// similarTags warns of tags that differ only in case and spaces: selecting one misses the others.
func (b *build) similarTags() {
	type key struct{ kind, folded string }
	first, told := map[key]selectable{}, map[selectable]bool{}
	for _, t := range b.tags {
		k := key{t.kind, strings.ToLower(strings.Join(strings.Fields(t.name), ""))}
		other, known := first[k]
		if !known {
			first[k] = t
			continue
		}
		if other.name == t.name || told[selectable{t.kind, t.name, diag.Pos{}}] {
			continue
		}
		told[selectable{t.kind, t.name, diag.Pos{}}] = true
		b.l.diags.Warnf(t.pos, utf8.RuneCountInString(t.name), "like-tag",
			"the %s %q and %q (%s) differ only in case or spaces, but count as two", t.kind, t.name, other.name,
			other.pos).Hint = "write both alike: a filter for one does not find the other"
	}
}
