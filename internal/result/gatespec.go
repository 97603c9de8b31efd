package result

import (
	"fmt"
	"math"

	"github.com/arena-evals/arena/internal/gate"
)

// GateRule is how the trials of a group are judged together.
type GateRule string

// The rules.
const (
	RuleGate  GateRule = "gate"  // the trials show whether the agent passes often enough
	RuleCount GateRule = "count" // each assertion must hold in its share of the trials
)

// GateSpec says how the trials of a group end, and how they are judged.
type GateSpec struct {
	Rule       GateRule `json:"rule"`
	PassRate   float64  `json:"pass_rate,omitempty"` // of a gate: the required rate
	Tolerance  float64  `json:"tolerance,omitempty"` // of a gate: rates down to pass_rate - tolerance may pass too
	Confidence float64  `json:"confidence"`          // of a claim about the rate, and of each end of the error bar
	Max        int      `json:"max"`                 // the highest number of trials that count
	Min        int      `json:"min"`                 // no verdict before that many
	Block      int      `json:"block"`               // trials of one round of all variants
	Stop       GateStop `json:"stop"`                // whether they end as soon as the verdict is certain
	// Stage is the look at the first trials of a count that stops by a baseline; nil: none.
	Stage *Stage `json:"stage,omitempty"`
	// AllowUndecided says that a run may pass without a verdict on the group.
	AllowUndecided bool `json:"allow_undecided,omitempty"`
	// Weakened is why a gate makes more errors than Confidence allows; "": it does not.
	Weakened Weakening `json:"weakened,omitempty"`
}

// GateStop says when the trials of a group end.
type GateStop string

// When trials end.
const (
	StopEarly GateStop = "early" // as soon as the verdict is certain
	StopNever GateStop = "never" // after all of them, with a single look
	// StopBaseline: after the first trials, if they look no worse than the baseline.
	StopBaseline GateStop = "baseline"
)

// never reports whether there is a single look.
func (s *GateSpec) never() bool { return s.Stop == StopNever }

// DefaultConfidence is the confidence of a group that sets none.
const DefaultConfidence = 0.95

// Rejections is the number of trials that may be replaced because the provider refused them. With one more, the group
// is an error.
func (s *GateSpec) Rejections() int {
	if s.Rule != RuleGate {
		return 0
	}
	return max(leastRejections, s.Max/10)
}

// leastRejections is the number for small groups. As many in a row at the start of any group mean that the provider is
// down.
const leastRejections = 3

// Slots is how many numbers the trials of the group may have, with those of replacements.
func (s *GateSpec) Slots() int { return s.Max + s.Rejections() }

// rule is the rule of a gate.
func (s *GateSpec) rule() gate.Rule {
	r := gate.Rule{
		PassRate: s.PassRate, Tolerance: s.Tolerance, Confidence: s.Confidence, Max: s.Max, Min: max(s.Min, s.Block),
		Block: s.Block,
	}
	if s.never() {
		r.Min = s.Max
	}
	return r
}

// Gate returns the gate of the group; nil for a count. A gate in a file may be invalid.
func (s *GateSpec) Gate() (*gate.Gate, error) {
	if s.Stop != StopEarly && s.Stop != StopNever && s.Stop != StopBaseline {
		return nil, fmt.Errorf("%q does not say when trials end", s.Stop)
	}
	if err := s.checkStage(); err != nil {
		return nil, err
	}
	switch s.Rule {
	case RuleCount:
		if s.Max < 1 || s.Block < 1 || !(s.Confidence > 0.5 && s.Confidence < 1) {
			return nil, fmt.Errorf("a count of %d trials in turns of %d, with confidence %v: no such count",
				s.Max, s.Block, s.Confidence)
		}
		return nil, nil
	case RuleGate:
		return gate.Of(s.rule())
	}
	return nil, fmt.Errorf("%q is no rule of groups", s.Rule)
}

// GatedGroup is a group of a plan whose trials may end early.
type GatedGroup struct {
	File     string `json:"file"` // of the scenario
	Scenario string `json:"scenario"`
	Provider string `json:"provider"`
	Region   string `json:"region"`
	Row      string `json:"row,omitempty"` // of a dataset, if each row is a group
	First    int    `json:"first"`         // plan index of its trial with the number 1
	// Recorded says that no further trials can be run: they were judged again, or replayed.
	Recorded bool `json:"recorded,omitempty"`
	Trials   int  `json:"trials,omitempty"` // number of trials of a Recorded group
	GateSpec
}

// Gated are the groups of a run whose trials may have ended early, from a report.
func Gated(groups []Group) (gated []GatedGroup) {
	for i := range groups {
		g := &groups[i]
		if g.Gate == nil || !g.Gate.Early() {
			continue
		}
		gated = append(gated, GatedGroup{
			File: g.File, Scenario: g.Scenario, Provider: g.Provider, Region: g.Region, Row: g.Row,
			First: math.MaxInt, Recorded: g.Gate.Reason == ReasonRecording, GateSpec: g.Gate.GateSpec,
		})
	}
	return gated
}

func (g *GatedGroup) key() groupKey { return groupKey{g.File, g.Scenario, g.Provider, g.Region, g.Row} }

// GateReason is why the trials of a group ended.
type GateReason string

// The reasons.
const (
	ReasonLine      GateReason = "line"      // they showed on which side of the line the rate is
	ReasonCertain   GateReason = "certain"   // the remaining trials could not change the verdict
	ReasonMax       GateReason = "max"       // all of them ran
	ReasonBaseline  GateReason = "baseline"  // the first ones look no worse than the baseline
	ReasonBudget    GateReason = "budget"    // a limit of trials or costs
	ReasonStopped   GateReason = "stopped"   // the run was stopped
	ReasonErrors    GateReason = "errors"    // too many of them broke
	ReasonRecording GateReason = "recording" // more were needed than were recorded
	ReasonSkipped   GateReason = "skipped"   // the scenario is skipped
)

// GateReasons returns all reasons.
func GateReasons() []GateReason {
	return []GateReason{
		ReasonLine, ReasonCertain, ReasonMax, ReasonBaseline, ReasonBudget, ReasonStopped, ReasonErrors, ReasonRecording,
		ReasonSkipped,
	}
}

// Gate is the result of the trials of a group.
type Gate struct {
	GateSpec

	Verdict   Status     `json:"verdict"`              // of the trials; the status of the group
	Reason    GateReason `json:"reason"`               // why they ended
	DecidedAt int        `json:"decided_at,omitempty"` // number of the deciding trial; 0: none decided
	Counted   int        `json:"counted"`              // trials that count: the first ones, by number
	Passed    int        `json:"passed"`               // of those that count
	Failed    int        `json:"failed"`               // of those that count
	Broken    int        `json:"broken"`               // of those that count: without a verdict
	Replaced  int        `json:"replaced,omitempty"`   // trials that the provider refused, and other trials replaced
	Beyond    int        `json:"beyond,omitempty"`     // trials after the decision, or after a missing one
	Saved     int        `json:"saved,omitempty"`      // trials that were not needed

	// Low and High are the error bar: the rates that fit the trials. Each end is wrong in at most 1 - confidence of
	// runs.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Bar  string  `json:"bar"` // exact, or repeated: valid wherever trials end, and wider
	// Estimate is the rate, corrected for early stopping; nil without trials.
	Estimate *float64 `json:"estimate,omitempty"`
	// PassPow and PassAt are unbiased estimates of the probability that all, or any, of k trials pass, by k.
	PassPow map[string]float64 `json:"pass_pow,omitempty"`
	PassAt  map[string]float64 `json:"pass_at,omitempty"`
	// Flaky is why trials with the same input both passed and failed: the agent, or a judge with two verdicts on one
	// text; "": they did not.
	Flaky string `json:"flaky,omitempty"`
	// Alike says that all conversations are equal, word for word.
	Alike bool `json:"alike,omitempty"`
}

// The kinds of error bars.
const (
	BarExact    = "exact"
	BarRepeated = "repeated"
)

// The causes of flaky groups.
const (
	FlakyAgent = "agent"
	FlakyJudge = "judge"
)

// Early reports whether the group has a gate, or its trials may end early.
func (s *GateSpec) Early() bool { return s.Rule == RuleGate || !s.never() }

// Allowed reports whether the run may pass although the group is undecided: too few trials were planned, and that is
// allowed. It is never allowed if a budget or an interrupt stopped the trials.
func (g *Gate) Allowed() bool {
	return g.AllowUndecided && g.spent()
}

// spent reports whether an undecided group has run all its trials, or no further ones could decide it.
func (g *Gate) spent() bool {
	return g.Verdict == Undecided && g.Counted > 0 && (g.Reason == ReasonMax || g.Reason == ReasonCertain)
}

// Unmended reports whether the group was red in the baseline, and its first trials pass: too few to show that it is
// fixed.
func (g *Gate) Unmended() bool {
	return g != nil && g.Verdict == Undecided && g.Reason == ReasonBaseline
}

// cutShort reports whether the group is undecided because a limit or an interrupt ended the run. Then it has not
// failed.
func (g *Gate) cutShort() bool {
	return g.Verdict == Undecided && (g.Reason == ReasonBudget || g.Reason == ReasonStopped)
}

// counts counts the trials that count.
func (g *Gate) counts() gate.Counts {
	return gate.Counts{Passed: g.Passed, Failed: g.Failed, Broken: g.Broken}
}

// About estimates how many trials would decide an undecided gate; 0: the rate is too near the line, or not known.
func (g *Gate) About() int {
	if g.Verdict != Undecided || g.Rule != RuleGate || g.Counted == 0 {
		return 0
	}
	n, ok := (&gate.Gate{Rule: g.rule()}).About(g.counts())
	if !ok {
		return 0
	}
	return n
}
