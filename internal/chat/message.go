// Package chat holds the nouns of a conversation: messages, tool calls, usage, and the request and reply of one
// model call. It knows no provider and no file format.
package chat

import (
	"math"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Role says who wrote a message.
type Role string

// The roles of a transcript.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// ParseRole returns the role that a tool or an API names by a word, in any case: developer is a system message, human a
// user, ai and model an assistant, function a tool. known is false for other words.
func ParseRole(word string) (role Role, known bool) {
	switch strings.ToLower(word) {
	case "system", "developer":
		return System, true
	case "user", "human":
		return User, true
	case "assistant", "ai", "model":
		return Assistant, true
	case "tool", "function":
		return ToolRole, true
	}
	return "", false
}

// Message is one entry of a transcript, in the shape in which results.json stores it.
type Message struct {
	Role       Role        `json:"role"`
	Content    string      `json:"content"`
	Parts      []Part      `json:"parts,omitempty"`
	ToolCalls  []ToolCall  `json:"tool_calls,omitempty"`  // assistant only, in call order
	ToolResult *ToolResult `json:"tool_result,omitempty"` // role tool only
	Opaque     *Opaque     `json:"opaque,omitempty"`      // assistant only: state of the provider's own

	// Generated describes the author of a generated user message; nil: it was not generated.
	Generated *Generated `json:"generated,omitempty"`

	// The rest is set on assistant messages only.
	FinishReason string   `json:"finish_reason,omitempty"`
	Usage        *Usage   `json:"usage,omitempty"`
	CostUSD      *float64 `json:"cost_usd,omitempty"` // nil: not known
	LatencyMS    float64  `json:"latency_ms,omitempty"`
	// ModelCalls is how many calls of models the steps of a composition, or an agent that is a program, made for this
	// reply; nil: it is one of a model.
	ModelCalls *int `json:"model_calls,omitempty"`
	// Unreported lists what the agent does not report of the reply, such as UnreportedToolCalls; nil: it reports all.
	Unreported []string `json:"untold,omitempty"`
	// Cached says that the reply was paid for earlier and costs nothing now; its cost and latency are the original
	// ones.
	Cached      bool         `json:"cached,omitempty"`
	Validations []Validation `json:"validations,omitempty"`
	Original    *Original    `json:"original,omitempty"` // what the model said, where a guardrail changed it
	LeftOut     *LeftOut     `json:"left_out,omitempty"` // what the model was not sent for it; nil: it was sent all
	// State is the workflow state in which it was written. A system message with a state begins it.
	State string `json:"state,omitempty"`
}

// Text is the text of the message for checks: the content, or else the joined text parts.
func (m *Message) Text() string {
	if m.Content != "" || len(m.Parts) == 0 {
		return m.Content
	}
	return partsText(m.Parts)
}

// Said is the message as the model wrote it, before any guardrail changed it.
func (m *Message) Said() Message {
	copied := *m
	if o := m.Original; o != nil {
		copied.Content, copied.Parts, copied.ToolCalls, copied.FinishReason = o.Content, o.Parts, o.ToolCalls, o.FinishReason
		copied.Original = nil
	}
	return copied
}

// Wordless reports whether the message only calls tools, without text for the user.
func (m *Message) Wordless() bool {
	return m.Role == Assistant && len(m.ToolCalls) > 0 && len(m.Parts) == 0 && strings.TrimSpace(m.Content) == ""
}

// Mute reports whether the message shows media without a word: texts that look for something find nothing there.
func (m *Message) Mute() bool {
	if m.Role != Assistant || strings.TrimSpace(m.Text()) != "" {
		return false
	}
	for i := range m.Parts {
		if m.Parts[i].Media != nil {
			return true
		}
	}
	return false
}

// Blocked reports whether a guardrail answered the user in the place of the model, which was not asked.
func (m *Message) Blocked() bool {
	return m.Role == Assistant && m.Original == nil && len(m.Validations) > 0 && m.Usage != nil && *m.Usage == Usage{}
}

// Generated is the author of a user message, and its usage.
type Generated struct {
	Persona      string   `json:"persona" doc:"Id of the persona that speaks."`
	Role         string   `json:"role" doc:"The role of self_play in which it speaks."`
	Provider     string   `json:"provider" doc:"Id of the provider that played it."`
	Model        string   `json:"model,omitempty" doc:"The model, as the provider named it."`
	FinishReason string   `json:"finish_reason,omitempty" doc:"Why the model stopped."`
	Ends         bool     `json:"ends,omitempty" doc:"It held the mark that ends the conversation, which was taken out."`
	Usage        Usage    `json:"usage" doc:"What the message took. It is no part of what the agent took."`
	CostUSD      *float64 `json:"cost_usd" doc:"Cost in US dollars; null: the price is not known."`
	LatencyMS    float64  `json:"latency_ms,omitempty" doc:"Time until the message was written."`
	Cached       bool     `json:"cached,omitempty" doc:"It was paid for earlier, and nothing now."`
}

// Part is one piece of a multimodal message.
type Part struct {
	Type  string `json:"type" doc:"text, image, audio, video or document."`
	Text  string `json:"text,omitempty" doc:"The text of a text."`
	Media *Media `json:"media,omitempty" doc:"Everything else."`
}

// Media is an image, a sound, a video or a document. Exactly one of Data, SHA256, URL and Path is set.
type Media struct {
	MIMEType string `json:"mime_type" doc:"Type of the data."`
	Data     string `json:"data,omitempty" doc:"The data in base64."`
	URL      string `json:"url,omitempty" doc:"Where the data is, in place of it."`
	Path     string `json:"path,omitempty" doc:"The file that holds the data, in place of it."`
	// Local says that Path comes from the user's own files, so that it may be opened. It is never stored: content of a
	// model, a tool or a recording cannot set it.
	Local bool `json:"-"`
	// SHA256 and Size replace data that are too large for the message. Content is the data, if available; nil: they are
	// stored beside the results, or nowhere.
	SHA256  string  `json:"sha256,omitempty" digest:"-" doc:"The hash of data that is kept beside the results, in hexadecimal digits."`
	Size    int     `json:"size,omitempty" digest:"-" doc:"Of the data that is kept beside, in bytes."`
	Content Content `json:"-" digest:"-"`
	Source  string  `json:"source,omitempty" doc:"The file or the address from which the data was read."`

	Detail   string  `json:"detail,omitempty" doc:"low, high or auto."`
	Caption  string  `json:"caption,omitempty" doc:"What it shows."`
	Width    int     `json:"width,omitempty" doc:"In pixels; absent: not declared."`
	Height   int     `json:"height,omitempty" doc:"In pixels; absent: not declared."`
	Duration float64 `json:"duration,omitempty" doc:"In seconds; absent: not declared."`
}

// MediaFromURL returns the media of a URL. A data: URL is decoded into its type and its data.
func MediaFromURL(url string) *Media {
	head, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if ok && strings.HasPrefix(url, "data:") {
		return &Media{MIMEType: head, Data: data}
	}
	return &Media{URL: url}
}

// Validation is a guardrail that fired on a message.
type Validation struct {
	Type    string           `json:"validator_type"` // as its author wrote it
	Passed  bool             `json:"passed"`
	Details jsonvalue.Object `json:"details,omitempty"`
}

// Original is the part of a model's reply that a guardrail removed. For a closed stream it is the received text.
type Original struct {
	Content      string     `json:"content"`
	Parts        []Part     `json:"parts,omitempty"`
	ToolCalls    []ToolCall `json:"tool_calls,omitempty"` // they were not run
	FinishReason string     `json:"finish_reason,omitempty"`
}

// LeftOut is the part of a conversation that was not sent to a model, because of the limit of the context policy.
type LeftOut struct {
	Messages  int  `json:"messages" doc:"Messages that were not sent."`
	Tokens    int  `json:"tokens" doc:"Their tokens."`
	Estimated bool `json:"estimated,omitempty" doc:"The provider did not count all of them; guessed from the lengths."`
	// Since is the index of the turn from which on everything was sent.
	Since int `json:"since_turn" doc:"Index of the turn from which on everything was sent, from 0."`
	// Summary is the message in front of the rest that replaces everything that was not sent; "": none.
	Summary string       `json:"summary,omitempty" doc:"What stood in its place; absent: nothing did."`
	Asked   *ContextCall `json:"asked,omitempty" doc:"The model that was asked what to leave out, or for the summary; absent: none was for this call."`
}

// ContextCall is a call of a model that a context policy made: for a summary, or for embeddings.
type ContextCall struct {
	Provider  string   `json:"provider" doc:"Id of the provider."`
	Model     string   `json:"model,omitempty" doc:"The model, as the server named it."`
	Usage     Usage    `json:"usage" doc:"Its tokens."`
	CostUSD   *float64 `json:"cost_usd" doc:"What it cost, in US dollars; null: not known."`
	LatencyMS float64  `json:"latency_ms,omitempty" doc:"How long it took."`
	Cached    bool     `json:"cached,omitempty" doc:"It was paid for earlier, and nothing now."`
}

// Usage counts tokens. Estimated is set when the provider did not report them and they were guessed from lengths.
type Usage struct {
	InputTokens  int `json:"input_tokens" doc:"Tokens that were read."`
	OutputTokens int `json:"output_tokens" doc:"Tokens that were written."`
	// CachedTokens are of the input, read from a cache of the provider.
	CachedTokens int `json:"cached_tokens,omitempty" doc:"Those of the input that came from a cache."`
	// CacheWriteTokens are those of the input that the provider put into its cache, where it charges for that.
	CacheWriteTokens int `json:"cache_write_tokens,omitempty" doc:"Those of the input that the provider put into its cache."`
	// ReasoningTokens are the part of the output that was reasoning, not reply.
	ReasoningTokens int  `json:"reasoning_tokens,omitempty" doc:"Those of the output that were thought and not said."`
	Estimated       bool `json:"estimated,omitempty" doc:"The provider did not say; guessed from the lengths."`
}

// Total is input plus output; cached and cache-write tokens are part of the input, reasoning tokens of the output.
func (u Usage) Total() int { return plus(u.InputTokens, u.OutputTokens) }

// plus is a sum of tokens that stays at the largest number instead of becoming negative.
func plus(a, b int) int {
	if a > 0 && b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

// Add returns the sum of two usages; a sum is estimated when either side is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:      plus(u.InputTokens, v.InputTokens),
		OutputTokens:     plus(u.OutputTokens, v.OutputTokens),
		CachedTokens:     plus(u.CachedTokens, v.CachedTokens),
		CacheWriteTokens: plus(u.CacheWriteTokens, v.CacheWriteTokens),
		ReasoningTokens:  plus(u.ReasoningTokens, v.ReasoningTokens),
		Estimated:        u.Estimated || v.Estimated,
	}
}

func partsText(parts []Part) string {
	var text strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			text.WriteString(p.Text)
		}
	}
	return text.String()
}
