package scenario

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// hiddenEvals tells of evals with a threshold in whose place, under some prompt, one of another list runs that has the
// same id. Replacing evals by their id is what the levels are for; less must not be gated by it unseen.
func (b *build) hiddenEvals() {
	told := map[[2]*Eval]bool{}
	for _, prompt := range append([]*Prompt{nil}, b.p.Prompts...) {
		wins := map[string]*Eval{}
		for _, e := range b.p.EvalsFor(prompt) {
			wins[e.ID] = e
		}
		lists := [][]*Eval{b.p.PackEvals}
		if prompt != nil {
			lists = append(lists, prompt.Evals)
		}
		for _, list := range lists {
			for _, e := range list {
				if over := wins[e.ID]; over != e && !told[[2]*Eval{e, over}] && e.ID != "" {
					told[[2]*Eval{e, over}] = true
					b.hidden(e, over)
				}
			}
		}
	}
}

// hidden tells of one eval in whose place another one runs: an error where that one is the laxer gate, and a warning
// where it is another one, or switches the gate off.
func (b *build) hidden(e, over *Eval) {
	if !e.Enabled || !e.gates() {
		return
	}
	d := diag.Diagnostic{
		Pos: e.IDPos, Width: utf8.RuneCountInString(e.ID), Code: "hidden-eval",
		Hint: "give one of them another id, or the other one a threshold that asks as much",
	}
	what := loses(e, over)
	if what == "" {
		if what = differs(e, over); what == "" {
			return
		}
		d.Severity, d.Hint = diag.Warning, "give one of them another id, or remove one"
	}
	d.Msg = fmt.Sprintf("the eval %q gives way to the one at %s, which has the same id and %s", e.ID, over.IDPos, what)
	b.l.diags.Add(d)
}

// differs says how an eval in the place of one with a threshold is another one; "" is in nothing.
func differs(e, over *Eval) string {
	switch {
	case !over.Enabled:
		return "is switched off"
	case over.Type != e.Type:
		return "is a " + over.Type
	case over.Digest != e.Digest:
		return "measures something else"
	case over.Trigger != e.Trigger:
		return "another trigger"
	}
	return ""
}

// loses says by what an eval in the place of one with a threshold asks for less; "" is by nothing.
func loses(e, over *Eval) string {
	was, now := e.asks(), over.asks()
	below := func(a, b *float64) bool { return a != nil && (b == nil || *b < *a) }
	above := func(a, b *float64) bool { return a != nil && (b == nil || *b > *a) }
	switch {
	case !over.Enabled: // on purpose
		return ""
	case !over.gates():
		return "no threshold"
	case below(was.least(), now.least()) || above(was.most, now.most):
		return "a laxer threshold"
	case over.share() < e.share():
		return "looks at less"
	}
	return ""
}

// gate is what an eval asks of the score of its check; the zero value asks nothing.
type gate struct {
	low, most *float64
	passed    bool // by the rule of the check itself, where low is nil
}

// asks is the threshold of an eval, beside the parameters or among them.
func (e *Eval) asks() gate {
	c := e.Compiled
	if o, open := c.(*Open); open {
		c = o.Sample()
	}
	if check, ok := c.(interface {
		Limits() (low, most *float64, passed bool)
	}); ok {
		low, most, passed := check.Limits()
		return gate{low, most, passed}
	}
	return gate{e.MinScore, e.MaxScore, e.MustPass}
}

// gates reports whether there is a threshold.
func (e *Eval) gates() bool { return e.asks() != gate{} }

// least is the score that is needed: a full one where the check only has to pass.
func (g gate) least() *float64 {
	if g.low == nil && g.passed {
		return new(1.0)
	}
	return g.low
}

// share is the percentage of turns or sessions that it looks at.
func (e *Eval) share() float64 {
	if e.Trigger == TriggerSampleTurns || e.Trigger == TriggerSampleSessions {
		return e.SamplePct
	}
	return 100
}
