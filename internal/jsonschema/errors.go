package jsonschema

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// ValueError says that a value does not fit a schema.
type ValueError struct{ Problems []Problem }

func (e *ValueError) Error() string { return joined(e.Problems) }

// SchemaError says that a schema is not one.
type SchemaError struct{ Problems []Problem }

func (e *SchemaError) Error() string { return joined(e.Problems) }

// joined names every problem with its place, sorted, in one line.
func joined(list []Problem) string {
	var texts []string
	for p := range Leaves(list) {
		text := p.Text
		if len(p.Path) > 0 {
			text = strings.Join(p.Path, ".") + ": " + text
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "; ")
}

// PatternError says that a regular expression in a schema is none.
type PatternError struct {
	Path    []string // of the expression in the schema
	Pattern string
	Err     error
	text    string
}

func (e *PatternError) Error() string { return e.text }

// Unwrap implements errors.Unwrap.
func (e *PatternError) Unwrap() error { return e.Err }

// ReferenceError says that a schema refers to what is not part of it.
type ReferenceError struct {
	// Target is the JSON Pointer to a place that does not exist in the schema, or with Foreign another document.
	Target  string
	Foreign bool
	text    string
}

func (e *ReferenceError) Error() string { return e.text }

// explain turns the library's errors into those of this package.
func explain(err error) error {
	text := strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), root, "")
	var unfit *lib.SchemaValidationError
	var invalid *lib.ValidationError
	var regex *lib.InvalidRegexError
	var pointer *lib.JSONPointerNotFoundError
	var load *lib.LoadURLError
	switch {
	case errors.As(err, &unfit) && errors.As(unfit.Err, &invalid):
		return &SchemaError{problems(invalid)}
	case errors.As(err, &regex):
		return &PatternError{Path: fragment(regex.URL), Pattern: regex.Regex, Err: regex.Err, text: text}
	case errors.As(err, &pointer):
		_, target, _ := strings.Cut(pointer.URL, "#")
		return &ReferenceError{Target: target, text: text}
	case errors.As(err, &load):
		return &ReferenceError{Target: strings.TrimPrefix(load.URL, root), Foreign: true, text: text}
	}
	return errors.New(text)
}

// fragment is the path that the pointer of an address names.
func fragment(address string) []string {
	_, pointer, _ := strings.Cut(address, "#")
	pointer = strings.TrimPrefix(pointer, "/")
	if pointer == "" {
		return nil
	}
	path := strings.Split(pointer, "/")
	for i, p := range path {
		if plain, err := url.PathUnescape(p); err == nil {
			p = plain
		}
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return path
}
