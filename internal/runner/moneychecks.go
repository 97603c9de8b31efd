package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportMoneyLimits reports before the run which limits of cost cannot be measured: for models without a known price,
// whose check becomes an error once the model is paid, and for models that cost nothing, whose check cannot fail.
func (m *matrix) reportMoneyLimits(p *scenario.Project, spans []span) {
	if m.opts.Replayed {
		return
	}
	type reportKey struct {
		pos  diag.Pos
		spec *scenario.Provider
	}
	said := map[reportKey]bool{}
	for i := range spans {
		t := &spans[i].Trial
		if t.Recorded != nil || t.Finished != nil || t.Scenario.Skip != "" || t.Endpoint.Simulated {
			continue
		}
		price := PriceOf(t.Endpoint)
		if price != nil && (price.Long != nil || price.Input > 0 || price.Output > 0) {
			continue
		}
		m.eachMoneyLimit(p, t.Scenario, func(c *checks.Compiled, alone bool) {
			at := reportKey{c.Pos, t.Endpoint.Spec}
			if said[at] {
				return
			}
			said[at] = true
			switch {
			case price == nil && t.Endpoint.Spec.IsAgent(): // the agent may report its cost; otherwise the check is an error
			case price == nil:
				m.diags.Warnf(c.Pos, diag.Width(c.Type), "unknown-price", "%s: the price of %s is not known, so the check "+
					"cannot be measured, and is an error after the model was paid", c.Type, modelName(t.Endpoint.Spec)).
					Hint = "write pricing in the file of the provider, or limit the tokens: max_total_tokens"
			case alone:
				m.diags.Warnf(c.Pos, diag.Width(c.Type), "cannot-fail", "%s: the check cannot fail: the prices of %s are 0", c.Type,
					modelName(t.Endpoint.Spec)).Hint = "write what it costs, or limit the tokens: max_total_tokens"
			}
		})
	}
}

func (m *matrix) eachMoneyLimit(p *scenario.Project, s *scenario.Scenario, visit func(c *checks.Compiled, alone bool)) {
	look := func(c *checks.Compiled) {
		if limits, alone := c.LimitsMoney(); limits {
			visit(c, alone)
		}
	}
	lists := [][]scenario.Placed{p.Globals, s.Conversation}
	for i := range s.Turns {
		lists = append(lists, s.Turns[i].Assertions)
	}
	for _, list := range lists {
		for _, c := range list {
			inventory.EachCompiled(c.Compiled, look)
		}
	}
}
