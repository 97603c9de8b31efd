package result

import "github.com/arena-evals/arena/internal/chat"

// Composition is the steps of a composition that answered the user.
type Composition struct {
	Name   string `json:"name"`
	Output any    `json:"output,omitempty"` // text, or a value; absent: none
	Error  string `json:"error,omitempty"`
	Steps  []Step `json:"steps"` // in the order of the file; steps of a parallel step come after it
}

// Step is one step of a composition. Steps after a failed one are not included.
type Step struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`             // prompt, agent, tool, branch or parallel
	Within   string `json:"within,omitempty"` // the parallel step that it belongs to
	Prompt   string `json:"prompt_task,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Skipped  bool   `json:"skipped,omitempty"`
	Attempts int    `json:"attempts"` // 0: the step did not run
	Input    any    `json:"input,omitempty"`
	Output   any    `json:"output,omitempty"` // text, or a value; absent: none
	Target   string `json:"target,omitempty"` // of a branch: the step that it chose
	Status   string `json:"status,omitempty"` // of a parallel step: complete, or failed
	Error    string `json:"error,omitempty"`

	Usage     *chat.Usage `json:"usage,omitempty"` // of all attempts; absent: no model was called
	Calls     int         `json:"model_calls,omitempty"`
	CostUSD   *float64    `json:"cost_usd,omitempty"` // absent: not known, or no model was called
	LatencyMS float64     `json:"latency_ms"`         // of all attempts
	// Messages are those of the last attempt. They are not part of the conversation.
	Messages []chat.Message `json:"messages,omitempty"`
	// Failed are the attempts before the last one, in their order. They are paid for, and nothing of them counts but what
	// their tools did.
	Failed []FailedAttempt `json:"failed_attempts,omitempty"`
}

// FailedAttempt is an attempt of a step that was repeated.
type FailedAttempt struct {
	Error    string         `json:"error"`
	Messages []chat.Message `json:"messages"`
}

// Said yields the messages of all attempts, in their order.
func (s *Step) Said(yield func(*chat.Message) bool) {
	for i := range s.Failed {
		for k := range s.Failed[i].Messages {
			if !yield(&s.Failed[i].Messages[k]) {
				return
			}
		}
	}
	for i := range s.Messages {
		if !yield(&s.Messages[i]) {
			return
		}
	}
}

// The statuses of a parallel step.
const (
	ParallelComplete = "complete"
	ParallelFailed   = "failed"
)

// Step returns the step with an id; nil: none.
func (c *Composition) Step(id string) *Step {
	if c == nil {
		return nil
	}
	for i := range c.Steps {
		if c.Steps[i].ID == id {
			return &c.Steps[i]
		}
	}
	return nil
}

// holds reports whether the step that made a call records it. Runs of old versions recorded only the last attempt.
func (c *Composition) holds(call *ToolCall) bool {
	step := c.Step(call.Step)
	if step == nil {
		return false
	}
	for m := range step.Said {
		if m.ToolResult != nil && m.ToolResult.Name == call.Name {
			return true
		}
	}
	return step.Attempts > 1 && len(step.Failed) == 0
}
