package spans

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// value is the value of an attribute: a text, or other JSON.
type value struct {
	text string
	json document // nil: it is a text
}

// valueOf makes a value of JSON.
func valueOf(d document) value {
	if d.kind() == '"' {
		return value{text: d.str()}
	}
	return value{json: d}
}

// string is a text as it is, and any other value as JSON.
func (v value) string() string {
	if v.json == nil {
		return v.text
	}
	return v.json.text()
}

// scalar is a text, a number or a boolean; "" of anything else.
func (v value) scalar() string {
	if v.json == nil {
		return v.text
	}
	return v.json.scalar()
}

// document is the object or the list that a value is, also inside a text; missing if it is neither.
func (v value) document() document {
	if v.json == nil {
		return documentIn(v.text)
	}
	if k := v.json.kind(); k == '{' || k == '[' {
		return v.json
	}
	return nil
}

// attributes are the attributes of a span that arena uses.
type attributes map[string]value

// add keeps an attribute. An object is taken for attributes with dotted names.
func (a attributes) add(name string, v value) { a.addAt(name, v, 0) }

const mostDots = 20

func (a attributes) addAt(name string, v value, depth int) {
	if v.json.kind() == '{' && !IsWhole(name) && depth < mostDots {
		for key, member := range v.json.members {
			a.addAt(name+"."+key, valueOf(member), depth+1)
		}
		return
	}
	if _, duplicate := a[name]; !duplicate && isRead(name) && (v.json == nil || !v.json.missing()) {
		a[name] = v
	}
}

// addAll keeps the members of an object.
func (a attributes) addAll(d document) {
	for key, member := range d.members {
		a.add(key, valueOf(member))
	}
}

// first is the value of a field.
func (a attributes) first(f Field) (value, bool) {
	for _, name := range table[f] {
		if v, ok := a[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// scalar is the text of an attribute; "" if it is not a scalar.
func (a attributes) scalar(name string) string { return a[name].scalar() }

// text is the first text of a field that is not empty.
func (a attributes) text(f Field) string {
	for _, name := range table[f] {
		if v, ok := a[name]; ok {
			if s := v.scalar(); s != "" {
				return s
			}
		}
	}
	return ""
}

// number is the first number of a field, which may be written as a text.
func (a attributes) number(f Field) (float64, bool) {
	for _, name := range table[f] {
		if v, ok := a[name]; ok {
			if n, err := strconv.ParseFloat(v.scalar(), 64); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// contradicts reports whether a field has two numbers, each by a name of another convention.
func (a attributes) contradicts(f Field) bool {
	var found []float64
	for _, name := range table[f] {
		if v, ok := a[name]; ok {
			if n, err := strconv.ParseFloat(v.scalar(), 64); err == nil {
				found = append(found, n)
			}
		}
	}
	return len(slices.Compact(found)) > 1
}

// tree is the JSON that the attributes of a field are, one by one or in pieces.
func (a attributes) tree(f Field) document {
	for _, name := range table[f] {
		if v, ok := a[name]; ok {
			if d := v.document(); d != nil {
				return d
			}
			if s := v.string(); s != "" {
				return quote(s)
			}
		}
		root := &branch{}
		for key, v := range a {
			if rest, ok := strings.CutPrefix(key, name+"."); ok {
				root.insert(rest, v)
			}
		}
		if root.kids != nil {
			return root.json()
		}
	}
	return nil
}

// branch is a value that was written as attributes with dotted names.
type branch struct {
	leaf value
	kids map[string]*branch
}

func (b *branch) insert(path string, v value) {
	for depth := 0; path != "" && depth < mostDots; depth++ {
		name, rest, _ := strings.Cut(path, ".")
		if b.kids == nil {
			b.kids = map[string]*branch{}
		}
		if b.kids[name] == nil {
			b.kids[name] = &branch{}
		}
		b, path = b.kids[name], rest
	}
	b.leaf = v
}

// json is the JSON of a branch: a list where all names are numbers.
func (b *branch) json() document {
	if b.kids == nil {
		if b.leaf.json == nil {
			return quote(b.leaf.text)
		}
		return b.leaf.json
	}
	names, isList := make([]string, 0, len(b.kids)), true
	for name := range b.kids {
		names = append(names, name)
		_, err := strconv.ParseUint(name, 10, 32)
		isList = isList && err == nil
	}
	slices.SortFunc(names, func(x, y string) int {
		if isList && len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	out := []byte{'['}
	if !isList {
		out[0] = '{'
	}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		if !isList {
			out = append(append(out, quote(name)...), ':')
		}
		out = append(out, b.kids[name].json()...)
	}
	if isList {
		return append(out, ']')
	}
	return append(out, '}')
}

// isObject reports whether a value is a JSON object, also inside a text.
func (v value) isObject() bool { return v.document().kind() == '{' }

// numberText is a number as JSON.
func numberText(n float64) document {
	text, err := json.Marshal(n)
	if err != nil { // not a number, or infinite
		return document("null")
	}
	return text
}

// asJSON is a value as JSON.
func (v value) asJSON() document {
	if v.json == nil {
		return quote(v.text)
	}
	return v.json
}

// nests reports whether attributes that arena keeps may be members of an object with this name.
func nests(name string) bool { return nesting[name] }

// nesting are the beginnings of names that arena keeps.
var nesting = func() map[string]bool {
	starts := map[string]bool{}
	for _, names := range table {
		for _, name := range names {
			for i, c := range name {
				if c == '.' {
					starts[name[:i]] = true
				}
			}
		}
	}
	return starts
}()
