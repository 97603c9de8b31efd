package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var trajectoryDef = define[trajectoryParams](Def{
	Name:    "trajectory",
	Summary: "In the whole conversation the tool calls follow a path, and nothing breaks a budget.",
	Scoring: "F1 of the steps of the path against the calls, which passes from min_accuracy on; 0 when a budget is " +
		"broken.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsCalls | NeedsUsage,
	Weighs:   CallArgs,
	Reads:    ReadsArgs,
	Decides:  true,
})

type trajectoryParams struct {
	Steps []pathStep `param:"steps,required" doc:"The path; at least one step."`

	Ordering string `param:"ordering" words:"exact,any_order" default:"exact" doc:"Exact: each call at its place."`
	Args     string `param:"args" words:"exact,ignore" default:"exact" doc:"Exact: no argument more, none less."`

	MinAccuracy float64 `param:"min_accuracy" default:"1" min:"0" max:"1" doc:"The lowest F1 that passes."`

	MaxSteps           *int     `param:"max_steps" min:"0" doc:"Tool calls that are allowed."`
	MaxTokens          *int     `param:"max_tokens" min:"0" doc:"Input and output tokens that are allowed together."`
	MaxDurationSeconds *float64 `param:"max_duration_seconds" min:"0" doc:"Time that the conversation may take."`
}

// pathStep is one call of a path. Args is nil when the step takes any arguments.
type pathStep struct {
	Tool string              `param:"tool,required" is:"tool" doc:"The tool."`
	Args map[string]anyValue `param:"args" keys:"argument" of:"tool" doc:"Its arguments; any when left out."`
}

func (p trajectoryParams) Build(b *binder) Check {
	c := &trajectory{trajectoryParams: p, limited: b.read["min_accuracy"] != nil}
	if p.MinAccuracy <= slack && p.MaxSteps == nil && p.MaxTokens == nil && p.MaxDurationSeconds == nil {
		b.noteVacuous("min_accuracy", limitHolds, "every path is as near as that")
	}
	for _, step := range p.Steps {
		w := waypoint{tool: step.Tool}
		if step.Args != nil && p.Args == "exact" {
			w.args = make(map[string]any, len(step.Args))
			for name, v := range step.Args {
				w.args[name] = v.v
			}
		}
		c.path = append(c.path, w)
	}
	return c
}

type trajectory struct {
	trajectoryParams
	path    []waypoint
	limited bool // min_accuracy is given
}

func (c *trajectory) limitedItself() bool {
	return c.limited || c.MaxSteps != nil || c.MaxTokens != nil || c.MaxDurationSeconds != nil
}

func (c *trajectory) hides(s *Subject) bool {
	return s.Stored && slices.ContainsFunc(s.Calls, func(call Call) bool {
		return call.argsTakenOut() &&
			slices.ContainsFunc(c.path, func(w waypoint) bool { return w.args != nil && w.named(&call) })
	})
}

func (c *trajectory) Eval(_ context.Context, s *Subject) (Finding, error) {
	m := matchPath(c.path, s.Calls, c.Ordering == "any_order")
	budgets, err := c.budgets(s)
	if err != nil {
		return Finding{}, err
	}
	o := textmeasure.Overlap{Matched: m.matched, Expected: len(c.path), Actual: len(s.Calls)}
	accuracy := sixDigits(o.F1())
	f := Finding{Score: o.F1(), Details: Details{
		"trajectory_accuracy": accuracy, "step_efficiency": sixDigits(o.Precision()),
		"precision": sixDigits(o.Precision()), "recall": sixDigits(o.Recall()),
		"missing_steps": m.missing, "unexpected_steps": m.unexpected, "argument_mismatches": m.mismatches,
		"budget_violations": budgets.broken,
	}}
	// The rounded figure of the report counts: an author who reads 0.666667 may require it.
	holds := max(accuracy, o.F1()) >= c.MinAccuracy-slack
	if len(budgets.broken) > 0 {
		f.Score, holds = 0, false
	}
	f.Holds = &holds
	f.Explanation = c.explain(m, o, budgets)
	return f, nil
}

func (c *trajectory) explain(m *pathMatch, o textmeasure.Overlap, budgets *budgets) string {
	texts := append([]string{}, budgets.texts...)
	texts = append(texts, fmt.Sprintf("%d of %s done in %s, accuracy %s", o.Matched, plural.Count(o.Expected, "step"),
		plural.Count(o.Actual, "call"), say.Decimal(sixDigits(o.F1()))))
	if c.MinAccuracy < 1 {
		texts[len(texts)-1] += fmt.Sprintf(", at least %s needed", say.Decimal(c.MinAccuracy))
	}
	for _, part := range []struct {
		what  string
		tools []string
	}{{"missing", m.texts.missing}, {"not expected", m.texts.unexpected}, {"other arguments", m.texts.mismatched}} {
		if len(part.tools) > 0 {
			texts = append(texts, part.what+": "+say.Chained(part.tools))
		}
	}
	return strings.Join(texts, "; ")
}

// budgets is the outcome of the limits of a trajectory.
type budgets struct {
	broken []Details
	texts  []string // for people
}

func (b *budgets) hold(budget string, actual, limit float64, text func(float64) string) {
	if actual <= limit+slack {
		return
	}
	b.broken = append(b.broken, Details{"budget": budget, "limit": limit, "actual": actual})
	b.texts = append(b.texts, fmt.Sprintf("%s, at most %s allowed", text(actual), say.Decimal(limit)))
}

// counted writes a whole number with its noun.
func counted(noun string) func(float64) string {
	return func(n float64) string { return plural.Count(int(n), noun) }
}

// budgets compares the run with the limits. A value that was not measured is an error.
func (c *trajectory) budgets(s *Subject) (*budgets, error) {
	b := &budgets{broken: []Details{}}
	if c.MaxSteps != nil {
		b.hold("max_steps", float64(len(s.Calls)), float64(*c.MaxSteps), counted("tool call"))
	}
	if c.MaxTokens != nil {
		in, out, known := s.tokens()
		if !known {
			return nil, errNoTokens
		}
		b.hold("max_tokens", float64(in+out), float64(*c.MaxTokens), counted("token"))
	}
	if c.MaxDurationSeconds != nil {
		if s.ElapsedMS == nil {
			return nil, errNoElapsed
		}
		b.hold("max_duration_seconds", *s.ElapsedMS/1000, *c.MaxDurationSeconds, inSeconds)
	}
	return b, nil
}

func (c *trajectory) looksAt(_ CallParts, tool string) bool {
	return slices.ContainsFunc(c.path, func(w waypoint) bool { return w.args != nil && w.tool == tool })
}
