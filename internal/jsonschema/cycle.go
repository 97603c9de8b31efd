package jsonschema

import (
	"slices"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// endlessRecursion finds a schema that applies itself to the same value, such as {"$ref": "#"}: its validation would
// never end. Recursive schemas for a part of the value, as for trees, are allowed.
func endlessRecursion(s *lib.Schema) *SchemaError {
	w := &cycleSearch{seen: map[*lib.Schema]bool{}, onPath: map[*lib.Schema]bool{}, done: map[*lib.Schema]bool{}}
	w.reach(s)
	var places []string
	for _, s := range w.all {
		if w.onCycle(s) {
			places = append(places, s.Location)
		}
	}
	if len(places) == 0 {
		return nil
	}
	return &SchemaError{[]Problem{{Path: fragment(slices.Min(places)), Text: "refers back to itself without an end, " +
		"so that no value can be validated"}}}
}

type cycleSearch struct {
	all          []*lib.Schema // that can be reached
	seen         map[*lib.Schema]bool
	onPath, done map[*lib.Schema]bool // on the way that is walked; walked
}

func (w *cycleSearch) reach(s *lib.Schema) {
	if s == nil || w.seen[s] {
		return
	}
	w.seen[s] = true
	w.all = append(w.all, s)
	for _, next := range slices.Concat(sameValue(s), subSchemas(s)) {
		w.reach(next)
	}
}

// onCycle reports whether a way from s leads back, through schemas of the same value.
func (w *cycleSearch) onCycle(s *lib.Schema) bool {
	if s == nil || w.done[s] {
		return false
	}
	if w.onPath[s] {
		return true
	}
	w.onPath[s] = true
	found := slices.ContainsFunc(sameValue(s), w.onCycle)
	w.onPath[s], w.done[s] = false, !found
	return found
}

// sameValue are the schemas that s applies to the same value.
func sameValue(s *lib.Schema) []*lib.Schema {
	list := []*lib.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = slices.Concat(list, s.AllOf, s.AnyOf, s.OneOf)
	for _, next := range s.DependentSchemas {
		list = append(list, next)
	}
	for _, next := range s.Dependencies {
		list = append(list, schemas(next)...)
	}
	return list
}

// subSchemas are the schemas for parts of a value.
func subSchemas(s *lib.Schema) []*lib.Schema {
	list := []*lib.Schema{
		s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	list = slices.Concat(list, s.PrefixItems,
		schemas(s.Items), schemas(s.AdditionalItems), schemas(s.AdditionalProperties))
	for _, next := range s.Properties {
		list = append(list, next)
	}
	for _, next := range s.PatternProperties {
		list = append(list, next)
	}
	return list
}

// schemas are those in a keyword that may hold something else.
func schemas(v any) []*lib.Schema {
	switch v := v.(type) {
	case *lib.Schema:
		return []*lib.Schema{v}
	case []*lib.Schema:
		return v
	}
	return nil
}

// isRefCycle finds in a failed validation that the schema referred back to itself.
func isRefCycle(e *lib.ValidationError) bool {
	_, cycle := e.ErrorKind.(*kind.RefCycle)
	return cycle || slices.ContainsFunc(e.Causes, isRefCycle)
}
