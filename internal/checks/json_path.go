package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var jsonPathDef = define[jsonPathParams](Def{
	Name:    "json_path",
	Summary: "The reply is JSON, and a path selects in it what is expected, or at least something that is not null.",
	Scoring: "1 when the reply is JSON and everything asked of the selected value holds, else 0. What is never there " +
		"holds no ban: a check that passes at 0, by max_score or below not, or a max_results that passes, is an error " +
		"where the reply is not JSON, where the path leads nowhere, or to a value of another type than asked for. " +
		"min_results: 0 says that the path may lead nowhere; so does a check that asks nothing of the value.",
	Family:   FamilyJSON,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type jsonPathParams struct {
	Expression queryValue `param:"expression,required" alias:"jmespath_expression" doc:"JSONPath with $, else JMESPath."`

	Expected   anyValue   `param:"expected" doc:"What is selected equals this; 4 equals 4.0, not \"4\"; null is a value."`
	Contains   []anyValue `param:"contains" doc:"The selected list holds each of these."`
	Min        *float64   `param:"min" doc:"The selected number is not less."`
	Max        *float64   `param:"max" doc:"The selected number is not more."`
	MinResults *int       `param:"min_results" min:"0" doc:"The least number of items; 0: any, and no list at all."`
	MaxResults *int       `param:"max_results" min:"0" doc:"The selected list has at most so many items."`
	jsonOptions
}

func (p jsonPathParams) Build(b *binder) Check {
	b.warnTurnedValues("expected", "contains")
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		b.errorf("min", "out-of-range", "min %s is above max %s, so no number passes", say.Decimal(*p.Min),
			say.Decimal(*p.Max))
	}
	if p.MinResults != nil && p.MaxResults != nil && *p.MinResults > *p.MaxResults {
		b.errorf("min_results", "out-of-range", "min_results %d is above max_results %d, so no list passes",
			*p.MinResults, *p.MaxResults)
	}
	if why := jsonquery.Always(p.Expression.query.Text); why != "" && !p.asksOfValue() {
		b.noteVacuousWithHint("expression", asksNothing, why, "write beside it what must come: expected: true, min, contains")
	}
	return &jsonPath{query: p.Expression.query, want: p, options: p.jsonOptions}
}

// asksOfValue reports whether the parameters require more than that the path selects something.
func (p *jsonPathParams) asksOfValue() bool {
	return p.Expected.given || len(p.Contains) > 0 || p.Min != nil || p.Max != nil ||
		p.MinResults != nil && *p.MinResults > 0 || p.MaxResults != nil
}

type jsonPath struct {
	query   *jsonquery.Query
	want    jsonPathParams
	options jsonOptions
}

func (c *jsonPath) limits() (some, alone bool) {
	return c.want.Max != nil || c.want.MaxResults != nil, false
}

func (c *jsonPath) Eval(_ context.Context, s *Subject) (Finding, error) {
	doc := s.document(c.options)
	v, err := doc.value()
	if err != nil {
		return noAnswer(doc, c.options)
	}
	details := Details{"path": c.query.Text}
	got, err := c.query.Run(v)
	if err != nil {
		why := say.Content(say.OneLine(err.Error()))
		f := Finding{Explanation: c.query.Text + " cannot be applied: " + why, Details: details}
		f.silent, f.way = !c.mayBeLost(), wayOfLost
		return f, nil
	}
	details["result"] = say.Kept(got.Value)
	f := Finding{Score: 1, Explanation: c.query.Text + " is " + say.Shown(got.Value), Details: details}
	problem, unlike := c.problem(got, details)
	if problem != "" {
		f.Score, f.Explanation = 0, c.query.Text+" "+problem
	}
	switch {
	case !c.want.asksOfValue():
	case c.leadsNowhere(v, got, problem != ""):
		f.silent, f.way = true, wayOfLost
	default:
		f.silent = unlike
	}
	if list, isList := got.Value.([]any); isList && len(list) == 0 {
		if what := c.query.Unmet(v); what != "" {
			details[unmetFilter] = what
		}
	}
	return f, nil
}

// unmetFilter is the detail for a filter that selects nothing.
const unmetFilter = "filter"

// wayOfLost is the hint for a path that selects nothing.
const wayOfLost = "nothing can be judged there; min_results: 0 says that the path may lead nowhere"

// mayBeLost reports whether the check allows that the path selects nothing.
func (c *jsonPath) mayBeLost() bool { return c.want.MinResults != nil && *c.want.MinResults == 0 }

// leadsNowhere reports whether the path selects nothing although the check requires something. It is called only for
// verdicts that fail, or that may be wrong because of it.
func (c *jsonPath) leadsNowhere(doc any, got jsonquery.Selection, failed bool) bool {
	if c.mayBeLost() || c.want.Expected.given && c.want.Expected.v == nil && !failed {
		return false // JMESPath returns null for a path that selects nothing
	}
	list, isList := got.Value.([]any)
	return (failed || got.Value == nil || got.Value == false || isList && len(list) == 0) && c.query.Lost(doc)
}

// problem returns the first expectation that is not met; "": all are. unlike: the value has an unexpected type, so
// nothing else can be compared.
func (c *jsonPath) problem(got jsonquery.Selection, details Details) (text string, unlike bool) {
	w := &c.want
	list, isList := got.Value.([]any)
	asked := false
	if w.Expected.given {
		asked = true
		details["expected"], details["actual"] = w.Expected.v, say.Kept(got.Value)
		if !got.Found && c.query.Definite || !jsonvalue.Equal(w.Expected.v, got.Value) {
			return "is " + c.seen(got) + ", expected " + say.Shown(w.Expected.v), alike(w.Expected.v, got.Value)
		}
	}
	if len(w.Contains) > 0 {
		asked = true
		if !isList {
			return "is " + c.seen(got) + ", expected a list", true
		}
		if lost := missingItems(list, w.Contains); len(lost) > 0 {
			details["missing"] = lost
			return "is " + say.Shown(got.Value) + ", which lacks " + say.Shown(lost[0]), false
		}
	}
	if w.Min != nil || w.Max != nil {
		asked = true
		if text := bounds(got.Value, w.Min, w.Max); text != "" {
			return "is " + c.seen(got) + ", expected " + text, !jsonvalue.IsNumber(got.Value)
		}
	}
	if w.MinResults != nil && *w.MinResults > 0 || w.MaxResults != nil {
		asked = true
		if !isList {
			return "is " + c.seen(got) + ", expected a list", true
		}
		if text := lengths(len(list), w.MinResults, w.MaxResults); text != "" {
			return text, false
		}
	}
	if !asked && (!got.Found || got.Value == nil || got.Many && len(list) == 0) {
		return "is " + c.seen(got) + ", expected some value", false
	}
	return "", false
}

// alike reports whether values of different types have the same text: true and "true".
func alike(want, got any) bool { return want != nil && got != nil && jsonvalue.EqualTexts(want, got) }

func (c *jsonPath) seen(got jsonquery.Selection) string {
	if !got.Found {
		return "missing"
	}
	return say.Shown(got.Value)
}

// missingItems returns the wanted values that equal no item.
func missingItems(list []any, wanted []anyValue) []any {
	var lost []any
	for _, w := range wanted {
		found := false
		for _, item := range list {
			if found = jsonvalue.Equal(w.v, item); found {
				break
			}
		}
		if !found {
			lost = append(lost, w.v)
		}
	}
	return lost
}

// bounds returns what a value should have been; "" when it is a number within the bounds.
func bounds(v any, low, high *float64) string {
	switch {
	case !jsonvalue.IsNumber(v):
		return "a number"
	case low != nil && jsonvalue.Less(v, *low):
		return "at least " + say.Decimal(*low)
	case high != nil && jsonvalue.Less(*high, v):
		return "at most " + say.Decimal(*high)
	}
	return ""
}

func lengths(n int, low, high *int) string {
	switch {
	case low != nil && n < *low:
		return fmt.Sprintf("has %s, expected at least %d", plural.Count(n, "item"), *low)
	case high != nil && n > *high:
		return fmt.Sprintf("has %s, expected at most %d", plural.Count(n, "item"), *high)
	}
	return ""
}

// queryValue is a parameter that holds a path, compiled.
type queryValue struct{ query *jsonquery.Query }

func (*queryValue) shape() keys.Shape {
	return keys.Own{Words: "JSONPath or JMESPath", Doc: *filled.Schema(nil)}
}

func (p *queryValue) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.String(n, what)
	if !ok {
		return false
	}
	if strings.TrimSpace(text) == "" {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	q, err := b.c.queries.get(text, jsonquery.Compile)
	if err != nil {
		b.r.Errorf(n, "bad-path", "%s is not a %s: %v", what, jsonquery.Language(text), err)
		return false
	}
	p.query = q
	return true
}
