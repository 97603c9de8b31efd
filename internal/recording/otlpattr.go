package recording

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// attributes are the values of a span's attributes as JSON.
type attributes map[string]value

func (a attributes) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := a[k].scalar(); ok && s != "" {
			return s
		}
	}
	return ""
}

// tokens are what the first of some attributes that is there counts, as a number or as its text.
func (a attributes) tokens(b *builder, keys ...string) (n int, found bool) {
	for _, k := range keys {
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

// attributes reads a list of {key, value}.
func (b *builder) attributes(v value) attributes {
	attrs := attributes{}
	for item := range v.items {
		key, ok := item.get("key").str()
		if !ok {
			continue
		}
		if _, twice := attrs[key]; twice {
			b.errorf(item, "duplicate-key", "the attribute %q is there twice", cutText(key, 60))
			continue
		}
		v := value{b.plain(item.get("value"), 0), item.at}
		said := holdsMessages(key) || holdsMessage(key)
		if written := item.get("value"); said && v.missing() && string(written.text) != "{}" {
			b.errorf(item, "missing-content", "the attribute %s has no value", key)
		}
		b.noTwin(key, v)
		attrs[key] = v
	}
	return attrs
}

const maxAnyDepth = 100

// plain makes the JSON that a typed value stands for.
func (b *builder) plain(v value, depth int) []byte {
	if depth > maxAnyDepth {
		b.errorf(v, "too-deep", "an attribute is nested deeper than %d levels", maxAnyDepth)
		return []byte("null")
	}
	for name, member := range v.members {
		switch foldKey(name) {
		case "stringvalue", "doublevalue", "boolvalue", "bytesvalue":
			return member.text
		case "intvalue": // a 64 bit number, which JSON of protocol buffers writes as a text
			if s, ok := member.scalar(); ok {
				if _, err := strconv.ParseInt(s, 10, 64); err == nil {
					return []byte(s)
				}
			}
			return member.text
		case "arrayvalue":
			return b.plainList(member.get("values"), depth)
		case "kvlistvalue":
			return b.plainMap(member.get("values"), depth)
		}
	}
	return []byte("null")
}

func (b *builder) plainList(v value, depth int) []byte {
	out := []byte{'['}
	for item := range v.items {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, b.plain(item, depth+1)...)
	}
	return append(out, ']')
}

func (b *builder) plainMap(v value, depth int) []byte {
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
		out = append(out, b.plain(item.get("value"), depth+1)...)
	}
	return append(out, '}')
}

// nanos reads nanoseconds since 1970, which JSON of protocol buffers writes as a text.
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

// inner is the JSON within a text, or the value itself when it is none. Its place is that of v.
func inner(v value) value {
	s, ok := v.str()
	if !ok {
		return v
	}
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '[' && s[0] != '{' || !json.Valid([]byte(s)) {
		return v
	}
	return value{[]byte(s), v.at}
}

// noTwin refuses messages, as JSON within an attribute, in which a key stands twice in an object. The arguments of
// calls are a text within them, and as the model wrote it.
func (b *builder) noTwin(key string, v value) {
	content := inner(v)
	if kind := content.kind(); kind != '{' && kind != '[' || !holdsMessages(key) && !holdsMessage(key) {
		return
	}
	if name, _, found := twice(content); found {
		b.errorf(v, "duplicate-key", "%s: an object has the key %q twice", key, cutText(name, 40))
	}
}

// holdsMessage says of the attribute of an event whether it may hold a message, or a part of one.
func holdsMessage(key string) bool {
	switch strings.TrimPrefix(key, aiPrefix) {
	case "event.content", "event.body", "content", "message", "parts", "tool_calls":
		return true
	}
	return false
}
