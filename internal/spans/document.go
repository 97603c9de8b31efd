package spans

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// document is the text of a JSON value without surrounding space; empty: missing.
type document []byte

func (d document) kind() byte {
	if len(d) == 0 {
		return 0
	}
	return d[0]
}

// missing reports whether a value is missing or null.
func (d document) missing() bool { return d.kind() == 0 || d.kind() == 'n' }

// get is the member of an object with one of some names, the first that has a value.
func (d document) get(names ...string) (found document) {
	at := len(names)
	jsonvalue.Members(d, func(key, member []byte, _ int) bool {
		if i := slices.Index(names, string(key)); i >= 0 && i < at && !document(member).missing() {
			found, at = member, i
		}
		return at > 0
	})
	return found
}

// under is the object of the members with a name prefix, without the prefix; missing if there are none.
func (d document) under(prefix string) document {
	out := document{'{'}
	jsonvalue.Members(d, func(key, member []byte, _ int) bool {
		if rest, ok := bytes.CutPrefix(key, []byte(prefix)); ok {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(append(out, '"'), rest...), '"', ':'), member...)
		}
		return true
	})
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}

func (d document) elements(yield func(document) bool) {
	jsonvalue.Elements(d, func(item []byte, _ int) bool { return yield(item) })
}

// members yields the members of an object.
func (d document) members(yield func(key string, member document) bool) {
	jsonvalue.Members(d, func(key, member []byte, _ int) bool {
		return yield(document(slices.Concat([]byte{'"'}, key, []byte{'"'})).str(), member)
	})
}

// str is the content of a text; "" of anything else.
func (d document) str() string {
	if d.kind() != '"' || len(d) < 2 {
		return ""
	}
	if inner := d[1 : len(d)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(string(inner), "\ufffd")
	}
	var s string
	if json.Unmarshal(d, &s) != nil {
		return ""
	}
	return s
}

// scalar is a text, or a number or a boolean as it is written; "" of anything else.
func (d document) scalar() string {
	switch d.kind() {
	case '"':
		return d.str()
	case 0, '{', '[', 'n':
		return ""
	}
	return string(d)
}

// text is a text as it is, and any other value as JSON without needless space.
func (d document) text() string {
	switch d.kind() {
	case '"':
		return d.str()
	case 0, 'n':
		return ""
	case '{', '[':
		var out bytes.Buffer
		if json.Compact(&out, d) == nil {
			return strings.ToValidUTF8(out.String(), "\ufffd")
		}
	}
	return strings.ToValidUTF8(string(d), "\ufffd")
}

// documentIn is the object or list that a text encodes; missing if it encodes none.
func documentIn(text string) document {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return nil
	}
	return document(text)
}

// quote is a text as JSON.
func quote(text string) document {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a text can always be encoded
	return bytes.TrimRight(out.Bytes(), "\n")
}
