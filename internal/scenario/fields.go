package scenario

import (
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// fields lists the keys of one kind of map in the files, and defines their names, their values and where the values go.
type fields[T any] struct {
	keyTable
	all func() rows[T]
}

// rows are the fields of one table.
type rows[T any] []*field[T]

// field is one key.
type field[T any] struct {
	keys.Key
	// read puts the value into t. Nil: the value is only checked against its shape.
	read func(d *decoder, t *T, v *node.Node)
}

// table declares the keys of a map. They are made on first use, because most projects need few tables. A map has at
// most 64 keys.
func table[T any](what string, all func() rows[T]) *fields[T] {
	return newFields(what, sync.OnceValue(all))
}

// part makes the fields of a map that belongs to one table.
func part[T any](what string, all ...*field[T]) *fields[T] {
	return newFields(what, func() rows[T] { return all })
}

func newFields[T any](what string, all func() rows[T]) *fields[T] {
	f := &fields[T]{all: all}
	f.what = what
	f.listed = sync.OnceValue(func() []*keys.Key {
		rows := all()
		list := make([]*keys.Key, len(rows))
		for i := range rows {
			list[i] = &rows[i].Key
		}
		return list
	})
	return f
}

// Schema implements keys.Shape.
func (f *fields[T]) Schema(w keys.Writer) *jsonschema.Doc { return w.Table(f) }

// strays sets the message for unknown keys and returns f.
func (f *fields[T]) strays(where func(key string) string) *fields[T] {
	f.stray = where
	return f
}

// shows sets how messages show such a map, and returns f.
func (f *fields[T]) shows(example string) *fields[T] {
	f.shown = example
	return f
}

// open allows other keys beside the listed ones and returns f.
func (f *fields[T]) open() *fields[T] {
	f.free = true
	return f
}

// read reads a map into t. It returns false if n is not a map.
func (f *fields[T]) read(d *decoder, n *node.Node, t *T) bool {
	return f.walk(d, n, func(j int, v *node.Node) { f.all()[j].read(d, t, v) })
}

// NoEffect is the code of warnings about keys that change nothing.
const NoEffect = "no-effect"

// must makes a field required. The hint, if any, says what to write when it is missing.
func (x *field[T]) must(hint ...string) *field[T] {
	x.Required, x.Hint = true, strings.Join(hint, "")
	return x
}

// doc says what the field is for, in sentences.
func (x *field[T]) doc(text string) *field[T] { x.Doc = text; return x }

// preset documents the default value, as it would be written.
func (x *field[T]) preset(text string) *field[T] { x.Default = text; return x }

// later names the missing feature of arena that the key needs.
func (x *field[T]) later(feature string) *field[T] { x.Later = feature; return x }

// usual lists values without effect, because arena does the same by default.
func (x *field[T]) usual(values ...string) *field[T] { x.Usual = values; return x }

// orNull lets a field be empty.
func (x *field[T]) orNull() *field[T] { x.Null = true; return x }

// because gives the reason why a field with a reader has no effect.
func (x *field[T]) because(s keys.Silence) *field[T] { x.Silence = s; return x }

// remark is a field with text for readers of the file.
func remark[T any](name string, s keys.Shape) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Shape: s, Silence: keys.ForPeople}}
}

// apart is a field that is read elsewhere.
func apart[T any](name string, s keys.Shape) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Shape: s, Silence: keys.ReadApart}}
}

// ownName is the field with the name of a document without metadata, which is read before the others.
func ownName[T any](name string) *field[T] {
	return apart[T](name, text).doc("The name by which others know it, where metadata has none.")
}

// inside is a field of a block that is reported, refused or skipped as a whole.
func inside[T any](name string, s keys.Shape) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Shape: s, Silence: keys.InBlock}}
}

// idle is a field that is checked and has no effect. That is reported, except for the usual values, which mean what
// arena does anyway.
func idle[T any](name string, s keys.Shape, why string, usual ...string) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Shape: s, Idle: why, Usual: usual}}
}

// block is a field with a map of fields.
func block[T, U any](name string, of *fields[U]) *field[T] {
	return custom(name, of, func(d *decoder, _ *T, v *node.Node) { of.Check(d, v, name) })
}

// gone is a removed field; the message says what to use instead.
func gone[T any](name, wrong, hint string) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Wrong: wrong, Hint: hint}}
}

// custom is a field with a reader of its own.
func custom[T any](name string, s keys.Shape, read func(d *decoder, t *T, v *node.Node)) *field[T] {
	return &field[T]{Key: keys.Key{Name: name, Shape: s, Read: true}, read: read}
}

// str is a field of text.
func str[T any](name string, at func(*T) *string) *field[T] {
	return custom(name, text, func(d *decoder, t *T, v *node.Node) {
		if s, ok := d.String(v, name); ok {
			*at(t) = s
		}
	})
}

// strPtr is a field of text that knows whether it was written.
func strPtr[T any](name string, at func(*T) **string) *field[T] {
	return custom(name, text, func(d *decoder, t *T, v *node.Node) {
		if s, ok := d.String(v, name); ok {
			*at(t) = &s
		}
	})
}

// label is a field of text that must not be blank.
func label[T any](name string, at func(*T) *string) *field[T] {
	return custom(name, text, func(d *decoder, t *T, v *node.Node) {
		if s, ok := d.Name(v, name); ok {
			*at(t) = s
		}
	})
}

// word is a field with one of a few words.
func word[T any](name string, of keys.Words, at func(*T) *string) *field[T] {
	return custom(name, of, func(d *decoder, t *T, v *node.Node) {
		if s, ok := d.OneOf(v, name, of...); ok {
			*at(t) = s
		}
	})
}

// flag is a field of true or false.
func flag[T any](name string, at func(*T) *bool) *field[T] {
	return custom(name, boolean, func(d *decoder, t *T, v *node.Node) {
		if b, ok := d.Bool(v, name); ok {
			*at(t) = b
		}
	})
}

// flagPtr is a field of true or false that knows whether it was written.
func flagPtr[T any](name string, at func(*T) **bool) *field[T] {
	return custom(name, boolean, func(d *decoder, t *T, v *node.Node) {
		if b, ok := d.Bool(v, name); ok {
			*at(t) = &b
		}
	})
}

// integer is a field with a whole number.
func integer[T any](name string, s keys.Number, at func(*T) *int) *field[T] {
	return custom(name, s, func(d *decoder, t *T, v *node.Node) {
		if i, ok := s.Int(d, v, name); ok {
			*at(t) = i
		}
	})
}

// optionalInteger is a field with a whole number that knows whether it was written.
func optionalInteger[T any](name string, s keys.Number, at func(*T) **int) *field[T] {
	return custom(name, s, func(d *decoder, t *T, v *node.Node) {
		if i, ok := s.Int(d, v, name); ok {
			*at(t) = &i
		}
	})
}

// seed is a field with a whole number of up to 53 bits.
func seed[T any](name string, at func(*T) **int64) *field[T] {
	const most = 1 << 53
	s := keys.Number{Low: -most, High: most, Integer: true}
	return custom(name, s, func(d *decoder, t *T, v *node.Node) {
		if i, ok := s.Int(d, v, name); ok {
			wide := int64(i)
			*at(t) = &wide
		}
	})
}

// num is a field with a number.
func num[T any](name string, s keys.Number, at func(*T) *float64) *field[T] {
	return custom(name, s, func(d *decoder, t *T, v *node.Node) {
		if f, ok := s.Float(d, v, name); ok {
			*at(t) = f
		}
	})
}

// numPtr is a field with a number that knows whether it was written.
func numPtr[T any](name string, s keys.Number, at func(*T) **float64) *field[T] {
	return custom(name, s, func(d *decoder, t *T, v *node.Node) {
		if f, ok := s.Float(d, v, name); ok {
			*at(t) = &f
		}
	})
}

// dur is a field with a time span.
func dur[T any](name string, at func(*T) *time.Duration) *field[T] {
	return custom(name, span, func(d *decoder, t *T, v *node.Node) {
		if span, ok := d.Duration(v, name); ok {
			*at(t) = span
		}
	})
}

// strs is a field with a list of text.
func strs[T any](name string, at func(*T) *[]string) *field[T] {
	return custom(name, texts, func(d *decoder, t *T, v *node.Node) {
		if list, ok := d.Strings(v, name); ok {
			*at(t) = list
		}
	})
}

// strMap is a field with a map of text to text.
func strMap[T any](name string, at func(*T) *map[string]string) *field[T] {
	return custom(name, textMap, func(d *decoder, t *T, v *node.Node) {
		if m, ok := d.StringMap(v, name); ok {
			*at(t) = m
		}
	})
}

// object is a field with a map that is read into a part of T.
func object[T, U any](name string, of *fields[U], at func(*T) *U) *field[T] {
	return custom(name, of, func(d *decoder, t *T, v *node.Node) { of.read(d, v, at(t)) })
}

// objectPtr is a field with a map that is read into a new part of T.
func objectPtr[T, U any](name string, of *fields[U], at func(*T) **U) *field[T] {
	return custom(name, of, func(d *decoder, t *T, v *node.Node) {
		u := new(U)
		if of.read(d, v, u) {
			*at(t) = u
		}
	})
}

// objects is a field with a list of maps.
func objects[T, U any](name string, of *fields[U], at func(*T) *[]U) *field[T] {
	return custom(name, listOf(of), func(d *decoder, t *T, v *node.Node) {
		d.Items(v, name, func(_ int, item *node.Node) {
			var u U
			if of.read(d, item, &u) {
				*at(t) = append(*at(t), u)
			}
		})
	})
}
