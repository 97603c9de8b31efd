package scenario

import (
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// A key that is indented too far below a text of several lines becomes a part of that text. Nothing then reads it, and
// the checks and guardrails in it never fail.

// swallowed warns of what looks like keys or checks at the end of the blocks of text in the value of a key. siblings
// are the keys that may stand beside it.
func (d *decoder) swallowed(key string, v *node.Node, siblings func() []*keys.Key) {
	switch {
	case node.IsBlock(v):
		if what := swallowedKey(v.Value, siblings); what != "" {
			d.Warnf(v, "swallowed-keys", "%s is a text that ends with what looks like %s", key, what).
				Hint = "if it is meant to be read, indent it like " + key + "; text that is meant so needs quotes"
		}
	case v.Kind == node.List:
		for _, item := range v.Content {
			if item.Kind == node.Scalar {
				d.swallowed(key, item, siblings)
			}
		}
	}
}

// HasKeyLines reports whether a text has lines that look like keys or checks. A file that a program writes has such a
// text in quotes, so that nobody takes its lines for swallowed keys.
func HasKeyLines(text string) bool { return keyLine().MatchString(text) }

// maxTries is how many lines of a text are looked at as the beginning of swallowed keys.
const maxTries = 8

// swallowedKey names what the end of a text looks like; "" is nothing.
func swallowedKey(text string, siblings func() []*keys.Key) string {
	for _, at := range keyLine().FindAllStringIndex(text, maxTries) {
		var none diag.List
		docs := node.Parse(&node.Reader{Diags: &none}, []byte(text[at[0]:]))
		if none.Errors() > 0 || len(docs) != 1 {
			continue
		}
		if isChecks(docs[0]) {
			return "a list of checks"
		}
		if docs[0].Kind != node.Map {
			continue
		}
		name, value := docs[0].Content[0].Value, docs[0].Content[1]
		structured := value.Kind == node.Map || value.Kind == node.List
		if structured && (placement(name) != "" || isStructured(keys.Find(name, siblings()))) {
			return "the key " + name
		}
	}
	return ""
}

// isStructured reports whether the value of a key is more than a text, a number or a word.
func isStructured(k *keys.Key) bool {
	if k == nil {
		return false
	}
	switch k.Shape.(type) {
	case keys.Text, keys.Words, keys.Number, keys.Bool:
		return false
	}
	return true
}

// keyLine finds lines with a key that holds a list or a map, and those with an entry of a list of checks.
var keyLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[a-z_]+:[ \t]*(?:[\[{]|$)|- +\{? *type:)`)
})
