package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/sortby"
)

// responseDoc is a reply of the Responses API. Only what is used is decoded.
type responseDoc struct {
	ID         wire.ReplyID      `json:"id"`
	Model      string            `json:"model"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *responseUsage `json:"usage"`
}

type responseUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	In     struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responseUsage) chat() chat.Usage {
	return chat.Usage{
		InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.In.Cached, ReasoningTokens: u.Out.Reasoning,
	}
}

// item is a piece of a reply.
type item struct {
	Type      string        `json:"type"`
	Content   []itemContent `json:"content"`
	CallID    string        `json:"call_id"`
	Name      string        `json:"name"`
	Args      *string       `json:"arguments"` // nil: null, or missing
	Encrypted string        `json:"encrypted_content"`
	Status    string        `json:"status"`
	Role      string        `json:"role"`

	raw json.RawMessage // the whole of it
}

type itemContent struct {
	spokenPart
	Annotations json.RawMessage `json:"annotations"`
}

func (c itemContent) refuses() bool { return c.spokenPart.refuses() }

// drop tells of the parts of a message that nobody gets to see.
func (x responseExchange) drop(it *item) {
	x.Role(it.Role)
	for i := range it.Content {
		switch part := &it.Content[i]; part.Type {
		case "", "output_text", "text", "refusal":
			x.Beside("annotations", part.Annotations)
			if part.empty() {
				noteMissingText(x.Call, part.Type)
			}
		default:
			x.Dropped(part.Type)
		}
	}
}

// text is what a message says, a refusal included: it is what the model says.
func (i *item) text() string {
	var text strings.Builder
	for k := range i.Content {
		text.WriteString(i.Content[k].text())
	}
	return text.String()
}

// args is the arguments of a call; "": it has none.
func (i *item) args() string {
	if i.Args == nil {
		return ""
	}
	return *i.Args
}

func (c *responses) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	var r responseDoc
	if err := call.Document(data, &r); err != nil {
		return chat.Reply{}, err
	}
	x := responseExchange{call, c.state}
	x.count(&r)
	if isError(r.Error) {
		return chat.Reply{}, call.Reported(r.Error)
	}
	items := make([]item, len(r.Output))
	for i, raw := range r.Output {
		if err := call.Document(raw, &items[i]); err != nil {
			return chat.Reply{}, err
		}
		items[i].raw = raw
		call.Came(len(items[i].text()) + len(items[i].args()))
	}
	if r.Output == nil && r.Incomplete.Reason != "content_filter" {
		return chat.Reply{}, call.Fail(providers.BadReply, nil, "the reply has no output: %s", call.ExcerptOf(data))
	}
	return x.reply(&r, items)
}

func (c *responses) Stream(call *wire.Call) wire.Decoder {
	return &responseStream{responseExchange: responseExchange{call, c.state}}
}

// responseExchange is a call whose reply is being read.
type responseExchange struct {
	*wire.Call
	state string
}

func (x responseExchange) count(r *responseDoc) {
	if r.Usage != nil {
		x.Count(r.Usage.chat())
	}
}

// reply makes the reply out of its items.
func (x responseExchange) reply(r *responseDoc, items []item) (chat.Reply, error) {
	out := chat.Reply{ID: string(r.ID), Model: r.Model}
	if r.Usage != nil {
		out.Usage = r.Usage.chat()
	}
	all, spoken := wire.Blocks{State: x.state}, false
	for i := range items {
		switch it := &items[i]; it.Type {
		case "message":
			x.drop(it)
			text := it.text()
			all.Text(apart(spoken, text))
			spoken = spoken || text != ""
			out.Refused = out.Refused || slices.ContainsFunc(it.Content, itemContent.refuses)
		case "function_call":
			if it.Status == unfinished && r.Status == "completed" {
				return chat.Reply{}, x.Fail(providers.BadReply, nil, "the call of %s is not finished, and the reply is",
					x.Excerpt(it.Name))
			}
			if it.Args == nil {
				x.Unargued(it.Name)
			}
			if err := all.Call(x.Call, it.CallID, it.Name, it.args()); err != nil {
				return chat.Reply{}, err
			}
		case "":
			x.Lacks("a part", "type")
		default:
			if it.Type != "reasoning" {
				x.Dropped(it.Type)
			}
			if it.Encrypted != "" { // what has nothing of its own cannot be sent back: the server keeps nothing
				all.Keep(it.raw)
			}
		}
	}
	err := all.Reply(x.Call, &out)
	if err == nil {
		out.FinishReason, err = x.finish(r, &out)
	}
	if out.FinishReason == "stop" && slices.ContainsFunc(items, func(it item) bool { return it.Status == unfinished }) {
		out.FinishReason = unfinished
	}
	if err != nil {
		return chat.Reply{}, err
	}
	return out, nil
}

// apart is what a message of a reply says. A model may say several: what it is about to do, and then the answer.
func apart(spoken bool, text string) string {
	if spoken && text != "" {
		return betweenMessages + text
	}
	return text
}

// betweenMessages stands between the messages of one reply.
const betweenMessages = "\n\n"

// finish is why the model stopped.
func (x responseExchange) finish(r *responseDoc, out *chat.Reply) (string, error) {
	reason := r.Incomplete.Reason
	x.Says("incomplete_details", reason)
	switch {
	case r.Status == "completed" && len(out.ToolCalls) > 0:
		return "tool_calls", nil
	case r.Status == "completed":
		return "stop", nil
	case r.Status != unfinished:
		return "", x.Fail(providers.BadReply, nil, "the server broke the reply off (status %q)", x.Excerpt(r.Status))
	case reason == "max_output_tokens":
		return "length", nil
	case reason == "content_filter" && out.Content == "":
		return "", x.Fail(providers.Refused, nil, "the content filter of the provider stopped the reply")
	case reason == "content_filter":
		return reason, nil
	case reason == "" || chat.BrokeOff(reason):
		return "", x.Fail(providers.BadReply, nil, "the server broke the reply off (incomplete, reason %q)",
			x.Excerpt(reason))
	}
	return unfinished + ": " + x.Excerpt(reason), nil
}

// unfinished is the status of a reply, or of a message in it, that could have gone on.
const unfinished = "incomplete"

// responseStream is a reply as far as its events have come in; see wire.Decoder.
type responseStream struct {
	responseExchange
	last      responseDoc
	items     []streamedItem
	args      map[int]string // pieces of arguments, by the index of their call
	textBytes int            // bytes of text since the last message ended
	spoken    bool           // a message that ended has said something
	ended     bool
}

type streamedItem struct {
	index int
	item
}

// responseEvent is an event of a stream.
type responseEvent struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response *responseDoc    `json:"response"`
	Error    json.RawMessage `json:"error"`

	Text    string `json:"text"` // what the pieces before it make
	Refusal string `json:"refusal"`
	Args    string `json:"arguments"`
}

// Event takes one event.
func (s *responseStream) Event(e wire.Event) (last bool, err error) {
	var v responseEvent
	if err := s.Chunk(&e, &v); err != nil {
		return false, err
	}
	switch v.Type {
	case "error":
		return false, s.Reported(e.Data)
	case "response.created", "response.in_progress":
		s.Came(0)
		if v.Response != nil {
			s.Model = v.Response.Model
		}
		return false, nil
	case "response.output_text.delta", "response.refusal.delta":
		var text string
		if err := s.Document(v.Delta, &text); err != nil {
			return false, err
		}
		piece := apart(s.spoken && s.textBytes == 0, text)
		s.textBytes += len(text)
		s.Came(len(text))
		return false, s.EmitText(piece)
	case "response.output_text.done", "response.refusal.done":
		if s.textBytes > 0 && !strings.HasSuffix(s.EmittedText(), v.Text+v.Refusal) {
			return false, s.disagrees(otherText)
		}
		return false, nil
	case "response.function_call_arguments.delta":
		s.Came(len(v.Delta))
		s.Progress()
		return false, s.argument(&v)
	case "response.function_call_arguments.done":
		return false, s.allArgs(&v)
	case "response.output_item.added", "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.Progress()
		return false, nil
	case "response.output_item.done":
		return false, s.done(&v)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return s.end(&v)
	}
	if isError(v.Error) || e.Name == "error" {
		return false, s.Reported(e.Data)
	}
	return false, nil
}

// done takes an item that is whole. A message whose text did not stream is said now.
func (s *responseStream) done(v *responseEvent) error {
	it := streamedItem{index: v.Index}
	if err := s.Document(v.Item, &it.item); err != nil {
		return err
	}
	it.raw = slices.Clone(v.Item)
	s.items = append(s.items, it)
	s.Progress()
	if it.Type == "function_call" {
		err := s.sameArgs(v.Index, it.args())
		delete(s.args, v.Index) // some servers give all calls one index
		return err
	}
	if it.Type != "message" {
		return nil
	}
	streamed, text, spoken := s.textBytes, it.text(), s.spoken
	s.textBytes, s.spoken = 0, spoken || text != ""
	if streamed > 0 {
		return nil
	}
	s.Came(len(text))
	return s.EmitText(apart(spoken, text))
}

func (s *responseStream) end(v *responseEvent) (last bool, err error) {
	if v.Response == nil {
		return false, s.Fail(providers.BadReply, nil, "the last event of the stream has no response")
	}
	s.last = *v.Response
	s.count(&s.last)
	if s.last.Model != "" {
		s.Model = s.last.Model
	}
	for _, raw := range []json.RawMessage{s.last.Error, v.Error} {
		if isError(raw) {
			return false, s.Reported(raw)
		}
	}
	if s.last.Status == "" {
		s.last.Status = strings.TrimPrefix(v.Type, "response.")
	}
	s.ended = true
	s.Finished()
	return true, nil
}

// Reply is the reply, when its end came.
func (s *responseStream) Reply() (chat.Reply, error) {
	if !s.ended {
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the stream ended before the reply did (no response.completed)")
	}
	sortby.Func(s.items, func(a, b streamedItem) int { return a.index - b.index })
	items := make([]item, len(s.items))
	for i := range s.items {
		items[i] = s.items[i].item
	}
	if s.textBytes > 0 { // a message that was cut
		text := s.EmittedText()
		rest := text[len(text)-s.textBytes:]
		items = append(items, item{Type: "message", Content: []itemContent{{spokenPart: spokenPart{Text: &rest}}}})
	}
	if len(items) == 0 && s.last.Output == nil && s.last.Status != unfinished {
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the reply has no output: the stream ended without any")
	}
	reply, err := s.reply(&s.last, items)
	if err == nil && reply.Content != s.EmittedText() {
		err = s.disagrees(otherText)
	}
	if err == nil {
		err = s.agrees(items)
	}
	if err != nil {
		return chat.Reply{}, err
	}
	return reply, nil
}
