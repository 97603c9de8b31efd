package recording

import (
	"maps"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// keep adds the members of an object to what checks are told of the session. What is there already stays.
func (b *builder) keep(v value) {
	all, _ := decodeObject(v)
	for key, decoded := range all {
		b.keepAs(key, decoded)
	}
}

func (b *builder) keepAs(key string, v any) {
	s := b.session
	if s.Metadata == nil {
		s.Metadata = map[string]any{}
	}
	if _, there := s.Metadata[key]; !there {
		s.Metadata[key] = v
	}
}

// keepLabels keeps what a format has beside its metadata: tags and labels.
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
		labels := map[string]any{}
		for name, text := range s.Labels {
			labels[name] = text
		}
		b.keepAs("labels", labels)
	}
}

// ownAttributes are the attributes of a span that conventions for models say nothing of. "metadata" holds more of them,
// as an object or as its text.
func ownAttributes(attrs attributes) map[string]any {
	own := map[string]any{}
	for key, v := range attrs {
		if decoded, err := chat.DecodeJSON(v.text); err == nil && !ofModels(key) {
			own[key] = decoded
		}
	}
	if all, ok := decodeObject(inner(attrs["metadata"])); ok {
		delete(own, "metadata")
		maps.Copy(all, own)
		return all
	}
	return own
}

// keepAgreed keeps what the spans of a conversation say of it. A value that changes from span to span is known of no
// turn, and is left out.
func (b *builder) keepAgreed(spans []aiSpan) {
	disputed := map[string]bool{}
	for i := range spans {
		if spans[i].judge {
			continue
		}
		for key, v := range spans[i].own {
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

// ofModels says of an attribute that it is one of the conventions for calls of models and tools, or of arena.
func ofModels(key string) bool {
	prefix, _, _ := strings.Cut(key, ".")
	switch prefix {
	case "gen_ai", "llm", "openinference", "input", "output", "tool", "arena":
		return true
	}
	return false
}
