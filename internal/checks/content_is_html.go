package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/wellformed"
)

var isHTMLDef = define[isHTMLParams](Def{
	Name:     "is_html",
	Summary:  "The reply is HTML and nothing else: known elements that are closed in order, and no text outside of them.",
	Scoring:  "1 when it is, else 0.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type isHTMLParams struct{ wrapOption }

func (p isHTMLParams) Build(*binder) Check { return isHTML(p.wrapOption) }

type isHTML wrapOption

func (c isHTML) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := wrapOption(c).document(s, "html")
	n, err := wellformed.HTML(text)
	if err != nil {
		return wrapOption(c).malformed(s, "HTML", text, err)
	}
	return Finding{
		Score: 1, Explanation: "HTML, " + plural.Count(n, "element"), Details: Details{"valid": true},
	}, nil
}
