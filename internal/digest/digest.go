// Package digest hashes values. Equal values have equal hashes, whatever the order of their maps and wherever they were
// read.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"sync"
)

// Tag is the key of the struct tag that leaves a field out, `digest:"-"`, or takes the fields of the struct to which it
// points as if they stood in its place, `digest:"inline"`.
const Tag = "digest"

// Sum is the digest of a value.
type Sum [16]byte

// Writer appends a value to the input of a digest.
type Writer func(b []byte, v reflect.Value) []byte

// Rules say how values of some types are taken. They are set before the first sum, and are safe for concurrent use
// from then on.
type Rules struct {
	Skip    []reflect.Type          // of no importance, in lists as well
	Special map[reflect.Type]Writer // how values of a type are written; what they write must end by itself

	writers sync.Map // reflect.Type → Writer
}

// Of sums up values. A field of a struct that has the zero value counts as absent, so that a sum outlives new fields.
// Functions and channels count as absent too.
func (r *Rules) Of(values ...any) Sum {
	buf := buffers.Get().(*[]byte)
	b := (*buf)[:0]
	for _, v := range values {
		b = r.any(b, reflect.ValueOf(v))
	}
	sum := sha256.Sum256(b)
	*buf = b
	buffers.Put(buf)
	return Sum(sum[:len(Sum{})])
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// Text appends a text that ends by itself.
func Text[T ~string | ~[]byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

const (
	isNil  = 0
	isSet  = 1
	theEnd = 0 // of a struct: no field has an empty name
)

func (r *Rules) append(b []byte, v reflect.Value) []byte { return r.writer(v.Type())(b, v) }

// any writes a value together with its type.
func (r *Rules) any(b []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return append(b, isNil)
	}
	return r.append(Text(append(b, isSet), v.Type().String()), v)
}

// writer is how values of a type are written.
func (r *Rules) writer(t reflect.Type) Writer {
	if w, known := r.writers.Load(t); known {
		return w.(Writer)
	}
	w := r.make(t)
	r.writers.Store(t, w)
	return w
}

func (r *Rules) make(t reflect.Type) Writer {
	if w := r.Special[t]; w != nil {
		return w
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.pointer(t)
	case reflect.Interface:
		return func(b []byte, v reflect.Value) []byte { return r.any(b, v.Elem()) }
	case reflect.Struct:
		return r.structure(t)
	case reflect.Slice, reflect.Array:
		return r.list(t)
	case reflect.Map:
		return r.mapping
	}
	return scalar
}

func (r *Rules) pointer(t reflect.Type) Writer {
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, isNil)
		}
		return r.writer(t.Elem())(append(b, isSet), v.Elem())
	}
}

// structure writes the fields that are set, by name.
func (r *Rules) structure(t reflect.Type) Writer {
	fields := r.fields(t)
	return func(b []byte, v reflect.Value) []byte { return append(fields(b, v), theEnd) }
}

func (r *Rules) fields(t reflect.Type) Writer {
	type field struct {
		at     int
		name   string
		inline Writer // writes the fields of the struct it points to; nil: it is a field
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if r.Skips(f) {
			continue
		}
		one := field{at: i, name: f.Name}
		if f.Tag.Get(Tag) == "inline" {
			one.inline = r.fields(f.Type.Elem())
		}
		fields = append(fields, one)
	}
	return func(b []byte, v reflect.Value) []byte {
		for _, f := range fields {
			value := v.Field(f.at)
			if value.IsZero() {
				continue
			}
			if f.inline != nil {
				b = f.inline(b, value.Elem())
				continue
			}
			before := len(b)
			b = Text(b, f.name)
			start := len(b)
			b = r.append(b, value)
			if value.Kind() == reflect.Struct && len(b) == start+1 { // all that is set in it is left out
				b = b[:before]
			}
		}
		return b
	}
}

// Skips reports whether a field of a struct is left out.
func (r *Rules) Skips(f reflect.StructField) bool {
	t := f.Type
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return f.Tag.Get(Tag) == "-" || t.Kind() == reflect.Func || t.Kind() == reflect.Chan || slices.Contains(r.Skip, t)
}

func (r *Rules) list(t reflect.Type) Writer {
	switch bytes := t.Elem().Kind() == reflect.Uint8; {
	case bytes && t.Kind() == reflect.Slice:
		return func(b []byte, v reflect.Value) []byte { return Text(b, v.Bytes()) }
	case bytes:
		return func(b []byte, v reflect.Value) []byte {
			for i := range v.Len() {
				b = append(b, byte(v.Index(i).Uint()))
			}
			return b
		}
	}
	return func(b []byte, v reflect.Value) []byte {
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = r.append(b, v.Index(i))
		}
		return b
	}
}

// mapping writes the entries in the order of their keys.
func (r *Rules) mapping(b []byte, v reflect.Value) []byte {
	b = binary.AppendUvarint(b, uint64(v.Len()))
	start := len(b)
	var few [16]int
	ends := few[:0]
	for key, value := range v.Seq2() {
		b = r.append(r.append(b, key), value)
		ends = append(ends, len(b))
	}
	return InOrder(b, start, ends)
}

func scalar(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return Text(b, v.String())
	case reflect.Bool:
		if v.Bool() {
			return append(b, isSet)
		}
		return append(b, isNil)
	case reflect.Float32, reflect.Float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	default: // functions and channels say nothing
		return b
	}
}
