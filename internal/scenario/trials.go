package scenario

import (
	"math"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Trials says how often a conversation is repeated, and how the group is judged.
type Trials struct {
	Pos   diag.Pos
	Count int        // the number; 0: Rule decides
	Rule  *TrialRule // nil: a fixed number
}

// TrialRule is the map of trials. Missing values are nil or empty.
type TrialRule struct {
	Max, Min                        *int
	PassRate, Tolerance, Confidence *float64
	Stop                            string // early or never
	AllowUndecided                  *bool

	at map[string]diag.Pos
}

// At is the position of a key, or else of the rule.
func (t *Trials) At(key string) diag.Pos {
	if t.Rule != nil {
		if pos, written := t.Rule.at[key]; written {
			return pos
		}
	}
	return t.Pos
}

// mostTrials is the greatest max. Lines of gates beyond it take minutes.
const mostTrials = 10_000

var stops = words("early", "never", "baseline")

// trialFields are the keys of the map of trials.
var trialFields = table("trials", func() rows[TrialRule] {
	return rows[TrialRule]{
		located("max", optionalInteger("max", keys.Number{Low: 1, High: mostTrials, Integer: true},
			func(r *TrialRule) **int { return &r.Max })).
			doc("The most trials that count, a whole number of turns of the variants. Left out with a pass_rate: " +
				"10 / (1 - (pass_rate - tolerance)), 20 to 1000."),
		located("min", optionalInteger("min", keys.Number{Low: 1, High: mostTrials, Integer: true},
			func(r *TrialRule) **int { return &r.Min })).
			doc("No verdict before that many trials; pass^k is told for k up to it. With stop: baseline the first trials.").
			preset("1"),
		located("pass_rate", numPtr("pass_rate", number, func(r *TrialRule) **float64 { return &r.PassRate })).
			doc("The line, above 0 and below 1. Passed: the trials show that at least this share passes. Failed: that less " +
				"does. Undecided: neither. Left out: the trials are counted, and each check has to hold in its " +
				"pass_threshold of them."),
		located("tolerance", numPtr("tolerance", number, func(r *TrialRule) **float64 { return &r.Tolerance })).
			doc("Rates down to pass_rate - tolerance may pass too: close cases are decided, with many fewer " +
				"trials.").preset("0"),
		located("confidence", numPtr("confidence", number, func(r *TrialRule) **float64 { return &r.Confidence })).
			doc("Each of the two claims is wrong in at most 1 - confidence of runs, whatever the true rate is.").preset("0.95"),
		located("stop", word("stop", stops, func(r *TrialRule) *string { return &r.Stop })).
			doc("early: as soon as the trials that are left cannot change the verdict, or it is shown. never: after max " +
				"trials. baseline, without a pass_rate: after min trials, 5 when left out, where these look no worse than the " +
				"baseline did; else after max. Left out: early, and with --baseline and no pass_rate baseline."),
		located("allow_undecided", flagPtr("allow_undecided", func(r *TrialRule) **bool { return &r.AllowUndecided })).
			doc("Lets the run pass without a verdict on this, where something else passes. The summary counts those that did. " +
				"Refused where max trials cannot show that too few pass.").preset("false"),
	}
})

// located keeps the position of a key.
func located(name string, f *field[TrialRule]) *field[TrialRule] {
	read := f.read
	f.read = func(d *decoder, r *TrialRule, v *node.Node) {
		if r.at == nil {
			r.at = map[string]diag.Pos{}
		}
		r.at[name] = d.Pos(v)
		read(d, r, v)
	}
	return f
}

// trialsShape is a number, or the map.
type trialsShape struct{}

func (trialsShape) Label() string { return "whole number or map" }

func (trialsShape) Check(r keys.Reader, n *node.Node, what string) {
	if d, ok := r.(*decoder); ok {
		d.trials(n, what)
		return
	}
	counting.Check(r, n, what)
}

func (trialsShape) Schema(w keys.Writer) *jsonschema.Doc {
	return jsonschema.AnyOf(counting.Schema(w), w.Table(trialFields))
}

// trials reads how often a conversation is repeated; nil: it is invalid.
func (d *decoder) trials(v *node.Node, what string) *Trials {
	t := &Trials{Pos: d.Pos(v)}
	if v.Kind != node.Map {
		n, ok := counting.Int(d, v, what)
		if !ok || n > math.MaxInt32 {
			return nil
		}
		t.Count = n
		return t
	}
	t.Rule = &TrialRule{}
	if !trialFields.read(d, v, t.Rule) {
		return nil
	}
	return t
}

// trialsField is the key trials.
func trialsField[T any](at func(*T) **Trials) *field[T] {
	return custom("trials", trialsShape{}, func(d *decoder, t *T, v *node.Node) {
		if read := d.trials(v, "trials"); read != nil {
			*at(t) = read
		}
	})
}
