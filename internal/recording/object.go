package recording

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/spans"
)

// object is a JSON object with its fields by folded name.
type object struct {
	value
	members map[string]value
}

// object parses an object. It refuses duplicate keys.
func (b *builder) object(v value, what string) (object, bool) {
	if v.kind() != '{' {
		b.errorf(v, "wrong-type", "%s must be an object, found %s", what, describe(v))
		return object{}, false
	}
	o := object{v, map[string]value{}}
	for key, member := range v.members {
		name := foldKey(key)
		if _, duplicate := o.members[name]; duplicate {
			b.errorf(member, "duplicate-key", "%s has the key %q twice", what, cutText(string(key), 40))
			return object{}, false
		}
		o.members[name] = member
	}
	return o, true
}

// get returns the first of some fields that is not null.
func (o object) get(names ...string) value {
	for _, name := range names {
		if v := o.members[name]; !v.missing() {
			return v
		}
	}
	return value{}
}

// text reads a string; "" when missing. Numbers and booleans are taken as written.
func (b *builder) text(v value, what string) string {
	if v.missing() {
		return ""
	}
	s, ok := v.scalar()
	if !ok {
		b.errorf(v, "wrong-type", "%s must be text, found %s", what, describe(v))
	}
	return s
}

// float reads a finite number; nil when missing.
func (b *builder) float(v value, what string) *float64 {
	if v.missing() {
		return nil
	}
	f, ok := v.number()
	if !ok {
		b.errorf(v, "wrong-type", "%s must be a number, found %s", what, describe(v))
		return nil
	}
	return &f
}

// amount reads a measurement; nil when missing.
func (b *builder) amount(v value, what string) *float64 {
	f := b.float(v, what)
	if f != nil && !chat.Measured(*f) {
		b.outOfRange(v, what)
		return nil
	}
	return f
}

func (b *builder) outOfRange(v value, what string) {
	b.errorf(v, "out-of-range", "%s cannot be %s", what, cutText(string(v.text), 40))
}

// tokens reads a token count; 0 when missing.
func (b *builder) tokens(v value, what string) int {
	f := b.float(v, what)
	if f == nil {
		return 0
	}
	if !chat.Tokens(*f) {
		b.outOfRange(v, what)
		return 0
	}
	return int(*f)
}

// number reads a sequence number; 0 when missing.
func (b *builder) number(v value, what string) int64 {
	if v.missing() {
		return 0
	}
	s, _ := v.scalar()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		b.errorf(v, "wrong-type", "%s must be a whole number, found %s", what, describe(v))
		return 0
	}
	return n
}

// count reads a number that is not negative; 0 when missing.
func (b *builder) count(v value, what string) int {
	f := b.float(v, what)
	if f == nil {
		return 0
	}
	if *f < 0 || *f > math.MaxInt32 {
		b.outOfRange(v, what)
		return 0
	}
	return int(*f)
}

// truth reads a boolean; false when missing.
func (b *builder) truth(v value, what string) bool {
	switch v.kind() {
	case 't':
		return true
	case 0, 'n', 'f':
		return false
	}
	b.errorf(v, "wrong-type", "%s must be true or false, found %s", what, describe(v))
	return false
}

// time reads a time in RFC 3339, or a number since 1970 whose size shows its unit. The result is zero when missing.
func (b *builder) time(v value, what string) time.Time {
	if n, ok := v.number(); ok && n >= 0 {
		return spans.Since1970(string(v.text))
	}
	s := b.text(v, what)
	if s == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			if t.IsZero() {
				return time.Time{}
			}
			return t
		}
	}
	b.errorf(v, "wrong-type", "%s must be a time such as 2026-01-02T03:04:05Z, found %q", what, cutText(s, 40))
	return time.Time{}
}

// texts reads a list of texts; nil when missing.
func (b *builder) texts(v value, what string) (list []string) {
	if v.missing() {
		return nil
	}
	if v.kind() != '[' {
		b.errorf(v, "wrong-type", "%s must be a list of text, found %s", what, describe(v))
		return nil
	}
	for item := range v.items {
		list = append(list, b.text(item, "an entry of "+what))
	}
	return list
}

// raw copies a value, which then outlives its piece.
func raw(v value) json.RawMessage {
	if v.missing() {
		return nil
	}
	return append(json.RawMessage(nil), v.text...)
}

// describe names a value in messages.
func describe(v value) string {
	switch v.kind() {
	case 0:
		return "nothing"
	case 'n':
		return "null"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		s, _ := v.str()
		return fmt.Sprintf("text %q", cutText(s, 40))
	case 't', 'f':
		return string(v.text)
	}
	return "the number " + cutText(string(v.text), 40)
}

// cutText shortens a quoted text.
func cutText(s string, limit int) string { return ellipsis.Runes(s, limit) }
