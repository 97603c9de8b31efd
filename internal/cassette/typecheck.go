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

// typeChecker compares a document with the types of this package, and reports problems at their positions.
type typeChecker struct{ *node.Reader }

var (
	textType        = reflect.TypeFor[Text]()
	rawType         = reflect.TypeFor[json.RawMessage]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// fits reports whether a value can be decoded into a type.
func (f typeChecker) fits(n *node.Node, t reflect.Type, what string) bool {
	switch {
	case t.Kind() == reflect.Pointer:
		return node.IsNull(n) || f.fits(n, t.Elem(), what)
	case t == rawType || t.Kind() == reflect.Interface:
		return true
	case t == textType:
		return f.textOrLines(n, what)
	case reflect.PointerTo(t).Implements(textUnmarshaler):
		return f.unmarshals(n, t, what)
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

// textOrLines accepts a text, or a list of lines.
func (f typeChecker) textOrLines(n *node.Node, what string) bool {
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

func (f typeChecker) unmarshals(n *node.Node, t reflect.Type, what string) bool {
	if !f.scalar(n, reflect.String, what) {
		return false
	}
	if err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		f.Errorf(n, "wrong-value", "%s: %v", what, err)
		return false
	}
	return true
}

func (f typeChecker) fields(n *node.Node, t reflect.Type, what string) bool {
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

// scalar expects a value of a JSON type. Numbers must not be negative, except for a seed and a temperature.
func (f typeChecker) scalar(n *node.Node, kind reflect.Kind, what string) bool {
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
			amount := new(float64)
			return f.number(n, amount, what) && f.measured(n, *amount, what)
		}
	default:
		want = "a whole number that is not negative"
		if n.Kind == node.Scalar && tag == "!!int" && (what == "seed" || n.Value[0] != '-') {
			return f.number(n, new(int64), what) && f.tokenCount(n, what)
		}
	}
	f.Errorf(n, "wrong-type", "%s must be %s, found %s", what, want, describe(n))
	return false
}

func (f typeChecker) number(n *node.Node, into any, what string) bool {
	if json.Unmarshal([]byte(n.Value), into) == nil {
		return true
	}
	f.Errorf(n, "wrong-type", "%s is a number out of range: %s", what, n.Value)
	return false
}

// measured refuses costs that the journal would refuse.
func (f typeChecker) measured(n *node.Node, amount float64, what string) bool {
	if what != "cost_usd" || amount <= chat.Most {
		return true
	}
	f.Errorf(n, "out-of-range", "%s cannot be %s; expected 0 to %g", what, n.Value, float64(chat.Most))
	return false
}

// tokenCount refuses token counts above the possible maximum.
func (f typeChecker) tokenCount(n *node.Node, what string) bool {
	count, err := strconv.ParseInt(n.Value, 10, 64)
	if !strings.HasSuffix(what, "put_tokens") || err == nil && count <= chat.MostTokens {
		return true
	}
	f.Errorf(n, "out-of-range", "%s is %s, more than any call takes", what, n.Value)
	return false
}

// describe names a value in messages.
func describe(n *node.Node) string {
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
