package result

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

func judgement(key string, in, out int, usd *float64) Judgement {
	return Judgement{Key: key, Usage: chat.Usage{InputTokens: in, OutputTokens: out}, CostUSD: usd}
}

func cached(key string, in, out int) Judgement {
	j := judgement(key, in, out, new(0.7))
	j.Cached = true
	return j
}

func mocked(key string, in, out int, usd float64) Judgement {
	j := judgement(key, in, out, &usd)
	j.Simulated = true
	return j
}

func judgedTrial(index int, all ...Judgement) *Trial {
	return &Trial{
		Index: index, ID: fmt.Sprint(index), Status: Passed, Trials: 1,
		Turns:        []Turn{{Assertions: []Verdict{{Status: Passed, Judgements: all}, {Status: Passed}}}},
		Conversation: []Verdict{{Status: Passed, Judgements: all}},
	}
}

func TestJudgesOfTrial(t *testing.T) {
	t.Parallel()
	usage := func(in, out int) chat.Usage { return chat.Usage{InputTokens: in, OutputTokens: out} }
	for _, c := range []struct {
		name string
		all  []Judgement // stand in a turn and at the end
		want *SideCost
	}{
		{"none", nil, nil},
		{"one, seen twice", []Judgement{judgement("a", 100, 10, new(0.25))},
			&SideCost{Usage: usage(100, 10), Calls: 1, CostUSD: new(0.25)}},
		{"two", []Judgement{judgement("a", 100, 10, new(0.1)), judgement("b", 1, 2, new(0.2))},
			&SideCost{Usage: usage(101, 12), Calls: 2, CostUSD: new(0.3)}},
		{"without a key each counts", []Judgement{judgement("", 1, 1, new(0.5))},
			&SideCost{Usage: usage(2, 2), Calls: 2, CostUSD: new(1.0)}},
		{"one of unknown price", []Judgement{judgement("a", 1, 1, new(0.5)), judgement("b", 1, 1, nil)},
			&SideCost{Usage: usage(2, 2), Calls: 2}},
		{"one that failed", []Judgement{judgement("a", 1, 1, new(0.5)), {Key: "b", Error: "down"}},
			&SideCost{Usage: usage(1, 1), Calls: 1, CostUSD: new(0.5)}},
		{"first in vain, then not", []Judgement{{Key: "a", Error: "down"}, judgement("a", 1, 1, new(0.5))},
			&SideCost{Usage: usage(1, 1), Calls: 1, CostUSD: new(0.5)}},
		{"from before, and paid again", []Judgement{cached("a", 1, 1), judgement("a", 2, 2, new(0.5))},
			&SideCost{Usage: usage(3, 3), Calls: 2, CostUSD: new(0.5)}},
		{"paid, and from before", []Judgement{judgement("a", 2, 2, new(0.5)), cached("a", 1, 1)},
			&SideCost{Usage: usage(3, 3), Calls: 2, CostUSD: new(0.5)}},
		{"for nothing", []Judgement{judgement("a", 1, 1, new(0.0))},
			&SideCost{Usage: usage(1, 1), Calls: 1, CostUSD: new(0.0)}},
		{"by a mock", []Judgement{mocked("a", 1, 1, 0.5)},
			&SideCost{Usage: usage(1, 1), Calls: 1, CostUSD: new(0.5), SimulatedUSD: 0.5}},
		{"by a mock and a model", []Judgement{mocked("a", 1, 1, 0.25), judgement("b", 1, 1, new(0.5))},
			&SideCost{Usage: usage(2, 2), Calls: 2, CostUSD: new(0.75), SimulatedUSD: 0.25}},
	} {
		if diff := cmp.Diff(c.want, JudgesOf(judgedTrial(0, c.all...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		guarded := &Trial{Turns: []Turn{{
			Guardrails: []Firing{{Verdict: Verdict{Judgements: c.all}}}, GuardJudgements: c.all,
		}}}
		if diff := cmp.Diff(c.want, JudgesOf(guarded)); diff != "" {
			t.Errorf("%s, for guardrails (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestJudgesOfRun adds the same trials in any order, and counts what they have in common once.
func TestJudgesOfRun(t *testing.T) {
	t.Parallel()
	const n = 200
	var trials []*Trial
	for i := range n {
		trials = append(trials, judgedTrial(i,
			judgement(fmt.Sprintf("%032x", i), 10, 1, new(0.1/float64(i+1))), judgement("shared", 5, 5, new(1e-7))))
	}
	var first *SideCost
	for round := range 5 {
		rand.New(rand.NewPCG(1, uint64(round))).Shuffle(n, func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		var c Collector
		for _, t := range trials {
			c.Add(t)
		}
		run := &Run{Planned: n}
		c.Finish(run)
		s := &run.Summary
		if first == nil {
			first = s.Judges
		}
		want := chat.Usage{InputTokens: 10*n + 5, OutputTokens: n + 5}
		if s.Judges == nil || s.Judges.Calls != n+1 || s.Judges.Usage != want || *s.Judges.CostUSD != *first.CostUSD ||
			s.JudgeUSD == nil || *s.JudgeUSD != *s.Judges.CostUSD {
			t.Fatalf("round %d: %+v", round, s)
		}
		if s.CostUSD != nil || s.Usage.Total() != 0 {
			t.Errorf("the judges stand in the bill of the agents: %v, %+v", s.CostUSD, s.Usage)
		}
	}
}

// TestOwnJudges: what each trial adds, an answer counted with the first that has it, comes to what the run spent.
func TestOwnJudges(t *testing.T) {
	t.Parallel()
	usage := func(in, out int) chat.Usage { return chat.Usage{InputTokens: in, OutputTokens: out} }
	shared := judgement("a", 1, 1, new(0.5))
	trials := []*Trial{
		judgedTrial(0, shared, mocked("m", 1, 2, 0.25)), judgedTrial(1, shared), judgedTrial(2),
		judgedTrial(3, shared, judgement("b", 4, 0, nil)), judgedTrial(4, judgement("b", 4, 0, nil), judgement("c", 1, 0, new(1.0))),
	}
	want := []*SideCost{
		{Usage: usage(2, 3), Calls: 2, CostUSD: new(0.75), SimulatedUSD: 0.25}, nil, nil,
		{Usage: usage(4, 0), Calls: 1}, {Usage: usage(1, 0), Calls: 1, CostUSD: new(1.0)},
	}
	var own, whole JudgeSum
	for i, trial := range trials {
		if diff := cmp.Diff(want[i], own.Own(trial)); diff != "" {
			t.Errorf("trial %d (-want +got):\n%s", i, diff)
		}
		whole.Add(trial)
	}
	if diff := cmp.Diff(whole.Total(), own.Total()); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
}

// TestSimulatedOfRun: the cost of a run says which part of it mocks made up.
func TestSimulatedOfRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		trials []Trial
		want   float64
	}{
		{"all", []Trial{{CostUSD: new(0.25), Simulated: true}, {CostUSD: new(0.5), Simulated: true}}, 0.75},
		{"a part", []Trial{{CostUSD: new(0.25), Simulated: true}, {CostUSD: new(0.5)}}, 0.25},
		{"none", []Trial{{CostUSD: new(0.25)}, {CostUSD: new(0.5)}}, 0},
		{"of unknown price", []Trial{{Simulated: true}, {CostUSD: new(0.5)}}, 0},
	} {
		var all Collector
		for i := range c.trials {
			c.trials[i].Index, c.trials[i].ID, c.trials[i].Trials, c.trials[i].Status = i, fmt.Sprint(i), 1, Passed
			all.Add(&c.trials[i])
		}
		run := &Run{Planned: len(c.trials)}
		all.Finish(run)
		if got := run.Summary.SimulatedUSD; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestJudgesOfKeptTrials: what trials that are kept asked is no part of what the others spend.
func TestJudgesOfKeptTrials(t *testing.T) {
	t.Parallel()
	var s JudgeSum
	s.Skip(judgedTrial(0, judgement("a", 1, 1, new(0.5)), judgement("", 1, 1, new(0.5))))
	if s.Total() != nil {
		t.Errorf("%+v is counted", s.Total())
	}
	s.Add(judgedTrial(1, judgement("a", 1, 1, new(0.5)), judgement("a-2", 2, 2, new(0.25))))
	if sum := s.Total(); sum == nil || sum.Calls != 1 || *sum.CostUSD != 0.25 {
		t.Errorf("%+v", sum)
	}
}

func TestShortKeys(t *testing.T) {
	t.Parallel()
	seen := map[[16]byte]string{}
	for _, key := range []string{
		"00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeefe", "0011223344556677", "x",
		"zz112233445566778899aabbccddeeff", "00112233445566778899aabbccddeezz",
	} {
		short := shortKey(key)
		if other, taken := seen[short]; taken {
			t.Errorf("%s and %s are the same", key, other)
		}
		seen[short] = key
	}
}
