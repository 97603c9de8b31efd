package result

import "github.com/arena-evals/arena/internal/diag"

// VerdictGiven is the verdict on one assertion, including one that was never evaluated.
type VerdictGiven struct {
	At          `json:"-"`
	Index       int      `json:"index" doc:"Place among the assertions of the turn, or of the conversation, from 0."`
	Type        string   `json:"type" doc:"Type of the check, as its author wrote it."`
	Check       string   `json:"check,omitempty" doc:"The check that was run, where the type only wraps it."`
	Status      Status   `json:"status" doc:"The decision."`
	Score       *float64 `json:"score" doc:"0 to 1; null when nothing could be judged."`
	MinScore    *float64 `json:"min_score,omitempty" doc:"The least score that passes."`
	MaxScore    *float64 `json:"max_score,omitempty" doc:"The highest score that passes."`
	Message     string   `json:"message,omitempty" doc:"The author's label."`
	Explanation string   `json:"explanation,omitempty" doc:"What was seen."`
	Error       string   `json:"error,omitempty" doc:"Why nothing could be judged."`
	SkipReason  string   `json:"skip_reason,omitempty" doc:"Why it was not asked."`
	DurationMS  float64  `json:"duration_ms" doc:"Time that the check took."`
	Position    diag.Pos `json:"position" doc:"Where the check is written."`
}

// VerdictGivenOf returns the event for a verdict.
func VerdictGivenOf(v *Verdict, at At, index int) VerdictGiven {
	return VerdictGiven{
		At: at, Index: index, Type: v.Type, Check: v.Check, Status: v.Status, Score: v.Score, MinScore: v.MinScore,
		MaxScore: v.MaxScore, Message: v.Message, Explanation: v.Explanation, Error: v.Error, SkipReason: v.SkipReason,
		DurationMS: v.DurationMS, Position: v.Position,
	}
}

// ValidationFailed is a guardrail that fired on a message, or that could not judge it.
type ValidationFailed struct {
	At           `json:"-"`
	Type         string   `json:"validator_type" doc:"Type of the check, as its author wrote it."`
	Status       Status   `json:"status" doc:"failed, or error where it could not judge."`
	Score        *float64 `json:"score" doc:"0 to 1; null when nothing could be judged."`
	Direction    string   `json:"direction" doc:"Whose words: input for the user's, output for the agent's."`
	Action       Action   `json:"action" doc:"What it did: recorded, replaced, cut or blocked."`
	MonitorOnly  bool     `json:"monitor_only,omitempty" doc:"It only watches."`
	MessageIndex int      `json:"message_index" doc:"Place of the message in the transcript, from 0."`
	StreamClosed bool     `json:"stream_closed,omitempty" doc:"The reply was still being written; its rest never came."`
	TokensSaved  *int     `json:"tokens_saved,omitempty" doc:"What the rest would have taken at most."`
	Message      string   `json:"message,omitempty" doc:"The author's label."`
	Explanation  string   `json:"explanation,omitempty" doc:"What was seen."`
	Error        string   `json:"error,omitempty" doc:"Why nothing could be judged."`
	Position     diag.Pos `json:"position" doc:"Where the guardrail is written."`
}

// ValidationFailedOf returns the event for a guardrail that fired on the message with an index in the transcript.
func ValidationFailedOf(f *Firing, at At, index int) ValidationFailed {
	v := &f.Verdict
	return ValidationFailed{
		At: at, Type: v.Type, Status: v.Status, Score: v.Score, Direction: f.Direction, Action: f.Action,
		MonitorOnly: f.MonitorOnly, MessageIndex: index, StreamClosed: f.StreamClosed, TokensSaved: f.TokensSaved,
		Message: v.Message, Explanation: v.Explanation, Error: v.Error, Position: v.Position,
	}
}

// EvalCompleted is the result of an eval that judged or was skipped.
type EvalCompleted struct {
	At          `json:"-"`
	ID          string   `json:"eval_id" doc:"Id of the eval."`
	Type        string   `json:"type" doc:"Type of the check, as its author wrote it."`
	Trigger     string   `json:"trigger" doc:"When the eval fires."`
	Score       *float64 `json:"score" doc:"0 to 1; null when it was skipped."`
	Passed      bool     `json:"passed" doc:"There is no score, or it is full; with a threshold: it holds."`
	Status      Status   `json:"status,omitzero" doc:"What the threshold makes of it; absent without one."`
	MetricValue *float64 `json:"metric_value,omitempty" doc:"What was measured, where that is not the score."`
	Skipped     bool     `json:"skipped,omitempty" doc:"It was not asked."`
	SkipReason  string   `json:"skip_reason,omitempty" doc:"Why."`
	Message     string   `json:"message,omitempty" doc:"The author's label."`
	Explanation string   `json:"explanation,omitempty" doc:"What was seen."`
	DurationMS  float64  `json:"duration_ms" doc:"Time that it took."`
	Position    diag.Pos `json:"position" doc:"Where the eval is written."`
}

// EvalFailed is an eval that could not judge.
type EvalFailed struct {
	At         `json:"-"`
	ID         string   `json:"eval_id" doc:"Id of the eval."`
	Type       string   `json:"type" doc:"Type of the check, as its author wrote it."`
	Trigger    string   `json:"trigger" doc:"When the eval fires."`
	Error      string   `json:"error" doc:"Why nothing could be judged."`
	DurationMS float64  `json:"duration_ms" doc:"Time that it took."`
	Position   diag.Pos `json:"position" doc:"Where the eval is written."`
}

// EvalEvent returns the event for the result of an eval.
func EvalEvent(r *EvalResult, at At) Event {
	if r.Error != "" {
		return EvalFailed{
			At: at, ID: r.ID, Type: r.Type, Trigger: r.Trigger, Error: r.Error, DurationMS: r.DurationMS,
			Position: r.Position,
		}
	}
	passed := r.Score == nil || *r.Score >= 1
	if r.Gates() {
		passed = r.Status == Passed || r.Status == Skipped
	}
	return EvalCompleted{
		At: at, ID: r.ID, Type: r.Type, Trigger: r.Trigger, Score: r.Score, Passed: passed, Status: r.Status,
		MetricValue: r.MetricValue, Skipped: r.Skipped, SkipReason: r.SkipReason, Message: r.Message,
		Explanation: r.Explanation, DurationMS: r.DurationMS, Position: r.Position,
	}
}

// Kind implements Event.
func (VerdictGiven) Kind() EventKind { return KindVerdict }

// Kind implements Event.
func (ValidationFailed) Kind() EventKind { return KindValidationFailed }

// Kind implements Event.
func (EvalCompleted) Kind() EventKind { return KindEvalCompleted }

// Kind implements Event.
func (EvalFailed) Kind() EventKind { return KindEvalFailed }
