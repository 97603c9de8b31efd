package checks

import (
	"context"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/wellformed"
)

var isSQLDef = define[isSQLParams](Def{
	Name:     "is_sql",
	Summary:  "The reply is SQL and nothing else: one statement or several, as SQLite understands them.",
	Scoring:  "1 when every statement can be parsed and is of a kind that is allowed, else 0.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type isSQLParams struct {
	Statements []string `param:"statements" words:"select,insert,update,delete,create,alter,drop,explain,begin,commit,rollback,other" doc:"Kinds of statements that are allowed; all when left out."`
	Dialect    string   `param:"dialect" words:"sqlite" default:"sqlite" doc:"SQLite; most queries of other databases fit."`
	wrapOption
}

func (p isSQLParams) Build(*binder) Check { return &isSQL{p.Statements, p.wrapOption} }

type isSQL struct {
	allowed []string // nil: all
	options wrapOption
}

func (c *isSQL) asksEach() (of, instead string) {
	if c.allowed == nil {
		return "", ""
	}
	return "statement", "list the statements that may come, without turning it round"
}

func (c *isSQL) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := c.options.document(s, "sql", "sqlite")
	kinds, err := wellformed.SQL(text)
	details := Details{"statements": kinds, "dialect": "sqlite"}
	if err != nil {
		details["content"] = say.Content(text)
		f, err := c.options.malformed(s, "SQL (SQLite)", text, err)
		f.Details = details
		return f, err
	}
	for _, kind := range kinds {
		if c.allowed != nil && !slices.Contains(c.allowed, kind) {
			return Finding{
				Explanation: strings.ToUpper(kind) + " is not allowed, only " + strings.ToUpper(say.Or(c.allowed)),
				Details:     details,
			}, nil
		}
	}
	all := strings.ToUpper(say.Chained(kinds))
	return Finding{Score: 1, Explanation: "valid SQL (SQLite): " + all, Details: details}, nil
}
