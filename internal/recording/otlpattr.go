package recording

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/spans"
)

// attributes are the attributes of a span, with values as JSON.
type attributes map[string]value

func (a attributes) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := a[k].scalar(); ok && s != "" {
			return s
		}
	}
	return ""
}

// field returns a field as a text.
func (a attributes) field(f spans.Field) string { return a.text(f.Names()...) }

// first returns the first attribute that holds a field.
func (a attributes) first(f spans.Field) (v value, found bool) {
	for _, name := range f.Names() {
		if v, found = a[name]; found {
			return v, true
		}
	}
	return value{}, false
}

// tokens returns a token count, which may be a number or a text.
func (a attributes) tokens(b *builder, f spans.Field) (n int, found bool) {
	for _, k := range f.Names() {
		v := a[k]
		if s, ok := v.str(); ok && json.Valid([]byte(s)) {
			v.text = []byte(s)
		}
		if !v.missing() {
			return b.tokens(v, k), true
		}
	}
	return 0, false
}

// attributes reads a list of {key, value}, or an object.
func (b *builder) attributes(v value) attributes {
	attrs := attributes{}
	b.plainAttributes(attrs, "", v)
	for item := range v.items {
		key, ok := item.get("key").str()
		if !ok {
			continue
		}
		if _, duplicate := attrs[key]; duplicate {
			b.errorf(item, "duplicate-key", "the attribute %q is there twice", cutText(key, 60))
			continue
		}
		v := value{b.decodeAny(item.get("value"), 0), item.at}
		hasMessages := holdsMessages(key) || holdsMessage(key)
		if written := item.get("value"); hasMessages && v.missing() && string(written.text) != "{}" {
			b.errorf(item, "missing-content", "the attribute %s has no value", key)
		}
		b.checkDuplicates(key, v)
		attrs[key] = v
	}
	return attrs
}

const maxAnyDepth = 100

// decodeAny converts a typed OTLP value to JSON.
func (b *builder) decodeAny(v value, depth int) []byte {
	if depth > maxAnyDepth {
		b.errorf(v, "too-deep", "an attribute is nested deeper than %d levels", maxAnyDepth)
		return []byte("null")
	}
	for name, member := range v.members {
		switch foldKey(name) {
		case "stringvalue", "doublevalue", "boolvalue", "bytesvalue":
			return member.text
		case "intvalue": // a 64 bit number; protobuf JSON writes it as a text
			if s, ok := member.scalar(); ok {
				if _, err := strconv.ParseInt(s, 10, 64); err == nil {
					return []byte(s)
				}
			}
			return member.text
		case "arrayvalue":
			return b.decodeList(member.get("values"), depth)
		case "kvlistvalue":
			return b.decodeMap(member.get("values"), depth)
		}
	}
	return []byte("null")
}

func (b *builder) decodeList(v value, depth int) []byte {
	out := []byte{'['}
	for item := range v.items {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, b.decodeAny(item, depth+1)...)
	}
	return append(out, ']')
}

func (b *builder) decodeMap(v value, depth int) []byte {
	out := []byte{'{'}
	for item := range v.items {
		key := item.get("key")
		if key.kind() != '"' {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, key.text...), ':')
		out = append(out, b.decodeAny(item.get("value"), depth+1)...)
	}
	return append(out, '}')
}

// nanos reads nanoseconds since 1970, which protobuf JSON writes as a text.
func (b *builder) nanos(v value) time.Time {
	s, ok := v.scalar()
	if !ok {
		return time.Time{}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		b.errorf(v, "wrong-type", "a time must be nanoseconds, found %s", describe(v))
		return time.Time{}
	}
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// nestedJSON returns the JSON within a text, at the position of v; v itself when there is none.
func nestedJSON(v value) value {
	s, ok := v.str()
	if !ok {
		return v
	}
	inner := jsonIn(s)
	if inner.missing() {
		return v
	}
	return value{inner.text, v.at}
}

// jsonIn returns the object or list that a text encodes; missing when it encodes none.
func jsonIn(text string) value {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '[' && text[0] != '{' || !json.Valid([]byte(text)) {
		return value{}
	}
	return value{text: []byte(text)}
}

// checkDuplicates refuses duplicate keys in messages that are attributes. Arguments of calls are texts and not checked.
func (b *builder) checkDuplicates(key string, v value) {
	content := nestedJSON(v)
	if kind := content.kind(); kind != '{' && kind != '[' || !holdsMessages(key) && !holdsMessage(key) {
		return
	}
	if name, _, found := duplicateKey(content); found {
		b.errorf(v, "duplicate-key", "%s: an object has the key %q twice", key, cutText(name, 40))
	}
}

// holdsMessage reports whether an attribute of an event may hold a message, or a part of one.
func holdsMessage(key string) bool {
	switch strings.TrimPrefix(key, aiPrefix) {
	case "event.content", "event.body", "content", "message", "parts", "tool_calls":
		return true
	}
	return false
}
