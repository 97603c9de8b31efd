package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

// fakeJudges is a judge with prepared replies. A vote gets the reply with its number, a repair the following one, and
// the last reply serves all later calls.
type fakeJudges struct {
	replies []string
	failure string
	finish  string

	mu    sync.Mutex
	asked []grading.Question
	uses  []grading.JudgeUse
}

// judgesSaying are judges with these replies; nil without any.
func judgesSaying(replies ...string) *fakeJudges {
	return &fakeJudges{replies: replies, finish: "stop"}
}

func (f *fakeJudges) Ask(ctx context.Context, use grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	f.mu.Lock()
	f.asked, f.uses = append(f.asked, *q), append(f.uses, use)
	f.mu.Unlock()
	a := grading.Answer{
		Key: fmt.Sprintf("vote %d of %d messages", q.Vote, len(q.Messages)), Judge: "strict", Provider: "openai-judge",
		Model: "gpt-4o-mini", Usage: chat.Usage{InputTokens: 100, OutputTokens: 20}, CostUSD: new(0.25), LatencyMS: 5,
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	if f.failure != "" {
		return a, errors.New(f.failure)
	}
	round := (len(q.Messages) - 2) / 2
	a.Text, a.FinishReason = f.replies[min(q.Vote+round, len(f.replies)-1)], f.finish
	return a, nil
}

// prompts are the texts of all messages that the judge got, in the order of the votes.
func (f *fakeJudges) prompts() (texts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.asked)
	slices.SortStableFunc(all, func(a, b grading.Question) int { return a.Vote - b.Vote })
	for _, q := range all {
		for _, m := range q.Messages {
			texts = append(texts, m.Content)
		}
	}
	return texts
}
