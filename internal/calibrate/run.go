package calibrate

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/result"
)

// Judge is the judge to calibrate, with its check.
type Judge struct {
	Check   *checks.Compiled
	Judges  grading.Judges
	Prompts *grading.Prompts // of the project; nil: none
}

// Status is the agreement between a judgement and its label.
type Status string

// The statuses.
const (
	Agrees    Status = "agree"
	Disagrees Status = "disagree"
	Broken    Status = "error"     // the judge made no decision
	Stopped   Status = "cancelled" // the judge was not asked, or did not finish
)

// Outcome is the judgement of one example.
type Outcome struct {
	*Example
	Status  Status
	Verdict result.Verdict
}

// Judged reports the judge's decision. It is meaningful only when the status is Agrees or Disagrees.
func (o *Outcome) Judged() bool { return o.Verdict.Status == result.Passed }

// Run judges every example, at most jobs at once, and returns the outcomes in the order of the examples. It calls done,
// which may be nil, for each outcome, never concurrently. Examples that are not judged when ctx ends are Stopped.
func Run(ctx context.Context, j *Judge, examples []Example, jobs int, done func(*Outcome)) []Outcome {
	out := make([]Outcome, len(examples))
	var telling sync.Mutex
	var g errgroup.Group
	g.SetLimit(max(jobs, 1))
	for i := range examples {
		g.Go(func() error {
			out[i] = j.decide(ctx, &examples[i])
			if done != nil {
				telling.Lock()
				defer telling.Unlock()
				done(&out[i])
			}
			return nil
		})
	}
	_ = g.Wait() // the goroutines return no error
	return out
}

func (j *Judge) decide(ctx context.Context, e *Example) Outcome {
	o := Outcome{Example: e, Status: Stopped}
	if ctx.Err() != nil {
		return o
	}
	o.Verdict = j.Check.Judge(ctx, j.subject(e))
	switch v := &o.Verdict; {
	case v.Status == result.Passed && e.Pass, v.Status == result.Failed && !e.Pass:
		o.Status = Agrees
	case v.Status == result.Passed, v.Status == result.Failed:
		o.Status = Disagrees
	case v.Status == result.Skipped:
		o.Status, v.Error = Broken, "the judge was not asked: "+v.SkipReason
	case ctx.Err() == nil && v.Status != result.Cancelled:
		o.Status = Broken
	}
	return o
}

// subject returns an example as a conversation of one turn. It has no user message when the example has no input.
func (j *Judge) subject(e *Example) *checks.Subject {
	var messages []chat.Message
	if e.Input != "" {
		messages = append(messages, chat.Message{Role: chat.User, Content: e.Input})
	}
	messages = append(messages, chat.Message{Role: chat.Assistant, Content: e.Text})
	return &checks.Subject{
		Messages: messages, Judges: j.Judges, JudgePrompts: j.Prompts, Metadata: e.Fields,
	}
}
