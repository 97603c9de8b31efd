package jsonread

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

// reader reads the next value of a document into a zero value of its type, which has an address.
type reader func(s *scan, v reflect.Value) bool

var (
	readers sync.Map // by reflect.Type

	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	number          = reflect.TypeFor[json.Number]()
)

func readerOf(t reflect.Type) reader {
	if known, ok := readers.Load(t); ok {
		return known.(reader) //nolint:forcetypeassert // it holds nothing else
	}
	r := newReaders{}.of(t)
	readers.Store(t, r)
	return r
}

// newReaders are the readers under construction, for recursive types.
type newReaders map[reflect.Type]*object

func (all newReaders) of(t reflect.Type) reader {
	switch p := reflect.PointerTo(t); {
	case p.Implements(unmarshaler):
		return ownReader
	case p.Implements(textUnmarshaler), t == number:
		return slowly
	}
	switch t.Kind() {
	case reflect.Bool:
		return readBool
	case reflect.String:
		return readText
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readInteger
	case reflect.Float64:
		return readFloat
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return readAny
		}
	case reflect.Pointer:
		return pointer(t.Elem(), all.of(t.Elem()))
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // which may be base64
			return list(t, all.of(t.Elem()))
		}
	case reflect.Map:
		return all.ofMap(t)
	case reflect.Struct:
		return all.ofStruct(t)
	default:
	}
	return slowly
}

func readBool(s *scan, v reflect.Value) bool {
	s.space()
	if s.word("true") {
		v.SetBool(true)
		return true
	}
	return s.word("false")
}

func readText(s *scan, v reflect.Value) bool {
	text, ok := s.text()
	v.SetString(text)
	return ok
}

func readInteger(s *scan, v reflect.Value) bool {
	n, ok := s.integer()
	if !ok || v.OverflowInt(n) {
		return false
	}
	v.SetInt(n)
	return true
}

func readFloat(s *scan, v reflect.Value) bool {
	n, ok := s.float()
	v.SetFloat(n)
	return ok
}

func readAny(s *scan, v reflect.Value) bool {
	value, ok := s.value()
	if value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return ok
}

// ownReader lets the value read itself.
func ownReader(s *scan, v reflect.Value) bool {
	raw, ok := s.extent()
	return ok && v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw) == nil //nolint:forcetypeassert // it is one
}

// slowly lets encoding/json read a value.
func slowly(s *scan, v reflect.Value) bool {
	raw, ok := s.extent()
	if !ok {
		return false
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	return in.Decode(v.Addr().Interface()) == nil
}

func pointer(to reflect.Type, read reader) reader {
	return func(s *scan, v reflect.Value) bool {
		if s.null() {
			return true
		}
		at := reflect.New(to)
		v.Set(at)
		return read(s, at.Elem())
	}
}

// firstRoom is for how many entries a list has room at first: those of a trial mostly have so many.
const firstRoom = 4

func list(t reflect.Type, read reader) reader {
	return func(s *scan, v reflect.Value) bool {
		if s.null() {
			return true
		}
		if !s.takes('[') {
			return false
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		n := 0
		return s.elements(']', func() bool {
			if n == v.Cap() {
				v.Grow(max(n, firstRoom))
			}
			n++
			v.SetLen(n)
			return read(s, v.Index(n-1))
		})
	}
}

func (all newReaders) ofMap(t reflect.Type) reader {
	if t.Key() != reflect.TypeFor[string]() {
		return slowly
	}
	if t.Elem() == reflect.TypeFor[any]() {
		return func(s *scan, v reflect.Value) bool {
			if s.null() {
				return true
			}
			if !s.takes('{') {
				return false
			}
			members, ok := s.members()
			v.Set(reflect.ValueOf(members).Convert(t))
			return ok
		}
	}
	read := all.of(t.Elem())
	return func(s *scan, v reflect.Value) bool {
		if s.null() {
			return true
		}
		if !s.takes('{') {
			return false
		}
		members, n := reflect.MakeMap(t), 0
		v.Set(members)
		return s.elements('}', func() bool {
			key, ok := s.key()
			value := reflect.New(t.Elem()).Elem()
			if !ok || !read(s, value) {
				return false
			}
			members.SetMapIndex(reflect.ValueOf(key), value)
			n++
			s.unsure = s.unsure || members.Len() < n || folds(key)
			return true
		})
	}
}
