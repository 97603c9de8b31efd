package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var directionalDef = define[directionalParams](Def{
	Name:    "directional",
	Summary: "The run went as a baseline did: with the same tools called, to the same state, or with a similar reply.",
	Scoring: "1 when the two are equal or there is nothing to compare with, else 0; for similar_content the words in " +
		"common / all words, which passes from threshold on.",
	Family:   FamilyBehaviour,
	Surfaces: OnEval,
	Needs:    NeedsReply | NeedsCalls,
	Decides:  true,
})

type directionalParams struct {
	Check string `param:"check,required" words:"same_tool_calls,same_outcome,similar_content" doc:"What is compared."`

	BaselineTools   []string `param:"baseline_tools" is:"tool" doc:"For same_tool_calls: names; order and repeats do not matter."`
	BaselineState   *string  `param:"baseline_state" is:"state" doc:"For same_outcome: the state of the workflow."`
	BaselineContent *string  `param:"baseline_content" is:"prose" doc:"For similar_content: the reply of the baseline."`
	Threshold       float64  `param:"threshold" default:"0.5" min:"0" max:"1" doc:"For similar_content: what passes."`
}

var baselines = map[string]string{
	"same_tool_calls": "baseline_tools", "same_outcome": "baseline_state", "similar_content": "baseline_content",
}

func (p directionalParams) Build(b *binder) Check {
	warnComparand(b, "check", p.Check, baselines)
	c := &directional{directionalParams: p, limited: b.read["threshold"] != nil}
	if p.Threshold <= slack {
		kind := asksNothing
		if p.Check == "similar_content" {
			kind = limitHolds
		}
		b.noteVacuous("threshold", kind, "every reply is as similar as that")
	}
	if p.BaselineContent != nil {
		c.words = distinctWords(*p.BaselineContent)
		if len(c.words) == 0 {
			b.errorf("baseline_content", "empty-value", "baseline_content has no words")
		}
	}
	return c
}

type directional struct {
	directionalParams
	words   map[string]bool // of the baseline
	limited bool            // the author gave the threshold
}

func (c *directional) limitedItself() bool { return c.limited }

func (c *directional) hides(s *Subject) bool {
	return c.Check == "similar_content" && s.takenOut(ReadsReply)
}

func (c *directional) Eval(_ context.Context, s *Subject) (f Finding, err error) {
	switch {
	case c.Check == "same_tool_calls" && c.BaselineTools != nil:
		f = sameTools(s.Calls, c.BaselineTools)
	case c.Check == "same_outcome" && c.BaselineState != nil:
		f, err = sameState(s.Workflow, *c.BaselineState)
	case c.Check == "similar_content" && c.BaselineContent != nil:
		f = c.similar(s.Output())
	default:
		f = nothingToCompare(baselines[c.Check])
	}
	if err == nil {
		f.Details["check"] = c.Check
	}
	return f, err
}

// similar compares two texts by the Jaccard index of their words.
func (c *directional) similar(text string) Finding {
	words := distinctWords(text)
	common := 0
	for w := range words {
		if c.words[w] {
			common++
		}
	}
	all := len(words) + len(c.words) - common
	score := textmeasure.Share(common, all)
	holds := score >= c.Threshold-slack
	return Finding{
		Score: score, Holds: &holds,
		Explanation: fmt.Sprintf("%d of %s in common", common, plural.Count(all, "word")),
		Details:     Details{"common_words": common, "all_words": all, "threshold": c.Threshold},
	}
}

// distinctWords returns the words of a text, separated by spaces, in lower case.
func distinctWords(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		set[w] = true
	}
	return set
}
