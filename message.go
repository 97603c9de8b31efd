package arena

import (
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Role says who wrote a message.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role       Role
	Text       string // of Parts, their texts joined
	Parts      []Part // of a message that holds more than text; nil otherwise
	ToolCalls  []ToolCall
	ToolResult *ToolResult // of role Tool only

	// Usage, cost and latency of a reply, with role Assistant only. They are for information; nil: not known.
	Usage   *Usage
	CostUSD *float64
	Latency *time.Duration
}

// Part is a piece of a message: text, or an image, a sound, a video, a document.
type Part struct {
	Type  string // text, image, audio, video, document
	Text  string
	Media *Media
}

// Media is an image, a sound, a video or a document. One of Data, URL and Path is set.
type Media struct {
	MIMEType string
	Data     string // base64
	URL      string
	Path     string
}

// ToolCall is a tool call of a model.
type ToolCall struct {
	ID   string
	Name string
	Args map[string]any // numbers are json.Number, which keeps every digit
	// BadArgs are arguments that are no JSON object, as the model sent them; Args is nil then.
	BadArgs string
}

// ToolResult is the result of a tool call.
type ToolResult struct {
	ID    string // of the call
	Name  string // of the tool
	Text  string
	Error string // not empty: the call failed
	// Metadata is data of the tool for checks, which find it in Subject.Metadata. The model does not see it.
	Metadata map[string]any
}

// ToolUse is a tool call with its result.
type ToolUse struct {
	Turn     int // from 0
	Name     string
	Args     map[string]any // numbers are json.Number
	BadArgs  string         // see ToolCall
	Result   string
	Error    string // not empty: the call failed
	Duration time.Duration
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens, CachedTokens int
	CacheWriteTokens                        int  // of the input: the provider put them into its cache
	ReasoningTokens                         int  // of the output: reasoning, which is not part of the reply's text
	Estimated                               bool // the provider reported none; arena estimated them from the texts
}

func messagesFrom(list []chat.Message) []Message {
	out := make([]Message, len(list))
	for i := range list {
		out[i] = messageFrom(&list[i])
	}
	return out
}

func messageFrom(m *chat.Message) Message {
	out := Message{
		Role: Role(m.Role), Text: m.Text(), Parts: partsFrom(m.Parts), ToolCalls: toolCallsFrom(m.ToolCalls),
	}
	if r := m.ToolResult; r != nil {
		out.ToolResult = &ToolResult{ID: r.ID, Name: r.Name, Text: r.Text(), Error: r.Error, Metadata: cloneMap(r.Metadata)}
	}
	if m.Usage != nil {
		out.Usage = new(usageFrom(*m.Usage))
	}
	if m.LatencyMS > 0 {
		out.Latency = new(span(m.LatencyMS))
	}
	out.CostUSD = clone(m.CostUSD)
	return out
}

func partsFrom(list []chat.Part) []Part {
	if list == nil {
		return nil
	}
	out := make([]Part, len(list))
	for i := range list {
		out[i] = partFrom(&list[i])
	}
	return out
}

func partFrom(p *chat.Part) Part {
	out := Part{Type: p.Type, Text: p.Text}
	if m := p.Media; m != nil {
		data, _ := m.Base64() // a file that cannot be read has no data
		out.Media = &Media{MIMEType: m.MIMEType, Data: data, URL: m.URL, Path: m.Path}
	}
	return out
}

func toolCallsFrom(list []chat.ToolCall) []ToolCall {
	if list == nil {
		return nil
	}
	out := make([]ToolCall, len(list))
	for i, c := range list {
		out[i] = ToolCall{ID: c.ID, Name: c.Name, Args: cloneMap(c.Args), BadArgs: c.BadArgs}
	}
	return out
}

func toolUsesFrom(list []checks.Call) []ToolUse {
	out := make([]ToolUse, len(list))
	for i := range list {
		c := &list[i]
		out[i] = ToolUse{
			Turn: c.Turn, Name: c.Name, Args: cloneMap(c.Args), BadArgs: c.BadArgs, Result: c.Text(), Error: c.Error,
			Duration: span(c.DurationMS),
		}
	}
	return out
}

func usageFrom(u chat.Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CachedTokens,
		CacheWriteTokens: u.CacheWriteTokens, ReasoningTokens: u.ReasoningTokens, Estimated: u.Estimated,
	}
}

func usageTo(u Usage) chat.Usage {
	return chat.Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CachedTokens,
		CacheWriteTokens: u.CacheWriteTokens, ReasoningTokens: u.ReasoningTokens, Estimated: u.Estimated,
	}
}

// span is a number of milliseconds as a duration.
func span(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// milliseconds is a duration as a number; 0 when it is not known.
func milliseconds(d *time.Duration) float64 {
	if d == nil {
		return 0
	}
	return float64(*d) / float64(time.Millisecond)
}

// cloneMap copies decoded JSON, so that changes to the copy do not change what is reported.
func cloneMap(m map[string]any) map[string]any { return jsonvalue.CloneObject(m) }
