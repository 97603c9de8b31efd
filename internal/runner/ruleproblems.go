package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/result"
)

// RuleProblem is why a gate can rarely or never have a good end.
type RuleProblem struct {
	Key     string // key of trials with the wrong value
	Code    string
	Text    string
	Hint    string // what to do
	Warning bool
}

// Alone is the gate of options for scenarios without gates in files. most is the highest number of trials, 0: the
// default. A gate with a problem other than a warning is invalid.
func (o *TrialOptions) Alone(most int) (*result.GateSpec, []RuleProblem) {
	spec := &result.GateSpec{
		Rule: result.RuleGate, Confidence: result.DefaultConfidence, Max: most, Min: 1, Block: 1, Stop: result.StopEarly,
	}
	for from, to := range map[*float64]*float64{
		o.PassRate: &spec.PassRate, o.Tolerance: &spec.Tolerance, o.Confidence: &spec.Confidence,
	} {
		if from != nil {
			*to = *from
		}
	}
	if o.Min != nil {
		spec.Min = *o.Min
	}
	if o.Stop != "" {
		spec.Stop = result.GateStop(o.Stop)
	}
	problems := lineProblems(spec)
	if spec.Stop == result.StopBaseline {
		problems = append(problems, baselineProblem)
	}
	if len(problems) > 0 {
		return spec, problems
	}
	if most == 0 {
		spec.Max = defaultMax(spec)
	}
	return spec, sizeProblems(spec)
}

// baselineProblem is the problem of a gate that should stop by a baseline.
var baselineProblem = RuleProblem{
	Key: "stop", Code: "no-effect", Hint: "leave stop out, or the pass_rate",
	Text: "a pass_rate has a line by which its trials end: stop: baseline is for trials that are counted",
}

// defaultMax is the highest number of trials of a gate that sets none.
func defaultMax(spec *result.GateSpec) int { return ruleOf(spec).DefaultMax() }

func ruleOf(spec *result.GateSpec) gate.Rule {
	return gate.Rule{
		PassRate: spec.PassRate, Tolerance: spec.Tolerance, Confidence: spec.Confidence, Max: spec.Max,
		Min: max(spec.Min, spec.Block), Block: spec.Block,
	}
}

func problem(key, code, hint, text string, args ...any) RuleProblem {
	return RuleProblem{Key: key, Code: code, Hint: hint, Text: fmt.Sprintf(text, args...)}
}

// lineProblems are about the lines of a gate.
func lineProblems(spec *result.GateSpec) (all []RuleProblem) {
	rule := ruleOf(spec)
	switch {
	case spec.PassRate == 1:
		all = append(all, problem("pass_rate", "out-of-range",
			"write pass_rate: 0.99 or less; or trials: N, of which each has to pass",
			"pass_rate 1: nothing shows that all pass; 0.99 takes 299 trials"))
	case !(spec.PassRate > 0 && spec.PassRate < 1):
		hint := "it is a share, such as 0.8"
		if spec.PassRate > 1 && spec.PassRate <= 100 {
			hint = fmt.Sprintf("%v%% is written as %v", spec.PassRate, spec.PassRate/100)
		}
		all = append(all, problem("pass_rate", "out-of-range", hint, "pass_rate %v: must be above 0 and below 1",
			spec.PassRate))
	case spec.Tolerance < 0:
		all = append(all, problem("tolerance", "out-of-range", "0 is none", "tolerance %v: must not be below 0",
			spec.Tolerance))
	case rule.Lower() <= 0:
		all = append(all, problem("tolerance", "out-of-range", "lower it: then there is a rate that fails",
			"tolerance %v: every agent may pass, since pass_rate is %v", spec.Tolerance, spec.PassRate))
	}
	return all
}

// turnProblems concern the number of trials and the variants, which take turns.
func turnProblems(spec *result.GateSpec) (all []RuleProblem) {
	if spec.Block > 1 && spec.Max%spec.Block != 0 {
		up := (spec.Max/spec.Block + 1) * spec.Block
		all = append(all, problem("max", "out-of-range", fmt.Sprintf("write max: %d", up),
			"%d trials are not a whole number of turns of its %d variants", spec.Max, spec.Block))
	}
	return all
}

// sizeProblems say whether a gate with valid lines has enough trials to show them.
func sizeProblems(spec *result.GateSpec) []RuleProblem {
	all := turnProblems(spec)
	switch {
	case spec.Max > gate.MostTrials:
		all = append(all, problem("max", "out-of-range", "lower it", "%d trials are more than a gate takes, %d", spec.Max,
			gate.MostTrials))
	case spec.Min > spec.Max:
		all = append(all, problem("min", "out-of-range", "lower min, or raise max", "min %d is above max %d", spec.Min,
			spec.Max))
	}
	if len(all) > 0 {
		return all
	}
	return slices.Concat(unreachable(ruleOf(spec)), cannotFail(spec), generous(spec), lax(spec))
}

// Values below these are probably a mistake: the gate would pass agents that mostly fail, or be decided by luck.
const (
	lowPassRate   = 0.3
	lowConfidence = 0.8
	wideTolerance = 0.1
)

// lax reports an unusually low line, and a confidence that leaves much to luck.
func lax(spec *result.GateSpec) (all []RuleProblem) {
	if spec.PassRate < lowPassRate {
		hint := "write the share of the trials that must pass, such as 0.8"
		if meant := spec.PassRate * 10; meant >= 0.5 && meant < 1 {
			hint = fmt.Sprintf("if %s are meant, write pass_rate: %s", percent(meant), strconv.FormatFloat(meant, 'g', 2, 64))
		}
		all = append(all, problem("pass_rate", "looks-like-slip", hint,
			"pass_rate %v: an agent passes that fails in %s of the trials", spec.PassRate, percent(1-spec.PassRate)))
	}
	if spec.Confidence < lowConfidence {
		all = append(all, problem("confidence", "looks-like-slip", "0.95 is usual; with more trials less is left to luck",
			"confidence %v: in up to %s of the runs luck decides the verdict", spec.Confidence, percent(1-spec.Confidence)))
	}
	for i := range all {
		all[i].Warning = true
	}
	return all
}

// generous reports a tolerance that lets agents pass which fail in more than half of the trials: probably it was meant
// as the lowest rate.
func generous(spec *result.GateSpec) []RuleProblem {
	if spec.Tolerance <= spec.PassRate/2 {
		return nil
	}
	lower := spec.PassRate - spec.Tolerance
	hint := "write how much less than pass_rate is good enough, such as 0.1"
	if spec.Tolerance < spec.PassRate {
		hint = fmt.Sprintf("if rates down to %v are good enough, write tolerance: %s", spec.Tolerance,
			strconv.FormatFloat(spec.PassRate-spec.Tolerance, 'g', 2, 64))
	}
	slip := problem("tolerance", "looks-like-slip", hint, "tolerance %v: with pass_rate %v, rates down to %s pass",
		spec.Tolerance, spec.PassRate, strconv.FormatFloat(lower, 'g', 2, 64))
	slip.Warning = true
	return []RuleProblem{slip}
}

// cannotFail reports a gate that may be undecided and that no agent can fail: it is always green.
func cannotFail(spec *result.GateSpec) []RuleProblem {
	r := ruleOf(spec)
	below := gate.Rule{PassRate: 1 - r.Upper(), Confidence: r.Confidence, Max: r.Max, Min: r.Min, Block: r.Block}
	if !spec.AllowUndecided || below.Reachable() {
		return nil
	}
	hint := "take allow_undecided out"
	if least, ok := below.LeastMax(); ok {
		hint = fmt.Sprintf("set max: %d or more, or take allow_undecided out", least)
	}
	return []RuleProblem{problem("max", "no-agent-fails", hint,
		"%d trials cannot show that less than %s pass: even 0 of %d leave %d%%, and allow_undecided makes that green", r.Max,
		percent(r.Upper()), r.Max, 100-int(100*below.BestLow()))}
}

// unreachable reports a line that hardly any agent can show, or none.
func unreachable(r gate.Rule) []RuleProblem {
	least, known := r.LeastMax()
	if !r.Reachable() {
		var ways []string
		if known {
			ways = append(ways, fmt.Sprintf("max: %d or more", least))
		}
		if t, ok := r.LeastTolerance(); ok && (t <= wideTolerance || !known) {
			ways = append(ways, "tolerance: "+strconv.FormatFloat(t, 'g', -1, 64)+" or more")
		}
		if c, ok := r.MostConfidence(); ok && (c >= lowConfidence || !known && len(ways) == 0) {
			ways = append(ways, "confidence: "+strconv.FormatFloat(c, 'g', -1, 64))
		}
		return []RuleProblem{problem("max", "no-agent-passes", "set "+orList(ways),
			"%d trials cannot show %s: even %d of %d leave %d%%", r.Max, percent(r.Lower()), r.Max, r.Max,
			int(100*r.BestLow()))}
	}
	if known && 3*r.Max < 4*least {
		few := problem("max", "few-trials", fmt.Sprintf("set max: %d or more", (4*least+2)/3),
			"%d trials decide little: it takes %d of %d that all pass to show %s", r.Max, least, least, percent(r.Lower()))
		few.Warning = true
		return []RuleProblem{few}
	}
	return nil
}

func orList(ways []string) string {
	switch len(ways) {
	case 0:
		return "a lower pass_rate"
	case 1:
		return ways[0]
	}
	last := len(ways) - 1
	return strings.Join(ways[:last], ", ") + ", or " + ways[last]
}

func percent(x float64) string {
	return strconv.FormatFloat(float64(int(x*1e6+0.5))/1e4, 'g', -1, 64) + "%"
}
