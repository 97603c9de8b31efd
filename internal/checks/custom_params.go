package checks

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/scenario"
)

// fitsParams returns why a type cannot hold the parameters of a check; nil if it can.
func fitsParams(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("its parameters are %s; expected a struct", t)
	}
	return fitsStruct(t, true, nil)
}

// fitsStruct checks the fields of a struct: the parameters themselves, or a map within them.
func fitsStruct(t reflect.Type, top bool, within []reflect.Type) error {
	if slices.Contains(within, t) {
		return fmt.Errorf("%s holds itself", t)
	}
	within = append(slices.Clip(within), t)
	seen := map[string]bool{}
	var errs []error
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("param")
		if !tagged {
			continue
		}
		if err := fitsField(f, tag, within); err != nil {
			errs = append(errs, fmt.Errorf("field %s: %w", f.Name, err))
			continue
		}
		if of := f.Tag.Get("of"); (of != "") != isArgument(f.Tag) || of != "" && !hasParam(t, of) {
			errs = append(errs, fmt.Errorf(`field %s: its tag of is %q; expected the parameter with the tool, where is or keys `+
				`is "argument"`, f.Name, of))
		}
		name, _, _ := strings.Cut(tag, ",")
		for _, name := range append([]string{name}, words(f.Tag.Get("alias"))...) {
			switch {
			case seen[name]:
				errs = append(errs, fmt.Errorf("field %s: there are two parameters %q", f.Name, name))
			case top && reserved(name):
				errs = append(errs, fmt.Errorf("field %s: %q is read by arena itself and cannot be a parameter", f.Name, name))
			}
			seen[name] = true
		}
	}
	return errors.Join(errs...)
}

// isArgument reports whether a parameter names arguments of a tool.
func isArgument(tag reflect.StructTag) bool {
	return Kind(tag.Get("is")) == ArgumentName || Kind(tag.Get("keys")) == ArgumentName
}

// hasParam reports whether a struct has a parameter with a canonical name.
func hasParam(t reflect.Type, name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		own, _, _ := strings.Cut(f.Tag.Get("param"), ",")
		return own == name
	})
}

// reserved reports whether a key belongs to the surface, so that no check can have it.
func reserved(key string) bool { return keys.Find(key, scenario.Terms(scenario.Guardrail)) != nil }

func fitsField(f reflect.StructField, tag string, within []reflect.Type) error {
	name, rest, more := strings.Cut(tag, ",")
	switch {
	case !f.IsExported():
		return errors.New("it is not exported, so nothing can be put into it")
	case len(f.Index) > 1 && throughPointer(f, within[len(within)-1]):
		return errors.New("it is embedded by a pointer; embed the struct itself")
	case name == "":
		return errors.New(`its tag param is empty; expected param:"name"`)
	case more && rest != "required":
		return fmt.Errorf("its tag param is %q; expected a name, or a name and \",required\"", tag)
	}
	if err := fitsType(f.Type, within); err != nil {
		return err
	}
	return fitsTags(f)
}

// throughPointer reports whether a promoted field is reached through a pointer.
func throughPointer(f reflect.StructField, t reflect.Type) bool {
	for _, i := range f.Index[:len(f.Index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// fitsType returns why no value of a type can be read from a file; nil if one can.
func fitsType(t reflect.Type, within []reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Float64, reflect.String:
		return nil
	case reflect.Int64:
		if t == reflect.TypeFor[time.Duration]() {
			return nil
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return nil
		}
	case reflect.Pointer, reflect.Slice:
		return fitsType(t.Elem(), within)
	case reflect.Map:
		if t.Key() == reflect.TypeFor[string]() {
			return fitsType(t.Elem(), within)
		}
	case reflect.Struct:
		return fitsStruct(t, false, within)
	default:
	}
	return fmt.Errorf("no parameter can be of type %s; possible are bool, int, float64, string, time.Duration, any, "+
		"structs of these, and pointers to, lists of and maps from string to all of them", t)
}

// fitsTags reports tags of a field that would have no effect.
func fitsTags(f reflect.StructField) error {
	for _, key := range []string{"min", "max", "above"} {
		if text, given := f.Tag.Lookup(key); given {
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return fmt.Errorf("its tag %s is %q; expected a number", key, text)
			}
		}
	}
	for _, key := range []string{"is", "keys"} {
		if text, given := f.Tag.Lookup(key); given && !Kind(text).known() {
			return fmt.Errorf("its tag %s is %q; expected %s", key, text, kindWords())
		}
	}
	text, given := f.Tag.Lookup("default")
	r := rulesOf(f.Tag)
	c := codecOf(f.Type, r)
	if given && (text == "" || c.preset == nil || r.words != nil && !slices.Contains(r.words, text)) {
		return fmt.Errorf("its tag default is %q, which is no %s", text, c.shape.Label())
	}
	return nil
}
