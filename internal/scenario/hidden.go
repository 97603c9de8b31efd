package scenario

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// reportReplacedEvals reports evals with a threshold that an eval of another list with the same id replaces under some
// prompt. Replacing is intended, but must not weaken a gate silently.
func (b *build) reportReplacedEvals() {
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
					b.reportReplaced(e, over)
				}
			}
		}
	}
}

// reportReplaced reports one replaced eval: an error when the new one is a weaker gate, a warning when it differs
// otherwise.
func (b *build) reportReplaced(e, over *Eval) {
	if !e.Enabled || !e.gates() {
		return
	}
	d := diag.Diagnostic{
		Pos: e.IDPos, Width: utf8.RuneCountInString(e.ID), Code: "hidden-eval",
		Hint: "give one of them another id, or the other one a threshold that asks as much",
	}
	what := lossFrom(e, over)
	if what == "" {
		if what = changeFrom(e, over); what == "" {
			return
		}
		d.Severity, d.Hint = diag.Warning, "give one of them another id, or remove one"
	}
	d.Msg = fmt.Sprintf("the eval %q is replaced by the one at %s, which has the same id and %s", e.ID, over.IDPos, what)
	b.l.diags.Add(d)
}

// changeFrom says how an eval differs from the one with a threshold that it replaces; "": it does not.
func changeFrom(e, over *Eval) string {
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

// lossFrom says what an eval asks less than the one with a threshold that it replaces; "": nothing.
func lossFrom(e, over *Eval) string {
	was, now := e.gate(), over.gate()
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
		return "runs less often"
	}
	return ""
}

// evalGate is what an eval demands of its score; the zero value is nothing.
type evalGate struct {
	low, most *float64
	passed    bool // by the rule of the check itself, where low is nil
}

// gate is the threshold of an eval, beside its parameters or among them.
func (e *Eval) gate() evalGate {
	c := e.Compiled
	if o, open := c.(*OpenCheck); open {
		c = o.Sample()
	}
	if check, ok := c.(interface {
		Limits() (low, most *float64, passed bool)
	}); ok {
		low, most, passed := check.Limits()
		return evalGate{low, most, passed}
	}
	return evalGate{e.MinScore, e.MaxScore, e.MustPass}
}

// gates reports whether there is a threshold.
func (e *Eval) gates() bool { return e.gate() != evalGate{} }

// least is the required score: 1 when the check only has to pass.
func (g evalGate) least() *float64 {
	if g.low == nil && g.passed {
		return new(1.0)
	}
	return g.low
}

// share is the percentage of turns or sessions that the eval measures.
func (e *Eval) share() float64 {
	if e.Trigger == TriggerSampleTurns || e.Trigger == TriggerSampleSessions {
		return e.SamplePct
	}
	return 100
}
