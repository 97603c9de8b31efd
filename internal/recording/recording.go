// Package recording reads recorded conversations of arena and other tools, and writes them. Every format becomes a
// Session. The format is detected by content, not by file name.
package recording

import (
	"encoding/json"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Session is one recorded conversation. It has at least one message.
type Session struct {
	File   string
	Format Format

	ID       string // unique in its file
	Scenario string
	Provider string
	Model    string
	Region   string
	Tags     []string
	Labels   map[string]string
	TaskType string    // of the prompt; "": not known
	Started  time.Time // zero: not known
	// Metadata is additional information of the source about the conversation, under its own names; nil: none.
	Metadata jsonvalue.Object
	// Workflow is the path through a workflow, as the source recorded it; nil: only the messages show it.
	Workflow       *result.Workflow
	Start          string   // workflow state in which the conversation begins; "": not known
	SpeakingStates []string // workflow states that use the prompt; nil: not known

	Messages    []Message              // in order, the system prompt first when there is one
	Judges      map[string]JudgeTarget // metadata.judge_targets
	Verdicts    []Verdict              // the source's verdicts on the whole conversation
	Evals       []Eval                 // what the source measured
	MissingInfo []string               // information that the format has no place for: InfoGuardrails, …
	Error       string                 // why the conversation is incomplete; "": it is complete
	Notes       []string               // what was corrected or dropped while reading, for people
	Doubts      []string               // reasons why the conversation may differ from what was read, for people
}

// Message is one message of a recording. Each tool result belongs to a call before it and has its id and name.
type Message struct {
	chat.Message
	Offset   time.Duration // since the start of the conversation; -1: not known
	At       time.Time     // zero: not known
	Pos      diag.Pos
	Verdicts []Verdict // the source's verdicts on this reply, or on the turn that ends here without one
	Streamed bool      // the reply was requested as a stream
	Steps    *Steps    // the composition that made the reply; nil: a model did
	// Trace is the trace of an agent that is a program, on the last reply of a turn; nil: none.
	Trace *chat.Trace
	// Script is the index of the scripted turn to which the message belongs; nil: not known.
	Script *int
}

// Steps are the steps of a composition that made the reply of a turn.
type Steps struct {
	*result.Composition
	Calls []result.ToolCall // of tools, by the steps
}

// Verdict is a verdict of the source.
type Verdict struct {
	Type        string
	Params      json.RawMessage // nil: not recorded
	Passed      bool
	Skipped     bool
	Message     string
	Explanation string
	Error       string   // why the check could not judge
	Score       *float64 // nil: not recorded
	// Declared is the position of the check in the source's files, if known.
	Declared diag.Pos
	// Unanswered is true for the check of a turn without a reply.
	Unanswered bool
}

// Failed reports whether the check failed or could not judge.
func (a *Verdict) Failed() bool { return !a.Passed && !a.Skipped }

// Eval is an eval result of the source.
type Eval struct {
	ID          string
	Type        string
	Score       *float64 // nil: not recorded
	Explanation string
	Error       string
	Skipped     bool
	Failed      bool // its threshold was not met, or there was no score
}

// JudgeTarget is the provider of a judge in a recording.
type JudgeTarget struct {
	ID    string
	Type  string
	Model string
}

// Ref is the part of a session that is kept in memory.
type Ref struct {
	ID          string
	Own         string // its id in the file, if an earlier session has the same; else ""
	Scenario    string
	Provider    string
	Model       string
	Region      string
	TaskType    string // see Session
	Start       string // see Session
	InWorkflow  bool   // it has states or a transition of a workflow
	MissingInfo []string
	Declared    *result.Declared // what the project of the run declared; nil: not known
	Tags        []string
	Messages    int
	Pos         diag.Pos // where it starts
}
