package spans

import (
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// shape is a kind of object of OTLP as JSON. What has another shape is damaged, and spans may be lost with it.
type shape struct {
	what  string
	kinds map[string]string // by the name of a member, as jsonvalue.FoldKey folds it: what it may begin with; "": anything
	needs string            // the list without which the object is useless; "": none
	// whole says that no other members are allowed. Otherwise unknown members of later versions are ignored, except
	// lists and objects, whose content would be lost.
	whole bool
}

// The objects of an export.
var (
	exportShape   = &shape{what: "an export of traces", kinds: map[string]string{"resourcespans": "["}}
	resourceShape = &shape{what: "the spans of a resource", needs: "scopeSpans", kinds: map[string]string{
		"resource": "{", "scopespans": "[", "instrumentationlibraryspans": "[", "schemaurl": "",
	}}
	scopeShape = &shape{what: "the spans of a scope", needs: "spans", kinds: map[string]string{
		"scope": "{", "instrumentationlibrary": "{", "spans": "[", "schemaurl": "",
	}}
	spanShape = &shape{what: "a span", kinds: map[string]string{
		"traceid": "", "spanid": "", "tracestate": "", "parentspanid": "", "flags": "", "name": "\"", "kind": "",
		"starttimeunixnano": "", "endtimeunixnano": "", "attributes": "[{", "droppedattributescount": "",
		"events": "[", "droppedeventscount": "", "links": "[", "droppedlinkscount": "", "status": "",
	}}
	attributeShape = &shape{what: "an attribute", whole: true, kinds: map[string]string{"key": "\"", "value": ""}}
	valueShape     = &shape{what: "the value of an attribute", whole: true, kinds: map[string]string{
		"stringvalue": "\"", "boolvalue": "tf\"", "intvalue": numeric, "doublevalue": numeric, "bytesvalue": "\"",
		"arrayvalue": "{", "kvlistvalue": "{",
	}}
)

const numeric = "-0123456789\""

// members calls a function with each member of an object that is not null, by its folded name. It is an error when the
// object has another shape.
func (s *shape) members(d document, each func(name string, v document) error) error {
	if d.kind() != '{' {
		return fmt.Errorf("%s must be an object, found %s", s.what, ellipsis.Runes(string(d), 40))
	}
	needed := s.needs == ""
	for key, v := range d.members {
		if v.missing() {
			continue
		}
		name := jsonvalue.FoldKey(key)
		kinds, known := s.kinds[name]
		switch {
		case known && kinds != "" && !v.beginsWith(kinds):
			return fmt.Errorf("%s: %s must be %s, found %s", s.what, ellipsis.Runes(key, 40), kindName(kinds),
				ellipsis.Runes(string(v), 40))
		case !known && (s.whole || v.beginsWith("[{")):
			return fmt.Errorf("%s cannot have %q, whose content would be lost", s.what, ellipsis.Runes(key, 40))
		case !known:
			continue
		}
		needed = needed || s.kinds[name] == "["
		if err := each(name, v); err != nil {
			return err
		}
	}
	if !needed {
		return fmt.Errorf("%s must have a list %s", s.what, s.needs)
	}
	return nil
}

// kindName names the JSON types of values that begin with these characters.
func kindName(kinds string) string {
	switch kinds[0] {
	case '[':
		return "a list"
	case '{':
		return "an object"
	case '"':
		return "a text"
	case 't':
		return "true or false"
	}
	return "a number"
}

// beginsWith reports whether a value begins with one of these characters, which show its JSON type.
func (d document) beginsWith(kinds string) bool {
	for i := range len(kinds) {
		if d.kind() == kinds[i] {
			return true
		}
	}
	return false
}

// attributeIn reads an element of a list of attributes. The value of one without any is missing.
func attributeIn(item document) (key string, v document, err error) {
	err = attributeShape.members(item, func(name string, member document) error {
		if name == "key" {
			key = member.str()
		} else {
			v = member
		}
		return nil
	})
	if err == nil && key == "" {
		err = errors.New("an attribute must have a key")
	}
	return key, v, err
}
