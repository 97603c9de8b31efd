package chat

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Request is one model call. A nil pointer leaves the choice to the provider; 0 is a value.
type Request struct {
	Messages    []Message
	Tools       []Tool
	ToolChoice  string // auto, required, none or a tool's name; "" is auto
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	Seed        *int64
	Stream      bool
	// JSONSchema asks for a reply that fits it, where the provider can promise that.
	JSONSchema json.RawMessage
	SchemaName string `json:",omitempty"` // by which the provider knows the schema; "": any
	JSON       bool   `json:",omitempty"` // asks for a reply that is JSON of any form, where there is no schema

	Stop              []string `json:",omitempty"` // texts at which the reply ends
	ReasoningEffort   string   `json:",omitempty"` // none, minimal, low, medium, high, xhigh or max; "" is the provider's choice
	ParallelToolCalls *bool    `json:",omitempty"` // whether a reply may call several tools
	// Caching asks the call to mark what should be cached for the next one, if the provider needs such marks.
	Caching bool `json:",omitempty"`
	// Extra is vendor parameters, by their name on the wire. They do not replace the messages, the model or the
	// streaming mode. Simulated providers ignore them.
	Extra jsonvalue.Object
	// Origin says for whom the call is made. Providers that simulate (mock, replay) answer by it; the others ignore it.
	Origin Origin
}

// ReplyFormat is the form that the reply is asked to have: json_schema, json_object, or "" for any.
func (r *Request) ReplyFormat() string {
	switch {
	case len(r.JSONSchema) > 0:
		return "json_schema"
	case r.JSON:
		return "json_object"
	}
	return ""
}

// Origin is the place of a model call in the run.
type Origin struct {
	Scenario      string // scenario id
	ScenarioAlias string // its other name, if it has one
	Region        string // that the trial runs for
	Trial         int    // from 1
	Repetition    int    // the same among the trials that ask for the same, of one variant; 0: as Trial
	Turn          int    // index of the turn in the conversation, from 0
	Added         int    `json:",omitempty"` // turns so far that are beyond those of the scenario; see Script
	Earlier       int    `json:",omitempty"` // replies before Turn to turns that came from the same one of the scenario
	Reply         int    // index of the reply within the turn, from 0; tool rounds count
	Persona       string // self-play: whose message is generated
	PersonaAlias  string `json:",omitempty"` // its other name, if it has one
	Judge         string // judge calls: name of the judge
	Step          string // composition step
	Tool          string `json:",omitempty"` // the tool whose call asks a model for a medium; "": it is another call
	Summary       int    `json:",omitempty"` // number of the summary that is asked for, from 1; 0: it is another call
	// Before is the number of replies of the conversation that are not among the messages: those before a step, those
	// that a context policy left out, and for a persona user messages without text.
	Before  int `json:",omitempty"`
	Attempt int `json:",omitempty"` // of a step: how often it was tried before
	Vote    int `json:",omitempty"` // judge calls: number of the vote, from 0
	// Closing is the same for calls whose stream the same guardrails may close; "": nothing does. A reply that was cut
	// by them is all there is to hear for any call that has it.
	Closing string `json:",omitempty"`
	// Row fills the fields of the trial's row of a dataset into canned replies; nil: the trial has none.
	Row RowFiller `json:"-"`
}

// Script is the index of the turn of the scenario from which the turn of the call came.
func (o *Origin) Script() int { return o.Turn - o.Added }

// RowFiller puts the fields of a row of a dataset in the places of {{field}}. lacks are those that the row does not
// have. It is safe for concurrent use.
type RowFiller interface {
	RowID() string // which row it is
	FillText(text string) (filled string, missing []string)
	FillCalls(calls []ToolCall) (filled []ToolCall, missing []string)
}

// Tool is the description of a tool for a model.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// Delta is a piece of a reply as it streams in. Tool calls are only in the finished Reply.
type Delta struct {
	Text string
}

// Reply is the outcome of one model call.
type Reply struct {
	Content   string
	Parts     []Part
	ToolCalls []ToolCall
	// ToolResults are those that came along, of a recording: a call that has one by its id is not run.
	ToolResults  []ToolResult
	Opaque       *Opaque // state of the provider's own, for the message
	FinishReason string  // stop, length, tool_calls, content_filter
	ID           string  // by which the provider knows the reply; "": it named none. No recording keeps it
	Model        string  // as the provider named it
	Usage        Usage
	CostUSD      *float64 // nil: the price is not known
	LatencyMS    float64
	Retries      int    // attempts before this one
	Cached       bool   // it was paid for earlier, and nothing now; cost and latency are those of then
	Notice       string // something the user should know once, such as "no mock reply configured"
	// Doubt says why this may not be the complete reply, or its counts may be wrong: "has parts that are left out"; "":
	// there is no doubt.
	Doubt      string
	Unreported []string // see Message
	// Refused says that the API calls the content, or a part of it, a refusal.
	Refused bool
	// ModelCalls is how many calls of models an agent made for it, as its traces tell; nil: it is one of a model.
	ModelCalls *int
	LeftOut    *LeftOut // see Message
	Trace      *Trace   // what an agent told of its work, in the last reply of a turn; nil: nothing
}

// Message turns a reply into the assistant's message of the transcript.
func (r *Reply) Message() Message {
	usage := r.Usage
	return Message{
		Role: Assistant, Content: r.Content, Parts: r.Parts, ToolCalls: r.ToolCalls, Opaque: r.Opaque,
		FinishReason: r.FinishReason, Usage: &usage, CostUSD: r.CostUSD, LatencyMS: r.LatencyMS, Cached: r.Cached,
		Unreported: r.Unreported,
		LeftOut:    r.LeftOut,
		ModelCalls: r.ModelCalls,
	}
}
