package checks

import (
	"context"
	"errors"

	"github.com/arena-evals/arena/internal/say"
)

var jsonValidDef = define[jsonValidParams](Def{
	Name:     "json_valid",
	Aliases:  []string{"is_valid_json", "valid_json"},
	Summary:  "The reply is one JSON document.",
	Scoring:  "1 when the reply is one JSON document, else 0.",
	Family:   FamilyJSON,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type jsonValidParams struct{ jsonOptions }

func (p jsonValidParams) Build(*binder) Check { return jsonValid(p.jsonOptions) }

type jsonValid jsonOptions

func (c jsonValid) Eval(_ context.Context, s *Subject) (Finding, error) {
	doc := s.document(jsonOptions(c))
	if !doc.valid {
		return notJSON(doc, jsonOptions(c))
	}
	if err := readable(doc.text); err != nil {
		return Finding{}, err
	}
	return Finding{Score: 1, Explanation: "valid JSON", Details: Details{"valid": true}}, nil
}

// notJSON is the finding of every JSON check for a reply that is not JSON. JSON that cannot be judged is an error.
func notJSON(doc *document, o jsonOptions) (Finding, error) {
	if _, err := doc.value(); errors.As(err, new(unclearError)) {
		return Finding{}, err
	}
	problem := doc.problem(o)
	return Finding{
		Explanation: problem,
		Details: Details{"valid": false, "errors": []string{problem},
			"content": say.Content(doc.text)},
	}, nil
}

// noAnswer is notJSON for a check of the content of JSON. A reply without JSON proves nothing for a reversed check.
func noAnswer(doc *document, o jsonOptions) (Finding, error) {
	f, err := notJSON(doc, o)
	f.silent = err == nil
	return f, err
}
