package jsonschema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// Dialect is the version of JSON Schema in which a Doc is written.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Doc is a JSON Schema that arena writes. The zero value takes everything.
type Doc struct {
	Defs                 map[string]*Doc `json:"$defs,omitempty"`
	ID                   string          `json:"$id,omitempty"`
	Ref                  string          `json:"$ref,omitempty"`
	Dialect              string          `json:"$schema,omitempty"`
	AdditionalProperties *Others         `json:"additionalProperties,omitempty"`
	AllOf                []*Doc          `json:"allOf,omitempty"`
	AnyOf                []*Doc          `json:"anyOf,omitempty"`
	Const                string          `json:"const,omitempty"`
	Default              any             `json:"default,omitempty"` // nil: none
	Description          string          `json:"description,omitempty"`
	Else                 *Doc            `json:"else,omitempty"`
	Enum                 []string        `json:"enum,omitempty"`
	Examples             []string        `json:"examples,omitempty"`
	ExclusiveMinimum     *float64        `json:"exclusiveMinimum,omitempty"`
	Format               string          `json:"format,omitempty"`
	If                   *Doc            `json:"if,omitempty"`
	Items                *Doc            `json:"items,omitempty"`
	Maximum              *float64        `json:"maximum,omitempty"`
	MinItems             int             `json:"minItems,omitempty"`
	MinLength            int             `json:"minLength,omitempty"`
	Minimum              *float64        `json:"minimum,omitempty"`
	Not                  *Doc            `json:"not,omitempty"`
	OneOf                []*Doc          `json:"oneOf,omitempty"`
	Pattern              string          `json:"pattern,omitempty"`
	Properties           map[string]*Doc `json:"properties,omitempty"`
	PropertyNames        *Doc            `json:"propertyNames,omitempty"`
	Required             []string        `json:"required,omitempty"`
	Then                 *Doc            `json:"then,omitempty"`
	Title                string          `json:"title,omitempty"`
	Type                 Types           `json:"type,omitempty"`
}

// Types are the types that a value may have.
type Types []string

// MarshalJSON writes a type that is alone without a list around it.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Others are the values of the keys that an object has beside its properties.
type Others struct{ of *Doc }

// NoOthers lets an object have no other keys.
var NoOthers = &Others{}

// OthersOf lets an object have other keys, with values that fit a schema.
func OthersOf(d *Doc) *Others { return &Others{d} }

// Of is the schema of the values; nil when there may be none.
func (o *Others) Of() *Doc {
	if o == nil {
		return nil
	}
	return o.of
}

// MarshalJSON writes false where no others may be.
func (o *Others) MarshalJSON() ([]byte, error) {
	if o.of == nil {
		return []byte("false"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // who writes the whole may ask for it
	err := enc.Encode(o.of)
	return b.Bytes(), err
}

// TakesAll reports whether the schema accepts every value.
func (d *Doc) TakesAll() bool { return reflect.ValueOf(d).Elem().IsZero() }

// AnyOf accepts values that fit one of some schemas.
func AnyOf(choices ...*Doc) *Doc { return &Doc{AnyOf: choices} }

// Requires takes objects that have some keys.
func Requires(keys ...string) *Doc { return &Doc{Required: keys} }

// Refer refers to a definition.
func Refer(name string) *Doc { return &Doc{Ref: "#/$defs/" + name} }

// Copy is the schema with all that is in it changed by a function, from the inside out. d stays as it is.
func (d *Doc) Copy(change func(*Doc)) *Doc {
	if d == nil {
		return nil
	}
	c := *d
	for _, one := range []**Doc{&c.Else, &c.If, &c.Items, &c.Not, &c.PropertyNames, &c.Then} {
		*one = (*one).Copy(change)
	}
	for _, list := range []*[]*Doc{&c.AllOf, &c.AnyOf, &c.OneOf} {
		*list = slices.Clone(*list)
		for i, one := range *list {
			(*list)[i] = one.Copy(change)
		}
	}
	for _, set := range []*map[string]*Doc{&c.Defs, &c.Properties} {
		*set = copySet(*set, change)
	}
	if of := c.AdditionalProperties.Of(); of != nil {
		c.AdditionalProperties = OthersOf(of.Copy(change))
	}
	change(&c)
	return &c
}

func copySet(set map[string]*Doc, change func(*Doc)) map[string]*Doc {
	if set == nil {
		return nil
	}
	c := make(map[string]*Doc, len(set))
	for name, one := range set {
		c[name] = one.Copy(change)
	}
	return c
}
