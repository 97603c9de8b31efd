package checks

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
)

// Param describes one parameter of a check.
type Param struct {
	keys.Key
	Is   Kind   // the meaning of its texts; "" for texts that are neither names nor searched for
	Keys Kind   // the meaning of the keys of a map
	Of   string // for arguments: the parameter that names their tool
	Any  string // for patterns: the effect of a pattern that matches every text
}

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
//	each:"true"       each item of a list is a value for the argument
//	all:"use x"       its texts must all be there; what bans each of them
//	any:"idle"        what comes of a pattern that matches every text: anyIdle and so on
//	doc:"..."         one sentence
type layout struct {
	fields []field
	list   []*keys.Key    // of the fields
	index  map[string]int // every name → index in fields
}

type field struct {
	Param
	index    []int
	codec    codec
	patterns bool   // a map of regular expressions
	all      string // for texts that must all be there: what bans each of them
	each     bool   // each item of a list in the map is a value
}

func layoutFor[P any]() *layout { return layoutOf(reflect.TypeFor[P]()) }

func layoutOf(t reflect.Type) *layout {
	l := &layout{index: map[string]int{}}
	l.add(t, nil)
	for i := range l.fields {
		key := &l.fields[i].Key
		l.list = append(l.list, key)
		for _, spelling := range key.Spellings() {
			l.index[spelling] = i
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
		c := codecOf(f.Type, rulesOf(f.Tag))
		patterns := f.Type == reflect.TypeFor[map[string]pattern]()
		each := f.Tag.Get("each") != ""
		all := f.Tag.Get("all")
		l.fields = append(l.fields, field{index: at, codec: c, patterns: patterns, each: each, all: all, Param: Param{
			Key: keys.Key{
				Name: name, Aliases: words(f.Tag.Get("alias")), Shape: c.shape, Required: rest == "required",
				Default: f.Tag.Get("default"), Doc: f.Tag.Get("doc"), Read: true,
			},
			Is: Kind(f.Tag.Get("is")), Keys: Kind(f.Tag.Get("keys")), Of: f.Tag.Get("of"), Any: f.Tag.Get("any"),
		}})
	}
}

func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// rules are what the tags require of a value.
type rules struct {
	low, high float64 // infinite: no bound
	above     bool    // low itself is too small
	words     []string
	fallback  string
}

func rulesOf(tag reflect.StructTag) rules {
	r := rules{low: math.Inf(-1), high: math.Inf(1), words: words(tag.Get("words")), fallback: tag.Get("default")}
	for _, bound := range []struct {
		key string
		of  *float64
	}{{"min", &r.low}, {"max", &r.high}, {"above", &r.low}} {
		if f, err := strconv.ParseFloat(tag.Get(bound.key), 64); err == nil {
			*bound.of, r.above = f, bound.key == "above"
		}
	}
	return r
}

func (r *rules) number(whole bool) keys.Number {
	return keys.Number{Low: r.low, High: r.high, Above: r.above, Integer: whole}
}
