package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

// gatedGroup is a group of trials that may end early. Each letter of outcomes is a trial, repeated until the group is
// over: p passed, f failed, b broke, r refused by the provider before an answer.
type gatedGroup struct {
	scenario, provider, outcomes string
	spec                         result.GateSpec
	beyond                       string // trials that ran although they were not needed
	stopped                      int    // no more than so many trials ran; 0: all that were needed
}

func gateOf(rate, tolerance float64, most int) result.GateSpec {
	return result.GateSpec{
		Rule: result.RuleGate, PassRate: rate, Tolerance: tolerance, Confidence: result.DefaultConfidence, Max: most,
		Min: 1, Block: 1, Stop: result.StopEarly,
	}
}

// allowedGroup is undecided, and may be.
func allowedGroup() gatedGroup {
	s := gatedGroup{scenario: "order-status", provider: "claude-haiku", outcomes: "pppfpp", spec: gateOf(0.8, 0, 50)}
	s.spec.AllowUndecided = true
	return s
}

// Gated is groups whose trials end early: one of each verdict, of each kind of trial, and counts beside them.
func Gated() *result.Run {
	count := gateOf(0, 0, 20)
	count.Rule = result.RuleCount
	groups := []gatedGroup{
		{scenario: "refund-happy-path", provider: "gpt-4o-mini", outcomes: "p", spec: gateOf(0.8, 0, 50)},
		{scenario: "refund-outside-window", provider: "gpt-4o-mini", outcomes: "pfpffff", spec: gateOf(0.8, 0, 50)},
		{scenario: "order-status", provider: "gpt-4o-mini", outcomes: "ppppppfpp", spec: gateOf(0.8, 0, 50)},
		allowedGroup(),
		{
			scenario: "address-change", provider: "gpt-4o-mini", outcomes: "prppfppppppppppb", spec: gateOf(0.9, 0.2, 50),
			beyond: "pf",
		},
		{scenario: "ticket", provider: "gpt-4o-mini", outcomes: "r", spec: gateOf(0.8, 0, 50)},
		{scenario: "opening-hours", provider: "gpt-4o-mini", outcomes: "ppf", spec: count},
	}
	return gatedRun("support", groups...)
}

// AllGated is a run in which every gate passed, or is undecided and may be.
func AllGated() *result.Run {
	return gatedRun("support",
		gatedGroup{scenario: "refund-happy-path", provider: "gpt-4o-mini", outcomes: "pppppppf", spec: gateOf(0.7, 0, 50)},
		allowedGroup())
}

// HostileGate is a gate of a scenario with a hostile name, stopped after a few of its trials.
func HostileGate() *result.Run {
	return gatedRun(Poison,
		gatedGroup{scenario: Poison, provider: Poison, outcomes: "pf", spec: gateOf(0.8, 0, 50), stopped: 4})
}

func gatedRun(name string, groups ...gatedGroup) *result.Run {
	var gated []result.GatedGroup
	var trials []*result.Trial
	for i := range groups {
		g := &groups[i]
		gated = append(gated, result.GatedGroup{
			File: gatedFile, Scenario: g.scenario, Provider: g.provider, Region: "default", First: len(trials),
			GateSpec: g.spec,
		})
		trials = append(trials, g.trials()...)
	}
	planned := 0
	for i := range groups {
		planned += groups[i].spec.Max
	}
	for i := range 3 {
		trials, planned = append(trials, repetition("gpt-4o", i+1, 3, i != 1, 0.6)), planned+1
	}
	trials, planned = append(trials, greeting("gpt-4o-mini")), planned+1
	return gatedFold(name, planned, gated, trials)
}

const gatedFile = "scenarios/gated.yaml"

// trials are those of the group, until it is over.
func (s *gatedGroup) trials() (all []*result.Trial) {
	progress := result.NewProgress(s.spec)
	for n := 1; !progress.Over() && (s.stopped == 0 || n <= s.stopped); n++ {
		t := s.trial(n, s.outcomes[(n-1)%len(s.outcomes)])
		t.Settle()
		progress.Add(t)
		all = append(all, t)
	}
	for i := range len(s.beyond) {
		all = append(all, s.trial(len(all)+1, s.beyond[i]))
	}
	return all
}

func (s *gatedGroup) trial(n int, outcome byte) *result.Trial {
	v := passed("contains", gatedFile, 14, "1 of 1 patterns found")
	reply := fmt.Sprintf("Order A-100%d arrives on Thursday.", n%5)
	if outcome == 'f' {
		reply = fmt.Sprintf("Order A-100%d is on its way.", n%5)
		v = failed("contains", gatedFile, 14, 0, `missing "Thursday"`)
	}
	talk := turn("Where is my order?", agentReply(reply))
	talk.Assertions = []result.Verdict{v}
	turns := []result.Turn{talk}
	if outcome == 'b' || outcome == 'r' {
		turns = nil
	}
	t := trial(gatedFile, 3, s.scenario, s.provider, turns...)
	switch outcome {
	case 'b':
		t.Error = "no reply in 60s"
	case 'r':
		t.Error, t.Rejected = "the provider allows no more calls this minute", true
	}
	t.ID = fmt.Sprintf("%s/%s/default#%d", s.scenario, s.provider, n)
	if s.scenario == Poison {
		t.ID = fmt.Sprintf("gate/mock/default#%d", n)
	}
	t.Trial, t.Trials = n, s.spec.Max
	return t
}
