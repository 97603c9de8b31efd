package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// modelRequest is one call of a model.
type modelRequest struct {
	Model string `json:"model,omitempty"`
	// AsBefore is how many messages are those with which the model call before began; only files make use of it.
	AsBefore    int             `json:"as_before,omitempty"`
	Messages    []message       `json:"messages"`
	Tools       []string        `json:"tools,omitempty"` // by name
	ToolChoice  string          `json:"tool_choice,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	MaxTokens   *int            `json:"max_tokens,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Stream      bool            `json:"stream,omitempty"`
	JSONSchema  json.RawMessage `json:"json_schema,omitempty"`
	Extra       map[string]any  `json:"extra,omitempty"`
}

// modelReply is what a model answered, as far as it came.
type modelReply struct {
	Content   Text            `json:"content"`
	Parts     []part          `json:"parts,omitempty"`
	ToolCalls []chat.ToolCall `json:"tool_calls,omitempty"`
	// ToolResults came along with the calls, from a mock or another recording.
	ToolResults []toolReply `json:"tool_results,omitempty"`
	// Finish is empty when the stream was closed, or broke off.
	Finish  string   `json:"finish_reason,omitempty"`
	Closed  bool     `json:"closed,omitempty"` // a guardrail had heard enough: what would have followed never came
	Chunks  chunks   `json:"chunks,omitempty"`
	Model   string   `json:"model,omitempty"` // as the provider named it
	Usage   usage    `json:"usage"`
	CostUSD *float64 `json:"cost_usd"` // null: not known
	Retries int      `json:"retries,omitempty"`
	Cached  bool     `json:"cached,omitempty"`
	Notice  string   `json:"notice,omitempty"`
}

type usage struct {
	Input     int  `json:"input_tokens"`
	Output    int  `json:"output_tokens"`
	Cached    int  `json:"cached_tokens,omitempty"`
	Estimated bool `json:"estimated,omitempty"`
}

func usageOf(u chat.Usage) usage {
	return usage{u.InputTokens, u.OutputTokens, u.CachedTokens, u.Estimated}
}

func (u usage) chat() chat.Usage {
	return chat.Usage{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, Estimated: u.Estimated}
}

// Complete is client.Complete, recorded or answered from the recording. client is not called, and may be nil, when the
// recording answers. The reply says how long it took, also with an error.
func (l *Lane) Complete(
	ctx context.Context, client providers.Provider, model string, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	heard := &listener{now: l.tape.now, onDelta: onDelta}
	e, err := l.ask(ctx, &question{
		kind: kindModel, write: func(p pen) (any, []tool, error) { return p.modelRequest(model, req) },
		live: func() (any, float64, error) { return l.listen(ctx, client, req, heard) },
	})
	if err != nil {
		return chat.Reply{}, err
	}
	r, _ := e.reply.(*modelReply)
	if r == nil {
		r = &modelReply{}
	}
	reply, err := l.tape.deck.modelReply(r)
	if err != nil {
		return chat.Reply{}, l.tape.broke(err)
	}
	reply.LatencyMS = e.latency
	closed := heard.enough
	if l.tape.playing() {
		if closed, err = l.speak(ctx, e, &reply, req.Stream, onDelta); err != nil {
			return chat.Reply{LatencyMS: e.latency}, err
		}
	} else {
		l.tape.remember(heard.calls, reply.ToolCalls)
	}
	if e.failure != nil && !closed {
		return chat.Reply{LatencyMS: e.latency}, e.err()
	}
	return reply, nil
}

func (p pen) modelRequest(model string, req *chat.Request) (any, []tool, error) {
	messages, err := p.messagesOf(req.Messages)
	if err != nil {
		return nil, nil, err
	}
	q := &modelRequest{
		Model: model, Messages: messages, ToolChoice: req.ToolChoice, Temperature: req.Temperature, TopP: req.TopP,
		MaxTokens: req.MaxTokens, Seed: req.Seed, Stream: req.Stream, JSONSchema: p.schema(req.JSONSchema),
		Extra: p.args(req.Extra),
	}
	tools := make([]tool, len(req.Tools))
	for i, offered := range req.Tools {
		q.Tools = append(q.Tools, offered.Name)
		tools[i] = tool{offered.Name, p.text(offered.Description), p.schema(offered.Schema)}
	}
	return q, tools, nil
}

// listen makes the call and notes how the reply streams in.
func (l *Lane) listen(
	ctx context.Context, client providers.Provider, req *chat.Request, heard *listener,
) (any, float64, error) {
	heard.began = l.tape.now()
	var onDelta func(chat.Delta) error
	if req.Stream {
		onDelta = heard.hear
		if heard.onDelta == nil {
			ctx = providers.Unheard(ctx)
		}
	}
	reply, err := client.Complete(ctx, req, onDelta)
	heard.calls = reply.ToolCalls
	if err != nil {
		if heard.text.Len() == 0 || heard.onDelta == nil {
			return nil, measured, err
		}
		reply = chat.Reply{Content: heard.text.String()}
	}
	took := measured
	if l.tape.simulated {
		took = reply.LatencyMS
	}
	r, failed := l.tape.pen.replyOf(&reply)
	if failed != nil {
		return nil, took, failed
	}
	r.Closed, r.Chunks = heard.enough, heard.chunksOf(reply.Content)
	return r, took, err
}

func (p pen) replyOf(r *chat.Reply) (*modelReply, error) {
	parts, err := p.partsOf(r.Parts, true)
	if err != nil {
		return nil, err
	}
	out := &modelReply{
		Content: p.text(r.Content), Parts: parts, ToolCalls: p.calls(r.ToolCalls), Finish: r.FinishReason, Model: r.Model,
		Usage: usageOf(r.Usage), CostUSD: r.CostUSD, Retries: r.Retries, Cached: r.Cached,
		Notice: string(p.text(r.Notice)),
	}
	for i := range r.ToolResults {
		result, err := p.resultOf(&r.ToolResults[i], true)
		if err != nil {
			return nil, err
		}
		out.ToolResults = append(out.ToolResults, *result)
	}
	return out, nil
}

func (d *Deck) modelReply(r *modelReply) (chat.Reply, error) {
	parts, err := d.parts(r.Parts)
	if err != nil {
		return chat.Reply{}, err
	}
	out := chat.Reply{
		Content: string(r.Content), Parts: parts, ToolCalls: r.ToolCalls, FinishReason: r.Finish, Model: r.Model,
		Usage: r.Usage.chat(), CostUSD: r.CostUSD, Retries: r.Retries, Cached: r.Cached, Notice: r.Notice,
	}
	for i := range r.ToolResults {
		result, err := d.result(&r.ToolResults[i])
		if err != nil {
			return chat.Reply{}, err
		}
		out.ToolResults = append(out.ToolResults, result)
	}
	return out, nil
}

// listener hears a reply as it streams in. It belongs to one call.
type listener struct {
	now     func() time.Time
	onDelta func(chat.Delta) error // nil: nobody else listens
	began   time.Time
	text    strings.Builder
	pieces  chunks
	enough  bool
	calls   []chat.ToolCall // as they came
}

func (h *listener) hear(d chat.Delta) error {
	ms := float64(h.now().Sub(h.began).Round(time.Microsecond)) / float64(time.Millisecond)
	h.pieces = append(h.pieces, chunk{utf8.RuneCountInString(d.Text), max(ms, 0)})
	h.text.WriteString(d.Text)
	if h.onDelta == nil {
		return nil
	}
	err := h.onDelta(d)
	h.enough = h.enough || errors.Is(err, providers.ErrEnough)
	return err
}

// chunksOf are the pieces of the attempt that gave the text: the last ones, when others broke off before it.
func (h *listener) chunksOf(text string) chunks {
	want := utf8.RuneCountInString(text)
	for i, piece := range slices.Backward(h.pieces) {
		if want -= piece.runes; want <= 0 {
			return h.pieces[i:]
		}
	}
	return h.pieces
}

// speak hands a recorded reply out as it came. Where the listener closes the stream before the recorded end, the reply
// becomes what was handed out.
func (l *Lane) speak(
	ctx context.Context, e *entry, reply *chat.Reply, stream bool, onDelta func(chat.Delta) error,
) (closed bool, err error) {
	r, _ := e.reply.(*modelReply)
	if r == nil || !stream {
		return false, l.tape.wait(ctx, e.latency)
	}
	at, said := 0.0, ""
	for i, piece := range r.Chunks.cut(reply.Content) {
		if i < len(r.Chunks) {
			if err := l.tape.wait(ctx, r.Chunks[i].ms-at); err != nil {
				return false, err
			}
			at = max(at, r.Chunks[i].ms)
		}
		if onDelta == nil {
			continue
		}
		said += piece
		err := onDelta(chat.Delta{Text: piece})
		if closed = errors.Is(err, providers.ErrEnough); closed {
			break
		}
		if err != nil {
			return false, err
		}
	}
	switch {
	case closed && (!r.Closed || said != reply.Content):
		*reply = providers.Closed(*reply, said)
		return true, nil
	case r.Closed && !closed:
		return false, l.miss(e.place, "the recording of this reply ends where a guardrail closed the stream, and none "+
			"closes it there now")
	}
	return closed, l.tape.wait(ctx, e.latency-at)
}
