package composition

import (
	"maps"
	"slices"
)

// A Word is a text of a step that is given to a model or a tool, or compared: what stands between its references.
type Word struct {
	Field string // key of the step: input, args or predicate
	Text  string
	Alone bool // there is no reference beside it
	Key   bool // it is a key, which is not filled in
}

// Words returns the texts of a step, in the order of its fields.
func (s *Step) Words() []Word {
	var list []Word
	list = addWords(list, "input", s.Input)
	if s.Args != nil {
		list = addWords(list, "args", s.Args)
	}
	if s.If != nil {
		list = s.If.addWords(list)
	}
	return list
}

func (p *Predicate) addWords(list []Word) []Word {
	for _, inner := range slices.Concat(p.All, p.Any) {
		list = inner.addWords(list)
	}
	if p.Not != nil {
		list = p.Not.addWords(list)
	}
	return addWords(list, "predicate", p.Value)
}

func addWords(list []Word, field string, v any) []Word {
	switch v := v.(type) {
	case string:
		at, found := 0, referencePattern().FindAllStringIndex(v, -1)
		for _, m := range found {
			if m[0] > at {
				list = append(list, Word{Field: field, Text: v[at:m[0]]})
			}
			at = m[1]
		}
		if at < len(v) {
			list = append(list, Word{Field: field, Text: v[at:], Alone: len(found) == 0})
		}
	case []any:
		for _, item := range v {
			list = addWords(list, field, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = addWords(append(list, Word{Field: field, Text: key, Key: true}), field, v[key])
		}
	}
	return list
}
