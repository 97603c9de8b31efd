package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// Signature is the arguments of one of arena's tools. It refuses undeclared arguments, because nothing would read them.
type Signature struct {
	input *schema
	names []string
}

// NewSignature compiles the schema of arguments. It panics where that is not one of an object, as it is arena's own.
func NewSignature(raw json.RawMessage) *Signature {
	input, err := compileSchema(raw)
	if err != nil {
		panic(err)
	}
	names, _ := scenario.Arguments(input.doc)
	return &Signature{input, names}
}

// Take returns the arguments of a call with common mistakes of models repaired; null stands for no value where none is
// needed. The error says for the model what is wrong with them.
func (s *Signature) Take(args map[string]any) (map[string]any, error) {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(s.names, name) {
			continue
		}
		text := fmt.Sprintf("there is no argument %s", say.Quote(name))
		if near := diag.DidYouMean(name, s.names); near != "" {
			text += ": " + near
		}
		wrong = append(wrong, text)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s; arguments: %s", strings.Join(wrong, "; "), strings.Join(s.names, ", "))
	}
	args = s.input.coerce(args)
	return args, s.input.validate(args)
}
