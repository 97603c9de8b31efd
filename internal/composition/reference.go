package composition

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// inputRoot is the root of references to the input. Every other root is the id of a step.
const inputRoot = "input"

var referencePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^{}]*)\}`) })

// unbracedPattern finds what looks like the output of a step without ${}: $id.output, $(id.output), {id.output}.
var unbracedPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^{$])((?:\$\(?|\{)\s*([A-Za-z_]\w*)\.output((?:\.\w+)*)\s*[)}]?)`)
})

// A reference says where a value comes from: ${input.a.b}, ${step.output.a}.
type reference struct {
	root string
	path []string
}

// parse parses the text between the braces.
func parse(text string) (reference, error) {
	parts := strings.Split(strings.TrimSpace(text), ".")
	if slices.Contains(parts, "") {
		return reference{}, fmt.Errorf("${%s} has an empty part: write ${input.NAME} or ${STEP.output.NAME}", text)
	}
	if parts[0] == inputRoot {
		return reference{inputRoot, parts[1:]}, nil
	}
	if len(parts) < 2 || parts[1] != "output" {
		return reference{}, fmt.Errorf("${%s} is neither ${input…} nor ${STEP.output…}", text)
	}
	return reference{parts[0], parts[2:]}, nil
}

// parseSingle parses a text that is a single reference, with or without ${}.
func parseSingle(text string) (reference, error) {
	text = strings.TrimSpace(text)
	if m := referencePattern().FindStringSubmatch(text); m != nil && m[0] == text {
		text = m[1]
	}
	return parse(text)
}

// scope holds the values that references can name: the input, and the outputs of steps.
type scope struct {
	input   any
	outputs map[string]any
	words   func(text string) (string, error) // fills in the text between the references
	unknown func(v any) bool                  // nil: every value is known
}

// look returns the value of a reference; false: there is none.
func (s *scope) look(r reference) (any, bool) {
	v := s.input
	if r.root != inputRoot {
		output, ok := s.outputs[r.root]
		if !ok {
			return nil, false
		}
		v = output
	}
	for _, key := range r.path {
		switch at := v.(type) {
		case map[string]any:
			member, ok := at[key]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// fill returns a value with its references replaced, at any depth. A text that is a single reference becomes the value.
// Within a longer text, values other than text become JSON.
func (s *scope) fill(v any) (any, error) { return eachText(v, s.fillText) }

// FillWords returns a value with every text in it replaced, at any depth, but for keys.
func FillWords(v any, words func(text string) (string, error)) (any, error) {
	return eachText(v, func(text string) (any, error) { return words(text) })
}

func eachText(v any, fill func(text string) (any, error)) (any, error) {
	switch v := v.(type) {
	case string:
		return fill(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			filled, err := eachText(item, fill)
			if err != nil {
				return nil, err
			}
			list[i] = filled
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, item := range v {
			filled, err := eachText(item, fill)
			if err != nil {
				return nil, err
			}
			object[key] = filled
		}
		return object, nil
	}
	return v, nil
}

// fillArgs fills in the arguments of a tool. The result is never nil.
func (s *scope) fillArgs(args map[string]any) (any, error) {
	if args == nil {
		return map[string]any{}, nil
	}
	return s.fill(args)
}

func (s *scope) fillText(text string) (any, error) {
	found := referencePattern().FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return s.words(text)
	}
	if len(found) == 1 && found[0][0] == 0 && found[0][1] == len(text) {
		return s.value(text[2 : len(text)-1])
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		v, err := s.value(text[m[2]:m[3]])
		if err != nil {
			return nil, err
		}
		between, err := s.words(text[at:m[0]])
		if err != nil {
			return nil, err
		}
		b.WriteString(between + jsonvalue.Text(v))
		at = m[1]
	}
	rest, err := s.words(text[at:])
	if err != nil {
		return nil, err
	}
	return b.String() + rest, nil
}

func (s *scope) value(text string) (any, error) {
	r, err := parse(text)
	if err != nil {
		return nil, err
	}
	v, ok := s.look(r)
	if !ok {
		return nil, fmt.Errorf("${%s} is not there: %s", text, s.why(r))
	}
	return v, nil
}

// why explains why a reference has no value.
func (s *scope) why(r reference) string {
	if r.root != inputRoot {
		if _, ran := s.outputs[r.root]; !ran {
			return fmt.Sprintf("the step %q gave no output", r.root)
		}
	}
	for i := range r.path {
		short := reference{r.root, r.path[:i+1]}
		if _, ok := s.look(short); !ok {
			parent, _ := s.look(reference{r.root, r.path[:i]})
			return fmt.Sprintf("there is no %q in %s", r.path[i], clip(jsonvalue.Text(parent)))
		}
	}
	return "it has no value"
}

// clip shortens a value for an error.
func clip(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Refers reports whether a value holds a reference, at any depth.
func Refers(v any) (found bool) {
	references(v, func(string) { found = true })
	return found
}

// references calls visit for every reference in a value, with the text between the braces, at any depth.
func references(v any, visit func(text string)) {
	switch v := v.(type) {
	case string:
		for _, m := range referencePattern().FindAllStringSubmatch(v, -1) {
			visit(m[1])
		}
	case []any:
		for _, item := range v {
			references(item, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			references(v[key], visit)
		}
	}
}
