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
	RuleGate  GateRule = "gate"  // the trials conclude whether the agent passes often enough
	RuleCount GateRule = "count" // each assertion has to hold in its share of the trials
)

// GateSpec is how the trials of a group end, and what is concluded from them.
type GateSpec struct {
	Rule       GateRule `json:"rule"`
	PassRate   float64  `json:"pass_rate,omitempty"` // of a gate: the line
	Tolerance  float64  `json:"tolerance,omitempty"` // of a gate: rates down to pass_rate - tolerance may pass too
	Confidence float64  `json:"confidence"`          // of a claim about the rate, and of each end of the bar
	Max        int      `json:"max"`                 // the most trials that count
	Min        int      `json:"min"`                 // no verdict before that many
	Block      int      `json:"block"`               // trials of a whole turn of the variants
	Stop       GateStop `json:"stop"`                // whether they end as soon as the verdict is certain
	// Stage is the look at the first trials of a count that stops by a baseline; nil: it does not.
	Stage *Stage `json:"stage,omitempty"`
	// AllowUndecided says that a run may pass without a verdict on the group.
	AllowUndecided bool `json:"allow_undecided,omitempty"`
	// Weakened is why the verdict of a gate is wrong more often than Confidence says; "": it is not.
	Weakened Weakening `json:"weakened,omitempty"`
}

// GateStop says when the trials of a group end.
type GateStop string

// When trials end.
const (
	StopEarly GateStop = "early" // as soon as the verdict is certain
	StopNever GateStop = "never" // after all of them: there is one look
	// StopBaseline: after the first ones, where these look no worse than the baseline did.
	StopBaseline GateStop = "baseline"
)

// never reports whether there is only one look.
func (s *GateSpec) never() bool { return s.Stop == StopNever }

// DefaultConfidence is that of a group that names none.
const DefaultConfidence = 0.95

// Rejections is how many trials of a group may be replaced because the provider refused them: with one more, the group
// is an error.
func (s *GateSpec) Rejections() int {
	if s.Rule != RuleGate {
		return 0
	}
	return max(leastRejections, s.Max/10)
}

// leastRejections is that of small groups; as many in a row at the start of any group say that the provider is down.
const leastRejections = 3

// Slots are the numbers that trials of the group may have: as many as count, and those that replace others.
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

// Gate returns the gate of the group; nil for a count. A file may hold one that cannot be.
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

// GatedGroup is a group of a plan whose trials may end before all that there could be have run.
type GatedGroup struct {
	File     string `json:"file"` // of the scenario
	Scenario string `json:"scenario"`
	Provider string `json:"provider"`
	Region   string `json:"region"`
	Row      string `json:"row,omitempty"` // of a dataset, where each is a group
	First    int    `json:"first"`         // plan index of its trial with the number 1
	// Recorded says that no more trials can be had than there are: they were judged again, or replayed.
	Recorded bool `json:"recorded,omitempty"`
	Trials   int  `json:"trials,omitempty"` // that are there, of one that is Recorded
	GateSpec
}

// Gated are the groups of a run whose trials may have ended early, as a report has them.
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
	ReasonCertain   GateReason = "certain"   // those that were left could not change the verdict
	ReasonMax       GateReason = "max"       // all of them ran
	ReasonBaseline  GateReason = "baseline"  // the first ones look no worse than the baseline did
	ReasonBudget    GateReason = "budget"    // the limit of trials or of costs
	ReasonStopped   GateReason = "stopped"   // the run was stopped
	ReasonErrors    GateReason = "errors"    // too many of them broke
	ReasonRecording GateReason = "recording" // more were needed than were recorded
	ReasonSkipped   GateReason = "skipped"   // the scenario is skipped
)

// GateReasons are all of them.
func GateReasons() []GateReason {
	return []GateReason{
		ReasonLine, ReasonCertain, ReasonMax, ReasonBaseline, ReasonBudget, ReasonStopped, ReasonErrors, ReasonRecording,
		ReasonSkipped,
	}
}

// Gate is what the trials of a group say about the rate at which the agent passes.
type Gate struct {
	GateSpec

	Verdict   Status     `json:"verdict"`              // of the trials; the status of the group
	Reason    GateReason `json:"reason"`               // why they ended
	DecidedAt int        `json:"decided_at,omitempty"` // number of the trial after which; 0: nothing was decided
	Counted   int        `json:"counted"`              // trials that the verdict is about: the first ones, by number
	Passed    int        `json:"passed"`               // of these
	Failed    int        `json:"failed"`               // the same
	Broken    int        `json:"broken"`               // the same: those without a verdict, which speak for nothing
	Replaced  int        `json:"replaced,omitempty"`   // trials that the provider refused, and others replaced
	Beyond    int        `json:"beyond,omitempty"`     // trials after the decision, or after one that is missing
	Saved     int        `json:"saved,omitempty"`      // trials that the verdict did not need

	// Low and High are the error bar: the rates that fit the trials, each end wrong in at most 1 - confidence of runs.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Bar  string  `json:"bar"` // exact, or repeated: one that holds wherever trials end, and is wider
	// Estimate is the rate without the error that stopping early makes; nil without trials.
	Estimate *float64 `json:"estimate,omitempty"`
	// PassPow and PassAt are the chances that all, or any, of k trials pass, by k, without error on average.
	PassPow map[string]float64 `json:"pass_pow,omitempty"`
	PassAt  map[string]float64 `json:"pass_at,omitempty"`
	// Flaky is why trials of the same input both passed and failed: the agent, or a judge who gave the same words two
	// verdicts; "": they did not.
	Flaky string `json:"flaky,omitempty"`
	// Alike says that all conversations are the same, word for word.
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

// Early reports whether the trials of the group may end before all have run, or a gate concludes from them.
func (s *GateSpec) Early() bool { return s.Rule == RuleGate || !s.never() }

// Allowed reports whether a run may pass although the group is undecided: too few trials for a verdict were planned,
// and that is allowed. A group whose trials were stopped by a budget or an interrupt is never allowed.
func (g *Gate) Allowed() bool {
	return g.AllowUndecided && g.spent()
}

// spent reports whether the trials of an undecided group are all that there could be, or no others could decide it.
func (g *Gate) spent() bool {
	return g.Verdict == Undecided && g.Counted > 0 && (g.Reason == ReasonMax || g.Reason == ReasonCertain)
}

// Unmended reports whether the group was red in the baseline, and its first trials pass: these are too few to show that
// it is mended.
func (g *Gate) Unmended() bool {
	return g != nil && g.Verdict == Undecided && g.Reason == ReasonBaseline
}

// cutShort reports whether the group is undecided because a limit or an interrupt ended the run. Then it has not
// failed.
func (g *Gate) cutShort() bool {
	return g.Verdict == Undecided && (g.Reason == ReasonBudget || g.Reason == ReasonStopped)
}

// counts are those of the trials that count.
func (g *Gate) counts() gate.Counts {
	return gate.Counts{Passed: g.Passed, Failed: g.Failed, Broken: g.Broken}
}

// About is how many trials would likely decide an undecided gate; 0: the rate is too near the line, or not known.
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
