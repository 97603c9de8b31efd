package live

import (
	"bytes"
	"fmt"
	"regexp"
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
	loose    *regexp.Regexp // finds a field in what is no JSON; nil: there are none
	quoted   *regexp.Regexp // finds the key of a field within a text; nil: there are none
}

func newRedaction(fields []string) *redaction {
	r := &redaction{fields: fields, met: make([]atomic.Bool, len(fields))}
	if len(fields) == 0 {
		return r
	}
	names := make([]string, len(fields))
	for i, name := range fields {
		names[i] = regexp.QuoteMeta(name)
	}
	one := "(?:" + strings.Join(names, "|") + ")"
	r.loose = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])` + one + `[\\"']*\s*[:=>]`)
	r.quoted = regexp.MustCompile(`(?i)["']` + one + `[\\]*["']\s*:`)
	return r
}

// remains says why a reply that is no JSON cannot be shown: it has one of the fields, which cannot be taken out.
func (r *redaction) remains(body []byte) error {
	if r.loose == nil {
		return nil
	}
	r.answered.Store(true)
	if !r.loose.Match(body) {
		return nil
	}
	return fmt.Errorf("the reply is no JSON and has a field that redact takes out (%s), so it is not shown",
		strings.Join(r.fields, ", "))
}

// unmet are the fields that no reply had, and whether there was one; none before the first reply.
func (r *redaction) unmet() (names []string, answered bool) {
	if !r.answered.Load() {
		return nil, false
	}
	for i, name := range r.fields {
		if !r.met[i].Load() {
			names = append(names, name)
		}
	}
	return names, true
}

// of is a reply without the fields.
func (r *redaction) of(v any) any {
	r.answered.Store(true)
	return r.value(v)
}

// value is a value without the fields, in any case and at any depth, also within a text that is a document.
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
		text := r.text(v)
		if text == v && r.quoted != nil && r.quoted.MatchString(v) { // a document that is cut, or within other text
			return "[REDACTED]"
		}
		return text
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
	before, err := jsonvalue.Plain(v)
	if err != nil {
		return text
	}
	clean, err := jsonvalue.Plain(r.value(v))
	if err != nil || bytes.Equal(before, clean) {
		return text
	}
	return string(clean)
}
