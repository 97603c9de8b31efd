package inventory

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/scenario"
)

// EachCompiled visits the compiled forms of a check: one, or with placeholders one for each set of values. A check with
// errors has none.
func EachCompiled(c any, visit func(*checks.Compiled)) {
	switch c := c.(type) {
	case *checks.Compiled:
		visit(c)
	case *scenario.OpenCheck:
		for _, bound := range c.Bound() {
			EachCompiled(bound, visit)
		}
		EachCompiled(c.OfRows(), visit)
	}
}

// EachSettled is EachCompiled without the forms that rows give a check.
func EachSettled(c any, visit func(*checks.Compiled)) {
	o, open := c.(*scenario.OpenCheck)
	if !open {
		EachCompiled(c, visit)
		return
	}
	for _, bound := range o.Bound() {
		EachCompiled(bound, visit)
	}
}

// IsOpen reports whether a check has placeholders.
func IsOpen(c any) bool {
	_, open := c.(*scenario.OpenCheck)
	return open
}

// Sample returns a check with any values filled in for its placeholders.
func Sample(c any) any {
	if o, open := c.(*scenario.OpenCheck); open {
		return o.Sample()
	}
	return c
}

// eachGuard visits the guardrails of the chosen scenarios' prompts.
func eachGuard(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	for _, prompt := range PromptsOf(p, chosen) {
		for _, v := range prompt.Validators {
			if !v.Enabled {
				continue
			}
			EachCompiled(v.Compiled, visit)
		}
	}
}
