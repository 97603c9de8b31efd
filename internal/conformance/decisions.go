package conformance

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// decisionTopics are the vectors about the names of parameters, and about what a group of trials decides.
func decisionTopics() []Topic {
	return []Topic{NewTopic("param_aliases", judgeAliases), NewTopic("trials", judgeTrials)}
}

type aliasVector struct {
	Head
	Type   string          `json:"type"`
	Params json.RawMessage `json:"params"`
	Expect struct {
		Canonical jsonvalue.Object `json:"canonical"` // others may be there too
	} `json:"expect"`
}

func judgeAliases(_ context.Context, v *aliasVector, r *Report) error {
	got, err := checks.CanonicalParams(v.Type, v.Params)
	if err != nil {
		return err
	}
	r.asked++
	for _, name := range slices.Sorted(maps.Keys(v.Expect.Canonical)) {
		want, found := text(v.Expect.Canonical[name]), "nothing"
		if value, ok := got[name]; ok {
			found = text(value)
		}
		That(r, name, &want, found)
	}
	return nil
}

type trialsVector struct {
	Head
	Threshold *float64 `json:"pass_threshold"`
	Results   []bool   `json:"results"`
	Expect    struct {
		PassRate  *float64 `json:"pass_rate"`
		Flakiness *float64 `json:"flakiness"`
		Passed    *bool    `json:"passed"`
	} `json:"expect"`
}

// judgeTrials runs one assertion over trials through the collector of a run.
func judgeTrials(_ context.Context, v *trialsVector, r *Report) error {
	var c result.Collector
	for i, passed := range v.Results {
		verdict := result.Verdict{Type: "vector", Status: result.Failed, PassThreshold: v.Threshold}
		if passed {
			verdict.Status = result.Passed
		}
		t := &result.Trial{
			Index: i, Trial: i + 1, Trials: max(len(v.Results), 2), // one alone is no group
			Conversation: []result.Verdict{verdict},
		}
		t.Settle()
		c.Add(t)
	}
	run := &result.Run{Planned: len(v.Results)}
	c.Finish(run)
	for _, group := range run.Groups {
		for _, stats := range group.Assertions {
			Near(r, "pass_rate", v.Expect.PassRate, stats.PassRate)
			Near(r, "flakiness", v.Expect.Flakiness, stats.Flakiness)
			That(r, "passed", v.Expect.Passed, stats.Status == result.Passed)
		}
	}
	return nil
}
