package grading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Against is the detail of a verdict that holds what the answer says against what it scores.
const Against = "against"

// Grade is the combined result of the votes of a judge.
type Grade struct {
	Score       float64          // 0..1
	Explanation string           // one line
	Details     jsonvalue.Object // never nil
}

// failedVotes is why the votes cannot be counted; nil when they can.
func failedVotes(votes []vote) error {
	failed := slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return v.err == nil })
	switch {
	case len(failed) == 0:
		return nil
	case len(votes) == 1:
		return failed[0].err
	}
	numbers := make([]string, len(failed))
	for i := range failed {
		numbers[i] = fmt.Sprint(failed[i].number)
	}
	noun := "vote"
	if len(failed) > 1 {
		noun = "votes"
	}
	return fmt.Errorf("%s %s of %d failed: %w", noun, strings.Join(numbers, ", "), len(votes), failed[0].err)
}

// gradeOfVotes combines votes, all of them usable. The reasoning is that of the first vote nearest to the median.
func gradeOfVotes(votes []vote) Grade {
	scores := make([]float64, len(votes))
	for i := range votes {
		scores[i] = votes[i].opinion.Score
	}
	score := median(scores)
	spokesman := &votes[0]
	for i := range votes {
		if distance(votes[i].opinion.Score, score) < distance(spokesman.opinion.Score, score) {
			spokesman = &votes[i]
		}
	}
	o := &spokesman.opinion
	first := &votes[0].judgements[0]
	f := Grade{Score: score, Explanation: o.explanation(score), Details: jsonvalue.Object{
		"score": score, "reasoning": o.Reasoning, "judge": cmp.Or(first.Judge, first.Provider), "latency_ms": slowest(votes),
	}}
	if first.Model != "" {
		f.Details["model"] = first.Model
	}
	if o.passed != nil {
		f.Details["passed"] = *o.passed
	}
	if o.Against != "" {
		f.Details[Against] = o.Against
	}
	if o.verdict != "" {
		f.Details["verdict"], f.Details["evidence"] = verdictWord(score), o.evidence
	}
	if len(votes) > 1 {
		f.Details["votes"] = scores
	}
	if cost, known := costOf(votes); known {
		f.Details["cost_usd"] = cost
	}
	return f
}

// explanation is the reasoning, in one line.
func (o *Opinion) explanation(score float64) string {
	text := say.Reason(o.Reasoning)
	if text == "" {
		text = "the judge gave no reason"
	}
	if o.verdict != "" && verdictWord(score) == verdictUncertain {
		text = verdictUncertain + ": " + text
	}
	return text
}

// median is the middle of some numbers, or the mean of the two in the middle.
func median(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func distance(a, b float64) float64 { return max(a-b, b-a) }

// slowest is the time of the vote that took longest; votes are taken at the same time.
func slowest(votes []vote) (ms float64) {
	for i := range votes {
		took := 0.0
		for j := range votes[i].judgements {
			took += votes[i].judgements[j].LatencyMS
		}
		ms = max(ms, took)
	}
	return ms
}

// costOf sums the costs of all calls; known is false if one is unknown.
func costOf(votes []vote) (usd float64, known bool) {
	for i := range votes {
		for j := range votes[i].judgements {
			cost := votes[i].judgements[j].CostUSD
			if cost == nil {
				return 0, false
			}
			usd += *cost
		}
	}
	return usd, true
}

// verdictWord is the verdict that a score means.
func verdictWord(score float64) string {
	switch score {
	case 1:
		return verdictPass
	case 0:
		return verdictFail
	}
	return verdictUncertain
}
