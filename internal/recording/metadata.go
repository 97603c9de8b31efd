package recording

import (
	"maps"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// keep adds the fields of an object to the metadata of the session. Existing fields are not replaced.
func (b *builder) keep(v value) {
	all, _ := decodeObject(v)
	for key, decoded := range all {
		b.keepAs(key, decoded)
	}
}

func (b *builder) keepAs(key string, v any) {
	s := b.session
	if s.Metadata == nil {
		s.Metadata = jsonvalue.Object{}
	}
	if _, there := s.Metadata[key]; !there {
		s.Metadata[key] = v
	}
}

// keepLabels adds tags and labels to the metadata.
func (b *builder) keepLabels() {
	s := b.session
	if len(s.Tags) > 0 {
		list := make([]any, len(s.Tags))
		for i, tag := range s.Tags {
			list[i] = tag
		}
		b.keepAs("tags", list)
	}
	if len(s.Labels) > 0 {
		labels := jsonvalue.Object{}
		for name, text := range s.Labels {
			labels[name] = text
		}
		b.keepAs("labels", labels)
	}
}

// customAttributes returns the attributes of a span that no convention defines. "metadata" may hold more, as an object
// or as JSON text.
func customAttributes(attrs attributes) jsonvalue.Object {
	own := jsonvalue.Object{}
	for key, v := range attrs {
		if decoded, err := chat.DecodeJSON(v.text); err == nil && !isConventional(key) {
			own[key] = decoded
		}
	}
	if all, ok := decodeObject(nestedJSON(attrs["metadata"])); ok {
		delete(own, "metadata")
		maps.Copy(all, own)
		return all
	}
	return own
}

// keepCommon adds the custom attributes of a conversation's spans to the metadata. Attributes with several values are
// left out.
func (b *builder) keepCommon(spans []aiSpan) {
	disputed := map[string]bool{}
	for i := range spans {
		if spans[i].judge {
			continue
		}
		for key, v := range spans[i].customAttributes {
			b.keepAs(key, v)
			disputed[key] = disputed[key] || !reflect.DeepEqual(b.session.Metadata[key], v)
		}
	}
	for key, so := range disputed {
		if so {
			delete(b.session.Metadata, key)
		}
	}
}

// isConventional reports whether an attribute belongs to the conventions for models and tools, or to arena.
func isConventional(key string) bool {
	prefix, _, _ := strings.Cut(key, ".")
	switch prefix {
	case "gen_ai", "llm", "openinference", "input", "output", "tool", "arena":
		return true
	}
	return false
}
