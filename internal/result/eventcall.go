package result

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// Tokens are the tokens of model calls.
type Tokens struct {
	Input     int  `json:"input_tokens" doc:"Tokens that were read."`
	Output    int  `json:"output_tokens" doc:"Tokens that were written."`
	Cached    int  `json:"cached_tokens,omitempty" doc:"Those of the input that came from a cache."`
	Written   int  `json:"cache_write_tokens,omitempty" doc:"Those of the input that the provider put into its cache."`
	Reasoning int  `json:"reasoning_tokens,omitempty" doc:"Those of the output that were thought and not said."`
	Estimated bool `json:"estimated,omitempty" doc:"The provider did not say; guessed from the lengths."`
}

// TokensOf returns the tokens of a usage.
func TokensOf(u chat.Usage) Tokens {
	return Tokens{
		u.InputTokens, u.OutputTokens, u.CachedTokens, u.CacheWriteTokens, u.ReasoningTokens, u.Estimated,
	}
}

// MessageCreated is a new message of the transcript, after guardrails have changed it.
type MessageCreated struct {
	At           `json:"-"`
	Index        int           `json:"index" doc:"Place in the transcript, from 0."`
	Role         chat.Role     `json:"role" doc:"system, user, assistant or tool."`
	Content      string        `json:"content" doc:"The text; of a tool what it returned."`
	Parts        []chat.Part   `json:"parts,omitempty" doc:"The pieces of a message that is more than a text."`
	Calls        []MessageCall `json:"tool_calls,omitempty" doc:"The tools that the assistant calls."`
	Result       *MessageReply `json:"tool_result,omitempty" doc:"What a tool returned."`
	FinishReason string        `json:"finish_reason,omitempty" doc:"Why the model stopped."`
	State        string        `json:"state,omitempty" doc:"The state of the workflow in which it was written."`
	ModelCalls   *int          `json:"model_calls,omitempty" doc:"Of the steps of a composition, whose output it is."`
	Unreported   []string      `json:"untold,omitempty" doc:"What the agent does not report: tool calls, model calls."`
	LeftOut      *chat.LeftOut `json:"left_out,omitempty" doc:"What of the conversation the model was not sent, by the context policy."`

	Message *chat.Message `json:"-"` // read only; never nil
}

// MessageCall is a tool call in a message.
type MessageCall struct {
	ID   string `json:"id" doc:"As the model named the call."`
	Name string `json:"name" doc:"Name of the tool."`
	Args string `json:"args" doc:"The arguments as JSON, or what the model wrote in their place."`
}

// MessageReply is the result of a tool in a message.
type MessageReply struct {
	ID        string      `json:"id" doc:"Of the call."`
	Name      string      `json:"name" doc:"Name of the tool."`
	Parts     []chat.Part `json:"parts" doc:"The result."`
	Error     string      `json:"error,omitempty" doc:"Why the call failed."`
	ErrorType string      `json:"error_type,omitempty" doc:"validation, execution, unavailable, approval or mock."`
}

// MessageCreatedOf returns the event for a message. It shares the parts of m.
func MessageCreatedOf(m *chat.Message, at At, index int) MessageCreated {
	written := *m
	e := MessageCreated{
		At: at, Index: index, Role: m.Role, Content: m.Text(), Parts: m.Parts, FinishReason: m.FinishReason,
		State: m.State, ModelCalls: m.ModelCalls, Unreported: m.Unreported, LeftOut: m.LeftOut, Message: &written,
	}
	for _, c := range m.ToolCalls {
		e.Calls = append(e.Calls, MessageCall{c.ID, c.Name, argsText(&c)})
	}
	if r := m.ToolResult; r != nil {
		e.Content = r.Text()
		e.Result = &MessageReply{r.ID, r.Name, r.Parts, r.Error, r.ErrorType}
		if len(r.Parts) == 0 {
			e.Result.Parts = []chat.Part{{Type: "text", Text: r.Content}}
		}
	}
	return e
}

// argsText is the arguments of a call as text.
func argsText(c *chat.ToolCall) string {
	if c.BadArgs != "" {
		return c.BadArgs
	}
	if c.Args == nil {
		return "{}"
	}
	text, err := json.Marshal(c.Args)
	if err != nil { // cannot happen: the value was decoded from JSON
		return fmt.Sprintf("%v", c.Args)
	}
	return string(text)
}

// Call identifies a model call. It is the same in all events of the call.
type Call struct {
	Number   int    `json:"call" doc:"Number within the trial, from 1, by which the events of a call are paired."`
	Provider string `json:"provider" doc:"Id of the provider that is called."`
	Type     string `json:"provider_type,omitempty" doc:"Its type: openai, ollama, mock."`
	Model    string `json:"model,omitempty" doc:"The model that was asked for."`
	Judge    string `json:"judge,omitempty" doc:"Name of the judge, where it is one who is asked."`
	Persona  string `json:"persona,omitempty" doc:"Id of the persona, where the model plays the user."`
	Summary  bool   `json:"summary,omitempty" doc:"The model summarizes what the agent is not sent, by the context policy."`
}

// CallStarted says that a model is called. Retries within the call have no events of their own.
type CallStarted struct {
	At `json:"-"`
	Call
	Reply       int           `json:"reply" doc:"Which reply of the turn it is for, from 0; 0 for judges."`
	Messages    int           `json:"messages" doc:"Messages that were sent."`
	Tools       int           `json:"tools,omitempty" doc:"Tools that were offered."`
	LeftOut     *chat.LeftOut `json:"left_out,omitempty" doc:"What of the conversation was not sent, by the context policy."`
	Stream      bool          `json:"stream,omitempty" doc:"The reply was to be streamed."`
	Temperature *float64      `json:"temperature,omitempty" doc:"As it was asked for."`
	TopP        *float64      `json:"top_p,omitempty" doc:"The same."`
	MaxTokens   *int          `json:"max_tokens,omitempty" doc:"The same."`
	Seed        *int64        `json:"seed,omitempty" doc:"The same."`
	Stop        []string      `json:"stop,omitempty" doc:"Texts at which the reply is to end."`
	Effort      string        `json:"reasoning_effort,omitempty" doc:"How long the model is to think."`
	Parallel    *bool         `json:"parallel_tool_calls,omitempty" doc:"Whether a reply may call several tools."`
	Format      string        `json:"response_format,omitempty" doc:"json_object or json_schema, when a form was asked for."`

	Request *chat.Request `json:"-"` // read only; never nil
	Host    string        `json:"-"` // of the provider's base_url; "": it has none
	Port    int           `json:"-"` // the same; 0: that of the protocol
}

// CallCompleted says that a model has replied.
type CallCompleted struct {
	At `json:"-"`
	Call
	ResponseModel string   `json:"response_model,omitempty" doc:"The model that answered, as its provider names it."`
	FinishReason  string   `json:"finish_reason,omitempty" doc:"Why the model stopped; absent when the stream was closed."`
	ToolCalls     int      `json:"tool_calls,omitempty" doc:"Tools that the reply calls."`
	Usage         Tokens   `json:"usage" doc:"What the call took."`
	CostUSD       *float64 `json:"cost_usd" doc:"Cost in US dollars; null: the price is not known."`
	LatencyMS     float64  `json:"latency_ms" doc:"Time to the end of the reply."`
	Retries       int      `json:"retries,omitempty" doc:"Attempts that failed before."`

	Answer *chat.Reply `json:"-"` // read only; never nil
}

// CallFailed says that a model call failed, or that its reply was unreadable.
type CallFailed struct {
	At `json:"-"`
	Call
	Error     string  `json:"error" doc:"What went wrong; keys are taken out."`
	ErrorKind string  `json:"error_kind" doc:"auth, rate_limit, timeout, transport, bad_reply, refused, cancelled or other."`
	Status    int     `json:"status,omitempty" doc:"HTTP status, where there was one."`
	Attempts  int     `json:"attempts,omitempty" doc:"Attempts in all, where there were several."`
	LatencyMS float64 `json:"latency_ms" doc:"Time until then."`
}

// ToolStarted says that a tool is about to be called.
type ToolStarted struct {
	At      `json:"-"`
	Number  int       `json:"call" doc:"Number within the trial, from 1, by which the events of a call are paired."`
	ID      string    `json:"id" doc:"As the model named the call."`
	Name    string    `json:"name" doc:"Name of the tool."`
	Args    chat.Args `json:"args,omitempty" doc:"The arguments."`
	BadArgs string    `json:"bad_args,omitempty" doc:"What the model wrote in the place of arguments."`
	ByCheck bool      `json:"by_check,omitempty" doc:"It is a check that calls, and not the agent."`
}

// ToolCompleted is the result of a tool call. Results of concurrent calls come in the order of the calls.
type ToolCompleted struct {
	At        `json:"-"`
	Number    int     `json:"call" doc:"Number within the trial, as when it started."`
	ID        string  `json:"id" doc:"As the model named the call."`
	Name      string  `json:"name" doc:"Name of the tool."`
	Result    string  `json:"result" doc:"What it returned, as text."`
	Error     string  `json:"error,omitempty" doc:"Why the call failed, or was not made."`
	ErrorType string  `json:"error_type,omitempty" doc:"validation, execution, unavailable, approval or mock."`
	LatencyMS float64 `json:"latency_ms,omitempty" doc:"Time that the tool took."`
	ByCheck   bool    `json:"by_check,omitempty" doc:"It is a check that called, and not the agent."`
}

// StateChanged is a transition of the workflow.
type StateChanged struct {
	At         `json:"-"`
	From       string `json:"from" doc:"State that is left."`
	To         string `json:"to" doc:"State that is entered."`
	Event      string `json:"event" doc:"What led there."`
	Redirected string `json:"redirected_from,omitempty" doc:"The state that could not be entered again, for which this one stands in."`
}

// StepStarted says that a step of a composition begins. Events within the step name it.
type StepStarted struct {
	At     `json:"-"`
	Name   string `json:"kind" doc:"prompt, agent, tool, branch or parallel."`
	Within string `json:"within,omitempty" doc:"The parallel step of which it is a branch."`
	Prompt string `json:"prompt_task,omitempty" doc:"The prompt of its model."`
	Tool   string `json:"tool,omitempty" doc:"The tool that it calls."`
}

// StepCompleted is the outcome of a step of a composition. The events of parallel branches come in the order of the
// file.
type StepCompleted struct {
	At        `json:"-"`
	Name      string   `json:"kind" doc:"prompt, agent, tool, branch or parallel."`
	Within    string   `json:"within,omitempty" doc:"The parallel step of which it is a branch."`
	Attempts  int      `json:"attempts" doc:"How often it was tried."`
	Output    string   `json:"output,omitempty" doc:"Its output as text, or as JSON."`
	Target    string   `json:"target,omitempty" doc:"The step that a branch chose."`
	Status    string   `json:"status,omitempty" doc:"Of a parallel step: complete or failed."`
	Error     string   `json:"error,omitempty" doc:"Why it failed."`
	Usage     *Tokens  `json:"usage,omitempty" doc:"What its model calls took."`
	CostUSD   *float64 `json:"cost_usd,omitempty" doc:"Cost in US dollars; absent: no model was called, or the price is not known."`
	LatencyMS float64  `json:"latency_ms" doc:"Time that it took."`
}

// Kind implements Event.
func (StepStarted) Kind() EventKind { return KindStepStarted }

// Kind implements Event.
func (StepCompleted) Kind() EventKind { return KindStepCompleted }

// Kind implements Event.
func (StateChanged) Kind() EventKind { return KindStateChanged }

// Kind implements Event.
func (MessageCreated) Kind() EventKind { return KindMessageCreated }

// Kind implements Event.
func (CallStarted) Kind() EventKind { return KindCallStarted }

// Kind implements Event.
func (CallCompleted) Kind() EventKind { return KindCallCompleted }

// Kind implements Event.
func (CallFailed) Kind() EventKind { return KindCallFailed }

// Kind implements Event.
func (ToolStarted) Kind() EventKind { return KindToolStarted }

// Kind implements Event.
func (ToolCompleted) Kind() EventKind { return KindToolCompleted }
