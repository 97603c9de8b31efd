package cassette

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
)

// form holds what stands in a file against the types of this package, and reports at its place what does not fit.
type form struct{ *node.Reader }

var (
	textType  = reflect.TypeFor[Text]()
	rawType   = reflect.TypeFor[json.RawMessage]()
	spellable = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// fits reports whether a value can be read as a type.
func (f form) fits(n *node.Node, t reflect.Type, what string) bool {
	switch {
	case t.Kind() == reflect.Pointer:
		return node.IsNull(n) || f.fits(n, t.Elem(), what)
	case t == rawType || t.Kind() == reflect.Interface:
		return true
	case t == textType:
		return f.lines(n, what)
	case reflect.PointerTo(t).Implements(spellable):
		return f.spelled(n, t, what)
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.fields(n, t, what)
	case reflect.Slice:
		ok := true
		return (node.IsNull(n) || f.Items(n, what, func(_ int, v *node.Node) {
			ok = f.fits(v, t.Elem(), "an entry of "+what) && ok
		})) && ok
	case reflect.Map:
		return node.IsNull(n) || f.Each(n, what, func(string, *node.Node, *node.Node) {})
	default:
		return f.scalar(n, t.Kind(), what)
	}
}

// lines takes a text, or the list of its lines.
func (f form) lines(n *node.Node, what string) bool {
	if n.Kind != node.List {
		return f.scalar(n, reflect.String, what)
	}
	for _, line := range n.Content {
		if !f.scalar(line, reflect.String, "a line of "+what) {
			return false
		}
	}
	return true
}

func (f form) spelled(n *node.Node, t reflect.Type, what string) bool {
	if !f.scalar(n, reflect.String, what) {
		return false
	}
	if err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		f.Errorf(n, "wrong-value", "%s: %v", what, err)
		return false
	}
	return true
}

func (f form) fields(n *node.Node, t reflect.Type, what string) bool {
	types := map[string]reflect.Type{}
	var known []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		types[name] = field.Type
		known = append(known, name)
	}
	before := f.Diags.Errors()
	ok := true
	walked := f.Fields(n, what, known, func(key string, _, v *node.Node) { ok = f.fits(v, types[key], key) && ok })
	return walked && ok && f.Diags.Errors() == before
}

// scalar expects a value of a JSON type. The numbers of this format, but for a seed, are not negative.
func (f form) scalar(n *node.Node, kind reflect.Kind, what string) bool {
	tag, want := n.ShortTag(), ""
	switch kind {
	case reflect.String:
		want = "a text"
		if n.Kind == node.Scalar && tag == "!!str" {
			return true
		}
	case reflect.Bool:
		want = "true or false"
		if n.Kind == node.Scalar && tag == "!!bool" {
			return true
		}
	case reflect.Float64:
		want = "a number that is not negative"
		if n.Kind == node.Scalar && (tag == "!!int" || tag == "!!float") && (what == "temperature" || n.Value[0] != '-') {
			return f.number(n, new(float64), what)
		}
	default:
		want = "a whole number that is not negative"
		if n.Kind == node.Scalar && tag == "!!int" && (what == "seed" || n.Value[0] != '-') {
			return f.number(n, new(int64), what) && f.counted(n, what)
		}
	}
	f.Errorf(n, "wrong-type", "%s must be %s, found %s", what, want, found(n))
	return false
}

func (f form) number(n *node.Node, into any, what string) bool {
	if json.Unmarshal([]byte(n.Value), into) == nil {
		return true
	}
	f.Errorf(n, "wrong-type", "%s is a number out of range: %s", what, n.Value)
	return false
}

// counted refuses tokens that no call can have taken.
func (f form) counted(n *node.Node, what string) bool {
	count, err := strconv.ParseInt(n.Value, 10, 64)
	if !strings.HasSuffix(what, "put_tokens") || err == nil && count <= chat.MostTokens {
		return true
	}
	f.Errorf(n, "out-of-range", "%s is %s, more than any call takes", what, n.Value)
	return false
}

// found names what stands there.
func found(n *node.Node) string {
	switch n.Kind {
	case node.Map:
		return "an object"
	case node.List:
		return "a list"
	}
	const limit = 40
	if text := []rune(n.Value); len(text) > limit {
		return string(text[:limit]) + "…"
	}
	return n.Value
}
