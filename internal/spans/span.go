// Package spans reads the spans of programs: which models they called and which tools they ran, with tokens, cost and
// times. It reads OTLP as JSON and as protobuf, and lines of JSON, with the attributes of OpenTelemetry's conventions
// for generative AI and of OpenInference.
package spans

import (
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// Span is one operation of a program. Values that it did not report are zero.
type Span struct {
	Trace, ID, Parent string // hexadecimal in lower case, as far as the program keeps to that
	Name              string
	Kind              Kind
	// Inferred says that the span is a tool run, although no convention says so by its operation. Another span may
	// report the same run.
	Inferred   bool
	Start, End time.Time // UTC
	Failure    string    // why it failed; "": it did not

	Model    string
	Provider string
	Usage    *chat.Usage
	CostUSD  *float64
	// Partial says that token counts are incomplete or impossible.
	Partial bool
	// Miscosted says that CostUSD is nil because the reported cost is invalid or incomplete.
	Miscosted bool
	Finish    string // the finish reason of a model's reply
	// Output is the text of a model, or the output of another span.
	Output string
	// Tools is the one call that the span of a tool is, or the calls that a model asked for in its reply.
	Tools []Tool
	// Dropped is the number of attributes that the program left out because of a limit.
	Dropped int
}

// Tool is the call of a tool.
type Tool struct {
	ID   string // "": not reported
	Name string
	// Args is the text of the arguments, usually a JSON object; "": not reported.
	Args string
	// Result is the result; valid if HasResult is true.
	Result    string
	HasResult bool
}

// Kind is what a span is about.
type Kind uint8

// The kinds of spans.
const (
	Other Kind = iota // any other span, such as a step of a chain
	Model             // the call of a model that replies
	ToolRun
	Agent
	Embedding
	Evaluator // a check or judge within the program, not part of its work
)

// String is the name of a kind in reports.
func (k Kind) String() string {
	switch k {
	case Model:
		return "model"
	case ToolRun:
		return "tool"
	case Agent:
		return "agent"
	case Embedding:
		return "embedding"
	case Evaluator:
		return "evaluator"
	case Other:
	}
	return "other"
}

// kindOf is the kind of an operation, in the words of the conventions for generative AI.
func kindOf(operation string) Kind {
	switch operation {
	case "chat", "generate_content", "text_completion":
		return Model
	case "execute_tool":
		return ToolRun
	case "invoke_agent", "create_agent":
		return Agent
	case "embeddings":
		return Embedding
	case "evaluator":
		return Evaluator
	}
	return Other
}

// timed reports whether a span has a start and an end that can be.
func (s *Span) timed() bool { return !s.Start.IsZero() && !s.End.IsZero() && !s.End.Before(s.Start) }
