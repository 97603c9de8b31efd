package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

var costBudgetDef = plain[costBudget](Def{
	Name:     "cost_budget",
	Summary:  "The turn or the conversation stays within its money and tokens; the score is the share of the money left.",
	Scoring:  "1 - cost / max_cost_usd; 1 without max_cost_usd; 0 when any limit is exceeded. Passes when none is.",
	Family:   FamilyBudget,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsUsage,
	Reads:    ReadsNothing,
	AnyOf:    []string{"max_cost_usd", "max_total_tokens", "max_input_tokens", "max_output_tokens"},
	Decides:  true,
	Clean:    Limits,
})

type costBudget struct {
	MaxCostUSD      *float64 `param:"max_cost_usd" min:"0" doc:"US dollars."`
	MaxTotalTokens  *int     `param:"max_total_tokens" min:"0" doc:"Input and output tokens together."`
	MaxInputTokens  *int     `param:"max_input_tokens" min:"0" doc:"Tokens sent to the model."`
	MaxOutputTokens *int     `param:"max_output_tokens" min:"0" doc:"Tokens that the model wrote."`
}

func (c *costBudget) limitedItself() bool { return true }

func (c *costBudget) Eval(_ context.Context, s *Subject) (Finding, error) {
	t := tally{about: s.about()}
	if c.MaxCostUSD != nil {
		usd, known := s.cost()
		if !known {
			return Finding{}, errNoCost
		}
		t.add("cost", usd, *c.MaxCostUSD, say.Money)
	}
	if c.MaxTotalTokens != nil || c.MaxInputTokens != nil || c.MaxOutputTokens != nil {
		in, out, known := s.tokens()
		if !known {
			return Finding{}, errNoTokens
		}
		t.tokens("total tokens", chat.Usage{InputTokens: in, OutputTokens: out}.Total(), c.MaxTotalTokens)
		t.tokens("input tokens", in, c.MaxInputTokens)
		t.tokens("output tokens", out, c.MaxOutputTokens)
	}
	holds := len(t.broken) == 0
	f := Finding{Holds: &holds, Explanation: strings.Join(t.held, "; "), Details: s.spent()}
	switch {
	case !holds:
		f.Explanation = strings.Join(t.broken, "; ")
	case c.MaxCostUSD != nil && *c.MaxCostUSD > 0:
		f.Score = min(1, max(0, 1 - *s.CostUSD / *c.MaxCostUSD))
	default:
		f.Score = 1
	}
	return f, nil
}

// tally sorts limits into those that hold and those that do not.
type tally struct {
	held, broken []string
	about        string // prefix of each number
}

func (t *tally) add(what string, got, limit float64, write func(float64) string) {
	text := fmt.Sprintf("%s %s%s, at most %s allowed", what, t.about, write(got), write(limit))
	if got > limit+slack {
		t.broken = append(t.broken, text)
	} else {
		t.held = append(t.held, text)
	}
}

func (t *tally) tokens(what string, got int, limit *int) {
	if limit != nil {
		t.add(what, float64(got), float64(*limit), say.Decimal)
	}
}

// spent is the known cost and tokens of the scope.
func (s *Subject) spent() Details {
	d := Details{}
	if s.CostUSD != nil {
		d["total_cost_usd"] = *s.CostUSD
	}
	if s.InputTokens != nil && s.OutputTokens != nil {
		d["input_tokens"], d["output_tokens"] = *s.InputTokens, *s.OutputTokens
		d["total_tokens"] = chat.Usage{InputTokens: *s.InputTokens, OutputTokens: *s.OutputTokens}.Total()
	}
	return d
}
