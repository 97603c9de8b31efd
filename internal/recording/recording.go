// Package recording reads conversations that were recorded, by arena or by other tools, and writes them. Whatever the
// format, what comes out is a Session. A file is read as what it holds, whatever its name says.
package recording

import (
	"encoding/json"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// Session is one recorded conversation, whatever wrote it. It has at least one message.
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
	TaskType string    // of the prompt; "": not known, or none was named
	Started  time.Time // zero: not known
	// Metadata is what the source says of the conversation beside what was said in it, under its own names; nil: nothing.
	Metadata map[string]any

	Messages []Message              // in order, the system prompt first when there is one
	Judges   map[string]JudgeTarget // metadata.judge_targets
	Asserted []Asserted             // the source's verdicts on the whole conversation
	Evals    []Eval                 // what the source measured
	Untold   []string               // what the source could not say: UntoldGuardrails, …
	Error    string                 // why the source's conversation broke off
	Notes    []string               // what was mended or left out while reading, for people
}

// Message is one message of a recording. Each result of a tool belongs to a call before it and has its id and name.
type Message struct {
	chat.Message
	Offset   time.Duration // since the start of the conversation; -1: not known
	At       time.Time     // zero: not known
	Pos      diag.Pos
	Asserted []Asserted // the source's verdicts on this reply, or on the turn that ends here without one
	Streamed bool       // of a reply: it was asked for as a stream, as far as that is known
}

// Asserted is a verdict of the source.
type Asserted struct {
	Type        string
	Params      json.RawMessage // nil: not recorded
	Passed      bool
	Skipped     bool
	Message     string
	Explanation string
	Error       string   // why nothing could be judged
	Score       *float64 // nil: not recorded
	// Declared is the place of the check in the source's own files, as far as it tells.
	Declared diag.Pos
	// Unanswered says that the check is of a turn to which no reply came.
	Unanswered bool
}

// Failed reports whether the check did not hold, or could not be judged.
func (a *Asserted) Failed() bool { return !a.Passed && !a.Skipped }

// Eval is a measurement of the source.
type Eval struct {
	ID          string
	Type        string
	Score       *float64 // nil: not recorded
	Explanation string
	Error       string
	Skipped     bool
	Failed      bool // its threshold was not met, or could not be held against anything
}

// JudgeTarget is the provider that a recording names for a judge.
type JudgeTarget struct {
	ID    string
	Type  string
	Model string
}

// Ref is what is kept in memory of a session.
type Ref struct {
	ID       string
	Scenario string
	Provider string
	Model    string
	Region   string
	TaskType string // as that of the session
	Untold   []string
	Tags     []string
	Messages int
	Pos      diag.Pos // where it starts
}
