package checks

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Param describes one parameter of a check.
type Param struct {
	Name     string
	Aliases  []string // further spellings; the first one given wins, Name before all
	Type     string   // in words: "list of text", "whole number"
	Required bool
	Default  string // as it would be written; "" is none
	Words    []string
	Doc      string
	Is       Kind   // what its texts mean; "" where they are no names and not looked for
	Keys     Kind   // the same of the keys of a map
	Of       string // for arguments: the parameter that names their tool
	Any      string // for patterns: what comes of one that matches every text

	schema map[string]any
}

// String is the parameter as hints name it: patterns (list of text).
func (p *Param) String() string { return p.Name + " (" + p.Type + ")" }

// layout is the parameters of one struct type, read once from its tags:
//
//	param:"name" or param:"name,required"; a field without it is left alone, an embedded struct is spread
//	alias:"a,b"       other spellings
//	default:"1"       taken when the parameter is left out; numbers, words and booleans only
//	min:"0" max:"9"   inclusive bounds of a number
//	above:"0"         exclusive lower bound
//	words:"a,b"       the only texts allowed
//	is:"tool"         what its texts are, a Kind
//	keys:"argument"   what the keys of a map are, a Kind
//	of:"tool_name"    the parameter with the tool whose arguments is or keys means
//	any:"idle"        what comes of a pattern that matches every text: anyIdle and so on
//	doc:"..."         one sentence
type layout struct {
	fields []field
	keys   map[string]int // every spelling → index in fields
}

type field struct {
	Param
	index []int
	codec codec
}

func layoutFor[P any]() *layout { return layoutOf(reflect.TypeFor[P]()) }

func layoutOf(t reflect.Type) *layout {
	l := &layout{keys: map[string]int{}}
	l.add(t, nil)
	for i := range l.fields {
		for _, key := range l.fields[i].spellings() {
			l.keys[key] = i
		}
	}
	return l
}

func (l *layout) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("param") == "" {
			l.add(f.Type, at)
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("param"), ",")
		if name == "" {
			continue
		}
		p := Param{
			Name: name, Aliases: words(f.Tag.Get("alias")), Required: rest == "required",
			Default: f.Tag.Get("default"), Words: words(f.Tag.Get("words")), Doc: f.Tag.Get("doc"),
			Is: Kind(f.Tag.Get("is")), Keys: Kind(f.Tag.Get("keys")), Of: f.Tag.Get("of"),
			Any: f.Tag.Get("any"),
		}
		c := codecOf(f.Type, rulesOf(f.Tag))
		p.Type, p.schema = c.label, c.schema
		l.fields = append(l.fields, field{Param: p, index: at, codec: c})
	}
}

// spellings is the name and its aliases, in order of precedence.
func (p *Param) spellings() []string { return append([]string{p.Name}, p.Aliases...) }

func (l *layout) names() []string {
	names := make([]string, 0, len(l.keys))
	for i := range l.fields {
		names = append(names, l.fields[i].spellings()...)
	}
	return names
}

// list names all parameters with their types, for a hint.
func (l *layout) list() string {
	all := make([]string, len(l.fields))
	for i := range l.fields {
		all[i] = l.fields[i].String()
	}
	return strings.Join(all, ", ")
}

func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// rules are the bounds of a value that its tags give.
type rules struct {
	low, high *float64
	above     bool // low itself is too small
	words     []string
	fallback  string
}

func rulesOf(tag reflect.StructTag) rules {
	r := rules{low: bound(tag, "min"), high: bound(tag, "max"), words: words(tag.Get("words"))}
	r.fallback = tag.Get("default")
	if above := bound(tag, "above"); above != nil {
		r.low, r.above = above, true
	}
	return r
}

func bound(tag reflect.StructTag, key string) *float64 {
	f, err := strconv.ParseFloat(tag.Get(key), 64)
	if err != nil {
		return nil
	}
	return &f
}
