package scenario

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// A key that is indented too far below a text of several lines becomes a part of that text, and so does a key before a
// misplaced closing quote. Its checks and guardrails are then not read, and never fail.

// swallowed warns of texts of several lines in a value that seem to contain keys or checks. siblings are the keys that
// may be beside the text, and owner is the map that contains it.
func (d *decoder) swallowed(key string, v, owner *node.Node, siblings func() []*keys.Key) {
	switch {
	case node.IsBlock(v):
		t := blockText{lines: strings.Split(strings.TrimRight(d.BlockText(v), " \t\r\n"), "\n"), owner: owner}
		if what := t.swallows(siblings); what != "" {
			d.Warnf(v, "swallowed-keys", "%s is a text that %s", key, what).
				Hint = "to have it read, indent it like " + key + "; if it is part of the text, put the text in quotes"
		}
	case v.Kind == node.Scalar && strings.Contains(v.Value, ":"):
		t := blockText{lines: d.QuotedLines(v), owner: owner}
		if what := t.swallows(siblings); what != "" {
			d.Warnf(v, "swallowed-keys", "%s is a text in quotes on %d lines that %s", key, len(t.lines), what).
				Hint = "to have it read, end the quotes before it; if it is part of the text, put the text on one line"
		}
	case v.Kind == node.List:
		for _, item := range v.Content {
			if item.Kind == node.Scalar {
				d.swallowed(key, item, owner, siblings)
			}
		}
	}
}

// swallowedIn is swallowed for a map with the author's own names, such as variables: keys in the last text were meant
// for the map around.
func (d *decoder) swallowedIn(v, owner *node.Node, siblings func() []*keys.Key) {
	for i := 0; v.Kind == node.Map && i+1 < len(v.Content); i += 2 {
		if item := v.Content[i+1]; item.Kind == node.Scalar {
			d.swallowed(v.Content[i].Value, item, owner, siblings)
		}
	}
}

// swallowedParams warns of keys of a check in the texts of its parameters, nested checks included.
func (d *decoder) swallowedParams(params *node.Node) {
	if params == nil {
		return
	}
	for i, v := range params.Content {
		if params.Kind == node.Map && i%2 == 1 {
			d.swallowed(params.Content[i-1].Value, v, params, func() []*keys.Key { return nil })
		}
		d.swallowedParams(v)
	}
}

// HasKeyLines reports whether a text has lines that look like keys or checks. Writers quote such a text, so that its
// lines are not taken for swallowed keys.
func HasKeyLines(text string) bool { return keyLine().MatchString(text) }

// blockText is a text of several lines in a map of a file.
type blockText struct {
	lines []string
	owner *node.Node
	tries int
}

// maxTries is the maximum number of lines that are tried as the start of swallowed keys.
const maxTries = 16

// swallows describes keys or checks in a text that were meant for the map around it; "": none.
func (t *blockText) swallows(siblings func() []*keys.Key) string {
	fenced := false
	for i, line := range t.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced || !strings.ContainsRune(line, ':') {
			continue
		}
		m := keyLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if what := t.swallowsAt(i, m[1], m[2], siblings); what != "" || t.tries >= maxTries {
			return what
		}
	}
	return ""
}

// swallowsAt is swallows for a line with this key and value, which may be empty. A list entry has no key.
func (t *blockText) swallowsAt(i int, name, value string, siblings func() []*keys.Key) string {
	if name == "" {
		if n := t.parse(i, len(t.lines)); n != nil && isChecks(n) {
			return "ends with what looks like a list of checks"
		}
		return ""
	}
	if structured := value == "" || strings.ContainsAny(value[:1], "[{"); !structured {
		return t.swallowsValue(i, name, siblings)
	}
	known := placement(snake(name)) != "" || isStructured(keys.Find(name, siblings()))
	n := t.parse(i, t.end(i))
	if n == nil || n.Kind != node.Map {
		return ""
	}
	v := n.Content[1]
	switch {
	case v.Kind == node.Scalar:
		return ""
	case isChecks(v):
		return "holds what looks like the key " + name + " with its checks"
	case !known || t.parse(i, len(t.lines)) == nil:
		return "" // only keys follow up to the end
	}
	return "ends with what looks like the key " + name
}

// swallowsValue is swallowsAt for a key with a single value. Prose has such lines too, so they count only at the end of
// a text, for keys that the map around lacks, with valid values.
func (t *blockText) swallowsValue(i int, name string, siblings func() []*keys.Key) string {
	k := keys.Find(name, siblings())
	if k == nil && len(name) > minNear {
		if near := keys.Nearest(name, siblings()); near != nil && !isProse(near) {
			k = near
		}
	}
	switch {
	case k == nil && placement(name) == "", k != nil && t.has(k), k != nil && isProse(k) && t.announced(i):
		return ""
	}
	n := t.parse(i, len(t.lines))
	if n == nil || n.Kind != node.Map {
		return ""
	}
	v := n.Content[1]
	switch {
	case v.Kind != node.Scalar || node.IsNull(v):
		return ""
	case k == nil && !isBare(v) || k != nil && !fits(k, v):
		return ""
	}
	for j := 2; j < len(n.Content); j += 2 { // keys of the same map follow
		if other := n.Content[j].Value; keys.Find(other, siblings()) == nil && placement(snake(other)) == "" {
			return ""
		}
	}
	return "ends with what looks like the key " + name
}

// minNear is the minimum length of names for a comparison: shorter ones are similar by chance.
const minNear = 5

// has reports whether the map around the text has a key already.
func (t *blockText) has(k *keys.Key) bool {
	return slices.ContainsFunc(k.Spellings(), func(name string) bool { return node.Get(t.owner, name) != nil })
}

// announced reports whether the lines before the i-th introduce a list of words with a colon, as in prose.
func (t *blockText) announced(i int) bool {
	for i--; i >= 0; i-- {
		if line := strings.TrimSpace(t.lines[i]); line != "" {
			return strings.HasSuffix(line, ":") || labelLine().MatchString(line)
		}
	}
	return true
}

// end is the line after the value of the key in the i-th line: lists and lines with more indentation belong to it.
func (t *blockText) end(i int) int {
	own := indentOf(t.lines[i])
	for j := i + 1; j < len(t.lines); j++ {
		line := t.lines[j]
		if strings.TrimSpace(line) == "" || indentOf(line) > own {
			continue
		}
		if indentOf(line) < own || !strings.HasPrefix(strings.TrimSpace(line), "- ") {
			return j
		}
	}
	return len(t.lines)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// parse parses some lines as YAML; nil if they are invalid.
func (t *blockText) parse(from, to int) *node.Node {
	t.tries++
	var none diag.List
	docs := node.Parse(&node.Reader{Diags: &none}, []byte(strings.Join(t.lines[from:to], "\n")))
	if none.Errors() > 0 || len(docs) != 1 || docs[0].Kind == node.Map && len(docs[0].Content) == 0 {
		return nil
	}
	return docs[0]
}

// isProse reports whether the value of a key is free text.
func isProse(k *keys.Key) bool {
	switch k.Shape.(type) {
	case keys.Words, keys.Number, keys.Bool, keys.Span, trialsShape:
		return false
	}
	return true
}

// fits reports whether a single value fits a key.
func fits(k *keys.Key, v *node.Node) bool {
	if isStructured(k) {
		return false
	}
	var none diag.List
	k.Shape.Check(&node.Reader{Diags: &none}, v, k.Name)
	return none.Errors() == 0
}

// isBare reports whether a value is a number, true or false, or one word.
func isBare(v *node.Node) bool { return !strings.ContainsAny(v.Value, " \t\n") }

// isStructured reports whether the value of a key is more than a text, a number or a word.
func isStructured(k *keys.Key) bool {
	if k == nil {
		return false
	}
	switch k.Shape.(type) {
	case keys.Text, keys.Words, keys.Number, keys.Bool, keys.Span, trialsShape:
		return false
	}
	return true
}

// keyLine finds lines that begin with a key, and those with an entry of a list of checks.
var keyLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:([a-z_][A-Za-z0-9_-]+):(?:[ \t]+(\S[^\n]*))?[ \t]*$|- +\{? *type:)`)
})

// labelLine finds lines that begin with some words and a colon.
var labelLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-*]? ?[\pL\d_ -]{1,30}:(?: |$)`) })
