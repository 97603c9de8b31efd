// Package keys declares the keys of maps in files: the shape of each value, and its documentation. What reads the
// files, their JSON Schemas and their documentation are made from the same declarations.
package keys

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
)

// Key is one key of a map.
type Key struct {
	Name     string
	Aliases  []string // further spellings; the first one given wins, Name before all
	Shape    Shape
	Required bool
	Null     bool   // may be left empty
	Default  string // as written; "": none
	Doc      string // sentences; "" if Idle or Later explains it
	Read     bool   // the value is used; otherwise Silence or Idle explains why not
	Silence  Silence
	Idle     string   // why the key has no effect, for whoever wrote it
	Later    string   // what it asks for that this version does not have; "": the key works
	Usual    []string // values that mean what arena does anyway
	AsIs     bool     // its texts are sent as they stand: placeholders in them are refused
	Unfilled string   // for such texts: what to do about a placeholder; "": write the value itself
	Wrong    string   // why the key must not be used, for keys of other versions and common mistakes
	Hint     string   // what to write instead of a wrong key, or when a required one is missing
}

// Silence says why a key without a reader gets no warning about that.
type Silence uint8

// The reasons.
const (
	ForPeople Silence = iota + 1 // it describes the file for people
	ReadApart                    // another place reads it
	InBlock                      // it is part of a block that as a whole is told, refused, or has its scenario skipped
)

// Table is the keys of one kind of map.
type Table interface {
	Shape
	Title() string // for messages: "a turn"
	// Keys are the allowed keys, in the order of the documentation.
	Keys() []*Key
	Open() bool // other keys are allowed
}

// Spellings are the name and its aliases, in order of precedence.
func (k *Key) Spellings() []string { return append([]string{k.Name}, k.Aliases...) }

// String is the key as hints name it: patterns (list of text).
func (k *Key) String() string { return k.Name + " (" + k.Shape.Label() + ")" }

// About is the documentation of the key, also for editors: its purpose, and why it has no effect, if so.
func (k *Key) About() string {
	text := k.Doc
	if k.Idle != "" {
		text = strings.TrimSpace(text + " Has no effect: " + k.Idle + ".")
	}
	if k.Later != "" {
		text = strings.TrimSpace(text + " Not available yet: " + k.Later + ".")
	}
	return text
}

// Names are all spellings of some keys.
func Names(list []*Key) []string {
	names := make([]string, 0, len(list))
	for _, k := range list {
		names = append(append(names, k.Name), k.Aliases...)
	}
	return names
}

// Listed names keys with their types, for a hint.
func Listed(list []*Key) string {
	all := make([]string, len(list))
	for i, k := range list {
		all[i] = k.String()
	}
	return strings.Join(all, ", ")
}

// Nearest is the key that was probably meant; nil: none is near.
func Nearest(name string, list []*Key) *Key {
	near := diag.Nearest(name, Names(list))
	if near == "" {
		return nil
	}
	return Find(near, list)
}

// Find is the key with a name; nil: none.
func Find(name string, list []*Key) *Key {
	for _, k := range list {
		if slices.Contains(k.Spellings(), name) {
			return k
		}
	}
	return nil
}

// Object describes a map with some keys as JSON Schema. value makes the schema of one; nil: that of its shape.
func Object(list []*Key, open bool, value func(*Key) *jsonschema.Doc) *jsonschema.Doc {
	d := &jsonschema.Doc{Type: jsonschema.Types{"object"}, Properties: map[string]*jsonschema.Doc{}}
	if !open {
		d.AdditionalProperties = jsonschema.NoOthers
	}
	for _, k := range list {
		for _, spelling := range k.Spellings() {
			v := *schemaOf(k, value)
			v.Default = k.preset()
			v.Description = k.About()
			if spelling != k.Name {
				v.Description = "The same as " + k.Name + "."
			}
			d.Properties[spelling] = &v
		}
		switch {
		case !k.Required:
		case len(k.Aliases) == 0:
			d.Required = append(d.Required, k.Name)
		default:
			RequireOne(d, k.Spellings())
		}
	}
	return d
}

// preset is the default as a JSON value; nil: none.
func (k *Key) preset() (v any) {
	if k.Default == "" || json.Unmarshal([]byte(k.Default), &v) == nil {
		return v
	}
	return k.Default
}

func schemaOf(k *Key, value func(*Key) *jsonschema.Doc) *jsonschema.Doc {
	if value == nil {
		return k.Shape.Schema(nil)
	}
	return value(k)
}

// RequireOne asks for at least one of some keys.
func RequireOne(d *jsonschema.Doc, spellings []string) {
	choice := &jsonschema.Doc{}
	for _, key := range spellings {
		choice.AnyOf = append(choice.AnyOf, jsonschema.Requires(key))
	}
	d.AllOf = append(d.AllOf, choice)
}
