package jsonread

import (
	"reflect"
	"slices"
	"strings"
)

// object reads a struct.
type object struct{ fields []field }

// field is a field of a struct, or of one that is embedded in it.
type field struct {
	key  string // as it is written, with its quotes and the colon
	path []int
	read reader
}

// maxFields is the size of the set of the fields that were read.
const maxFields = 128

func (all newReaders) ofStruct(t reflect.Type) reader {
	if o := all[t]; o != nil {
		return o.read
	}
	o := &object{}
	all[t] = o
	if o.add(all, t, nil) && len(o.fields) <= maxFields {
		return o.read
	}
	o.fields = nil
	return slowly
}

// add adds the fields of a struct. It reports false when encoding/json has rules for it that are not known here.
func (o *object) add(all newReaders, t reflect.Type, path []int) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		at := append(slices.Clip(path), i)
		switch {
		case tag == "-":
			continue
		case f.Anonymous && name == "":
			if f.Type.Kind() != reflect.Struct || !o.add(all, f.Type, at) {
				return false
			}
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if strings.Contains(options, "string") || strings.ContainsAny(name, `"\`) {
			return false
		}
		key := `"` + name + `":`
		for i := range o.fields {
			if strings.EqualFold(o.fields[i].key, key) {
				return false
			}
		}
		o.fields = append(o.fields, field{key: key, path: at, read: all.of(f.Type)})
	}
	return true
}

func (o *object) read(s *scan, v reflect.Value) bool {
	if !s.takes('{') {
		return false
	}
	var seen [maxFields / 64]uint64
	next := 0
	return s.elements('}', func() bool {
		s.space()
		i := o.find(s, next)
		if i < 0 && s.part {
			return o.passes(s)
		}
		if i < 0 || seen[i/64]&(1<<(i%64)) != 0 { // a field that is there twice is read into what it was before
			return false
		}
		seen[i/64] |= 1 << (i % 64)
		f := &o.fields[i]
		s.at += len(f.key)
		next = i + 1
		at := v
		for _, k := range f.path {
			at = at.Field(k)
		}
		return f.read(s, at)
	})
}

// find finds the field of the next member, which usually follows the last one. -1: there is none.
func (o *object) find(s *scan, next int) int {
	rest := s.doc[s.at:]
	for range 2 {
		for i := next; i < len(o.fields); i++ {
			key := o.fields[i].key
			if len(rest) > len(key) && rest[1] == key[1] && string(rest[:len(key)]) == key {
				return i
			}
		}
		next = 0
	}
	return -1
}

// passes goes behind a member that the struct does not have. It reports false when encoding/json may take it for one
// that it has.
func (o *object) passes(s *scan) bool {
	raw, plain, ok := s.rawText()
	if !ok || !plain || folds(raw) {
		return false
	}
	for i := range o.fields {
		if key := o.fields[i].key; strings.EqualFold(key[:len(key)-1], string(raw)) {
			return false
		}
	}
	return s.takes(':') && s.pass()
}
