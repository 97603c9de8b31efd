package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// chatResponse is a whole reply or a chunk of a stream. Only what is used is decoded, and leniently where servers are
// known to differ: a field that nobody reads must not make a reply unreadable.
type chatResponse struct {
	ID      wire.ReplyID    `json:"id"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"` // nil: null, or missing
	Usage   *api.Usage      `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"` // "error": the document is one itself
	Asked   json.RawMessage `json:"prompt_filter_results"`
}

type choice struct {
	Index   int              `json:"index"`
	Message messageIn        `json:"message"`
	Delta   *messageIn       `json:"delta"` // nil: null, or missing
	Finish  api.FinishReason `json:"finish_reason"`
	Error   json.RawMessage  `json:"error"`                  // of gateways, where the model behind them failed
	Filters json.RawMessage  `json:"content_filter_results"` // of Azure
	Native  json.RawMessage  `json:"native_finish_reason"`   // of OpenRouter: what the server behind it says
}

type messageIn struct {
	Content   content    `json:"content"`
	Refusal   string     `json:"refusal"`
	ToolCalls []callPart `json:"tool_calls"`
	Role      string     `json:"role"`
	// The call in the form that came before tool_calls, and what a model can say that is no text.
	FunctionCall json.RawMessage `json:"function_call"`
	Audio        json.RawMessage `json:"audio"`
	Images       json.RawMessage `json:"images"`
	Annotations  json.RawMessage `json:"annotations"`
	// What a model thinks before it speaks is no part of the reply, but it shows that something comes.
	Reasoning json.RawMessage `json:"reasoning"`
	Thoughts  json.RawMessage `json:"reasoning_content"`
}

// content may be text, a list of parts, null or missing.
type content struct {
	text string
	set  bool     // not null and not missing
	odd  []string // kinds of parts that are no text
	lost []string // kinds of parts that have no text, and should

	refusal bool // one of the parts is
}

func (c *content) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	c.set = true
	if data[0] != '[' {
		return json.Unmarshal(data, &c.text)
	}
	var parts []spokenPart
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for i := range parts {
		switch p := &parts[i]; p.Type {
		case "", "text", "output_text", "refusal":
			if p.empty() {
				c.lost = append(c.lost, p.Type)
			}
		case "thinking", "reasoning":
		default:
			c.odd = append(c.odd, p.Type)
		}
		c.text += parts[i].text()
		c.refusal = c.refusal || parts[i].refuses()
	}
	return nil
}

// spokenPart is a part of what a model says; nil: null, or missing.
type spokenPart struct {
	Type    string  `json:"type"`
	Text    *string `json:"text"`
	Refusal *string `json:"refusal"`
}

// empty reports whether a part has no text of any kind, not even an empty one.
func (p *spokenPart) empty() bool { return p.Text == nil && p.Refusal == nil }

// refuses reports whether a part is a refusal.
func (p *spokenPart) refuses() bool { return p.Refusal != nil && *p.Refusal != "" }

// text is the text of a part, a refusal included: it is what the model says.
func (p *spokenPart) text() string {
	var none string
	return *cmp.Or(p.Text, &none) + *cmp.Or(p.Refusal, &none)
}

// noteMissingText tells of a part that came without its text.
func noteMissingText(c *wire.Call, kind string) {
	if kind == "" {
		kind = "content"
	}
	c.Lacks("a part of "+kind, "text")
}

// argText is the text of a call's arguments, also from servers that send the object itself.
type argText string

func (a *argText) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(a))
	}
	*a = argText(data)
	return nil
}

// otherChoice is a choice beside the one that was asked for.
const otherChoice = "another choice"

// decode reads a whole reply.
func (c exchange) decode(data []byte) (chat.Reply, error) {
	var a chatResponse
	if err := c.Document(data, &a); err != nil {
		return chat.Reply{}, err
	}
	c.take(&a)
	c.Filters("prompt_filter_results", a.Asked)
	if err := c.failed(&a, data); err != nil {
		return chat.Reply{}, err
	}
	if len(a.Choices) == 0 {
		return chat.Reply{}, c.Fail(providers.BadReply, nil,
			"the reply has no choices; check that %s speaks the chat protocol of OpenAI: %s", c.Address(), c.ExcerptOf(data))
	}
	if len(a.Choices) > 1 {
		c.Dropped(otherChoice)
	}
	first := &a.Choices[max(slices.IndexFunc(a.Choices, func(ch choice) bool { return ch.Index == 0 }), 0)]
	if err := c.brokeOff(first); err != nil {
		return chat.Reply{}, err
	}
	c.drop(&first.Message)
	if !first.Message.Content.set && first.Message.Refusal == "" && len(first.Message.ToolCalls) == 0 &&
		first.Finish != api.FinishReasonContentFilter {
		return chat.Reply{}, c.Fail(providers.BadReply, nil, "the reply has neither text nor tool calls%s",
			emptyBecause(first.Finish))
	}
	if first.Finish == "" {
		return chat.Reply{}, c.Fail(providers.BadReply, nil, "the reply ended before the model did (no finish_reason)")
	}
	var calls assembler
	for _, part := range first.Message.ToolCalls {
		part.Index = nil // in one piece there is nothing to put together
		calls.begin(part)
	}
	text := first.Message.Content.text
	if text != first.Message.Refusal {
		text += first.Message.Refusal
	}
	return c.reply(&a, text, &calls, first.Finish, first.Message.refuses())
}

// refuses reports whether a message, or a piece of one, holds a refusal.
func (s *messageIn) refuses() bool { return s.Refusal != "" || s.Content.refusal }

// drop tells of the parts of a message that nobody gets to see. A call in the old form becomes one of the tool calls.
func (c exchange) drop(m *messageIn) {
	for _, kind := range m.Content.odd {
		c.Dropped(kind)
	}
	for _, kind := range m.Content.lost {
		noteMissingText(c.Call, kind)
	}
	c.Role(m.Role)
	c.Beside("audio", m.Audio)
	c.Beside("images", m.Images)
	c.Beside("annotations", m.Annotations)
	call := callPart{Index: new(int)}
	if len(m.ToolCalls) == 0 && len(m.FunctionCall) > 0 && json.Unmarshal(m.FunctionCall, &call.Function) == nil {
		if call.Function.Name != "" || call.Function.Arguments != nil {
			m.ToolCalls = []callPart{call}
		}
		return
	}
	c.Beside("function_call", m.FunctionCall)
}

// emptyBecause explains an empty reply where its finish_reason does.
func emptyBecause(finish api.FinishReason) string {
	if finish == api.FinishReasonLength {
		return ": max_tokens was used up before the first word, raise it"
	}
	return ""
}

// failed is the error that a document or a chunk is, or nil.
func (c exchange) failed(a *chatResponse, data []byte) error {
	switch {
	case isError(a.Error):
		return c.Reported(a.Error)
	case a.Object == "error":
		return c.Reported(data)
	}
	return nil
}

// brokeOff is the error in which a choice ended, or nil. What came before it is no reply: the model had more to say.
func (c exchange) brokeOff(ch *choice) error {
	c.Filters("content_filter_results", ch.Filters)
	c.Says("native_finish_reason", wire.Word(ch.Native))
	switch {
	case isError(ch.Error):
		return c.Reported(ch.Error)
	case chat.BrokeOff(string(ch.Finish)):
		return c.Fail(providers.BadReply, nil, "the server broke the reply off (finish_reason %q)",
			c.Excerpt(string(ch.Finish)))
	}
	return nil
}

// reply makes the reply out of what was read, whole or in chunks.
func (c exchange) reply(
	a *chatResponse, text string, calls *assembler, finish api.FinishReason, refused bool,
) (chat.Reply, error) {
	if finish == api.FinishReasonContentFilter && text == "" {
		return chat.Reply{}, c.Fail(providers.Refused, nil, "the content filter of the provider stopped the reply")
	}
	r := chat.Reply{Content: text, FinishReason: finishReason(finish), ID: string(a.ID), Model: a.Model, Refused: refused}
	var err error
	if r.ToolCalls, err = calls.calls(len(c.Request.Messages), c.Unargued); err != nil {
		return chat.Reply{}, c.Fail(providers.BadReply, err, "%v", err)
	}
	if len(r.ToolCalls) > 0 && (r.FinishReason == "stop" || r.FinishReason == "") {
		r.FinishReason = "tool_calls"
	}
	if u := a.Usage; u != nil {
		r.Usage = usageOf(u)
	}
	return r, nil
}

func finishReason(f api.FinishReason) string {
	if f == api.FinishReasonFunctionCall {
		f = api.FinishReasonToolCalls
	}
	return string(f)
}

// isError reports whether the error field of a reply means one.
func isError(raw json.RawMessage) bool {
	switch strings.TrimSpace(string(raw)) {
	case "", "null", "{}", `""`, "false":
		return false
	}
	return true
}
