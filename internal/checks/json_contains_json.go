package checks

import (
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/enclosed"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/say"
)

var containsJSONDef = define[containsJSONParams](Def{
	Name: "contains_json",
	Summary: "Somewhere in the reply there is a JSON object or array, and one of them fits a JSON " +
		"Schema if one is given.",
	Scoring:  "1 when there is one, else 0.",
	Family:   FamilyJSON,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type containsJSONParams struct {
	Schema schemaValue `param:"schema" doc:"Of draft 4 to 2020-12; formats are checked, $ref stays within it."`
}

func (p containsJSONParams) Build(*binder) Check { return &containsJSON{p.Schema.schema} }

type containsJSON struct{ schema *jsonschema.Schema } // nil: any JSON will do

func (c *containsJSON) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	cutShort, n := false, 0
	var first []string // problems of the first document
	for found := range enclosed.JSON(text, &cutShort) {
		n++
		if c.schema == nil {
			if err := readable(found); err != nil {
				return Finding{}, err
			}
			return Finding{Score: 1, Explanation: "found " + say.Quote(found)}, nil
		}
		problems, err := c.problems(found)
		if err != nil {
			return Finding{}, err
		}
		if len(problems) == 0 {
			return Finding{Score: 1, Explanation: say.Quote(found) + " fits the schema"}, nil
		}
		if n == 1 {
			first = problems
		}
	}
	switch {
	case cutShort:
		return Finding{}, errEndlessSearch
	case n == 0:
		return Finding{
			Explanation: "no JSON object or array in the reply", Details: Details{"content": say.Content(text)},
		}, nil
	}
	explanation := say.Listed(first, "; ")
	if n > 1 {
		explanation = fmt.Sprintf("none of %d fits the schema; the first: %s", n, explanation)
	}
	return Finding{Explanation: explanation, Details: Details{
		"errors": first[:min(len(first), maxViolations)], "content": say.Content(text),
	}}, nil
}

var errEndlessSearch = errors.New("the reply has too many brackets that do not close to be searched for JSON")

// problems returns why JSON does not fit the schema.
func (c *containsJSON) problems(text string) ([]string, error) {
	v, err := decodeSaid(text)
	if err != nil {
		return nil, err
	}
	if n, found := chat.Unwieldy(v); found {
		return nil, fmt.Errorf("the number %s is too large to be compared", say.Quote(n))
	}
	return unfit(c.schema, v)
}
