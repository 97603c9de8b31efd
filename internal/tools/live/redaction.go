package live

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// redaction takes fields out of replies, and remembers which there were. It is safe for concurrent use.
type redaction struct {
	fields   []string
	met      []atomic.Bool
	answered atomic.Bool
}

func newRedaction(fields []string) *redaction {
	return &redaction{fields: fields, met: make([]atomic.Bool, len(fields))}
}

// unmet are the fields that no reply had; none before the first reply.
func (r *redaction) unmet() (names []string) {
	if !r.answered.Load() {
		return nil
	}
	for i, name := range r.fields {
		if !r.met[i].Load() {
			names = append(names, name)
		}
	}
	return names
}

// of is a reply without the fields.
func (r *redaction) of(v any) any {
	r.answered.Store(true)
	return r.value(v)
}

// value is a value without the fields, whatever their case and wherever they stand, in a text with a document of its
// own too.
func (r *redaction) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = r.value(inner) // so that fields within it count as met
			if at := slices.IndexFunc(r.fields, func(f string) bool { return strings.EqualFold(f, name) }); at >= 0 {
				r.met[at].Store(true)
				v[name] = "[REDACTED]"
			}
		}
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
	case string:
		return r.text(v)
	}
	return v
}

// text is a text without the fields, where it is a document. One that has none of them stays as it was written.
func (r *redaction) text(text string) string {
	if at := strings.TrimLeft(text, " \t\r\n"); at == "" || at[0] != '{' && at[0] != '[' {
		return text
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return text
	}
	was, err := jsonvalue.Plain(v)
	if err != nil {
		return text
	}
	clean, err := jsonvalue.Plain(r.value(v))
	if err != nil || bytes.Equal(was, clean) {
		return text
	}
	return string(clean)
}
