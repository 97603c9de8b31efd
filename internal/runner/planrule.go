package runner

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TrialOptions override what files say about trials. Nil and "": not set.
type TrialOptions struct {
	PassRate, Tolerance, Confidence *float64
	Min                             *int
	Stop                            string // early, never or baseline
	AllowUndecided                  bool
}

// asked reports whether a gate decides, whatever the files say.
func (o *TrialOptions) asked() bool { return o.PassRate != nil }

// trialRule is the number of trials of a scenario, and what ends them early.
type trialRule struct {
	repeat int              // trials of each variant, when all of them run
	gate   *result.GateSpec // nil: all trials run
}

// rule resolves the trials of a scenario with a number of variants. It reports an invalid rule and returns false.
func (m *matrix) rule(p *scenario.Project, s *scenario.Scenario, variants int) (trialRule, bool) {
	t := s.Trials
	if t == nil {
		t = p.Defaults.Trials
	}
	if t == nil {
		t = &scenario.Trials{Count: 1, Pos: s.Pos}
	}
	w := ruleWriter{m: m, p: p, s: s, t: t, r: t.Rule, variants: variants}
	if w.r == nil {
		w.r = &scenario.TrialRule{Stop: string(result.StopNever)}
	}
	if t.Rule == nil && !m.opts.Rule.asked() && (m.opts.Rule.Stop == "" || m.opts.Rule.Stop == string(result.StopNever)) {
		w.idle()
		return trialRule{repeat: max(cmp.Or(m.opts.Trials, t.Count), 1)}, true
	}
	spec := w.spec()
	if spec == nil {
		return trialRule{}, false
	}
	return trialRule{repeat: (spec.Max + variants - 1) / variants, gate: spec}, true
}

// ruleWriter resolves the rule of one scenario.
type ruleWriter struct {
	m        *matrix
	p        *scenario.Project
	s        *scenario.Scenario
	t        *scenario.Trials
	r        *scenario.TrialRule
	variants int
	bad      bool
}

func (w *ruleWriter) refuse(key, code, hint, text string, args ...any) {
	w.bad = true
	if !w.m.first(fmt.Sprint(w.t.At(key), key, fmt.Sprintf(text, args...))) {
		return
	}
	w.m.diags.Errorf(w.t.At(key), 1, code, "scenario %q: %s", w.s.ID, fmt.Sprintf(text, args...)).Hint = hint
}

// first reports whether a text was not reported before.
func (m *matrix) first(said string) bool {
	if m.reported[said] {
		return false
	}
	if m.reported == nil {
		m.reported = map[string]bool{}
	}
	m.reported[said] = true
	return true
}

// idle refuses flags of gates that have no effect.
func (w *ruleWriter) idle() {
	o := &w.m.opts.Rule
	for _, f := range []struct {
		flag  string
		given bool
	}{{"--tolerance", o.Tolerance != nil}, {"--confidence", o.Confidence != nil}, {"--min", o.Min != nil}} {
		if f.given {
			w.refuse("", "no-effect", "pass --pass-rate too, or leave it out", "%s says nothing of trials that are counted",
				f.flag)
		}
	}
}

func first[T any](list ...*T) *T {
	for _, v := range list {
		if v != nil {
			return v
		}
	}
	return nil
}

// spec is the resolved rule; nil: there is no valid one.
func (w *ruleWriter) spec() *result.GateSpec {
	o := &w.m.opts.Rule
	rate, tolerance := first(o.PassRate, w.r.PassRate), first(o.Tolerance, w.r.Tolerance)
	spec := &result.GateSpec{
		Rule: result.RuleCount, Confidence: result.DefaultConfidence, Min: 1, Block: w.variants,
		Stop: result.GateStop(cmp.Or(o.Stop, w.r.Stop, string(result.StopEarly))),
	}
	switch {
	case w.t.Rule == nil && o.Stop == "":
		spec.Stop = result.StopEarly
	case rate == nil && w.m.opts.Basis != nil && o.Stop == "" && w.r.Stop == "":
		spec.Stop = result.StopBaseline
	case rate != nil && spec.Stop == result.StopBaseline:
		w.report([]RuleProblem{baselineProblem})
	}
	if c := first(o.Confidence, w.r.Confidence); c != nil {
		spec.Confidence = *c
	}
	if !(spec.Confidence > 0.5 && spec.Confidence < 1) {
		w.refuse("confidence", "out-of-range", "0.95 is usual", "confidence %v: must be above 0.5 and below 1",
			spec.Confidence)
	}
	if n := first(o.Min, w.r.Min); n != nil {
		spec.Min = *n
	}
	spec.AllowUndecided = o.AllowUndecided || w.r.AllowUndecided != nil && *w.r.AllowUndecided
	if rate == nil {
		w.count(spec, tolerance)
	} else {
		spec.Rule, spec.PassRate = result.RuleGate, *rate
		if tolerance != nil {
			spec.Tolerance = *tolerance
		}
		w.gate(spec)
	}
	if w.bad {
		return nil
	}
	return spec
}

// count completes a count that may end early.
func (w *ruleWriter) count(spec *result.GateSpec, tolerance *float64) {
	if tolerance != nil || w.r.AllowUndecided != nil {
		key := "tolerance"
		if tolerance == nil {
			key = "allow_undecided"
		}
		w.refuse(key, "no-effect", "write the pass_rate that is asked for",
			"%s says nothing of trials that are counted: pass_rate is missing", key)
	}
	switch {
	case spec.Stop == result.StopBaseline:
		if first(w.m.opts.Rule.Min, w.r.Min) == nil {
			spec.Min = result.StageTrials
		}
	case first(w.m.opts.Rule.Min, w.r.Min) != nil:
		w.refuse("min", "no-effect", "write the pass_rate that is asked for, or stop: baseline",
			"min says nothing of trials that are counted")
	}
	spec.AllowUndecided = false
	switch {
	case w.m.opts.Trials > 0:
		spec.Max = w.m.opts.Trials * w.variants
	case w.r.Max != nil:
		spec.Max = *w.r.Max
		w.report(turnProblems(spec))
	case w.t.Count > 0:
		spec.Max = w.t.Count * w.variants
	default:
		w.refuse("", "missing-field", "write max, or the pass_rate that is asked for", "trials says neither how many nor "+
			"what for")
	}
	if spec.Max > gate.MostTrials {
		w.refuse("max", "out-of-range", "leave stop out, or lower the number", "%d trials are more than can end early, %d",
			spec.Max, gate.MostTrials)
	}
}

// gate completes a gate, and refuses one that no agent can pass.
func (w *ruleWriter) gate(spec *result.GateSpec) {
	w.report(lineProblems(spec))
	w.refuseThresholds()
	if w.bad {
		return
	}
	switch {
	case w.m.opts.Trials > 0:
		spec.Max = w.m.opts.Trials
	case w.r.Max != nil:
		spec.Max = *w.r.Max
	case w.t.Rule == nil && w.t.Count > 1:
		spec.Max = w.t.Count
	default:
		spec.Max = defaultMax(spec)
	}
	w.report(sizeProblems(spec))
}

// report reports what is wrong with a rule.
func (w *ruleWriter) report(problems []RuleProblem) {
	for _, p := range problems {
		if p.Warning {
			w.m.diags.Warnf(w.t.At(p.Key), 1, p.Code, "scenario %q: %s", w.s.ID, p.Text).Hint = p.Hint
		} else {
			w.refuse(p.Key, p.Code, p.Hint, "%s", p.Text)
		}
	}
}

// refuseThresholds refuses pass_threshold within a gate. A check for all scenarios is reported once.
func (w *ruleWriter) refuseThresholds() {
	for _, placed := range slices.Concat([][]scenario.Placed{w.p.Globals, w.s.Conversation}, turnChecks(w.s)) {
		for i := range placed {
			at, has := threshold(placed[i].Compiled)
			if !has {
				continue
			}
			w.bad = true
			if said := fmt.Sprint(at, "pass_threshold"); !w.m.first(said) {
				continue
			}
			w.m.diags.Errorf(at, 1, "threshold-in-gate",
				"scenario %q: a pass_threshold within a gate: one counts, the other concludes", w.s.ID).Hint =
				"take pass_threshold out, or pass_rate"
		}
	}
}

// turnChecks are the assertions of each turn.
func turnChecks(s *scenario.Scenario) (all [][]scenario.Placed) {
	for i := range s.Turns {
		all = append(all, s.Turns[i].Assertions)
	}
	return all
}

// threshold is the position of the pass_threshold of a check.
func threshold(compiled any) (at diag.Pos, has bool) {
	switch c := compiled.(type) {
	case *checks.Compiled:
		return c.Pos, c.PassThreshold != nil
	case *scenario.Check:
		return c.PassAt, c.PassThreshold != nil
	}
	return diag.Pos{}, false
}

// hashedOrder is the order of the rows in one group: by a hash of id and seed, the same on every machine.
func hashedOrder(set *scenario.Dataset, rows []int32, seed int64) []int32 {
	sums := make(map[int32][sha256.Size]byte, len(rows))
	for _, i := range rows {
		b := append(binary.BigEndian.AppendUint64([]byte("gate"), uint64(seed)), set.ID(int(i))...)
		sums[i] = sha256.Sum256(b)
	}
	out := slices.Clone(rows)
	slices.SortFunc(out, func(a, b int32) int {
		x, y := sums[a], sums[b]
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	return out
}

// quietRule is rule without reports.
func (m *matrix) quietRule(p *scenario.Project, s *scenario.Scenario, variants int) (trialRule, bool) {
	quiet := *m
	quiet.diags, quiet.reported = &diag.List{}, map[string]bool{}
	return quiet.rule(p, s, max(variants, 1))
}

// mostNumber is the highest possible number of a trial of a scenario.
func (m *matrix) mostNumber(p *scenario.Project, s *scenario.Scenario) int {
	variants := max(countVariants(s), 1)
	rule, _ := m.quietRule(p, s, variants)
	if rule.gate != nil {
		return rule.gate.Slots()
	}
	return max(rule.repeat, 1) * variants
}
