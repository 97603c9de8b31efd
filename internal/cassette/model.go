package cassette

import (
	"context"
	"encoding/json"

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
	SchemaName  string          `json:"schema_name,omitempty"`
	JSON        bool            `json:"json,omitempty"` // of any form
	Stop        []Text          `json:"stop,omitempty"`
	Effort      string          `json:"reasoning_effort,omitempty"`
	Parallel    *bool           `json:"parallel_tool_calls,omitempty"`
	Extra       map[string]any  `json:"extra,omitempty"`
}

// modelReply is what a model answered, as far as it came.
type modelReply struct {
	Content   Text            `json:"content"`
	Parts     []part          `json:"parts,omitempty"`
	ToolCalls []chat.ToolCall `json:"tool_calls,omitempty"`
	// ToolResults came along with the calls, from a mock or another recording.
	ToolResults []toolReply  `json:"tool_results,omitempty"`
	Opaque      *chat.Opaque `json:"opaque,omitempty"`
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
	Source  string   `json:"source,omitempty"` // the same as long as the same model at the same place is asked
}

type usage struct {
	Input     int  `json:"input_tokens"`
	Output    int  `json:"output_tokens"`
	Cached    int  `json:"cached_tokens,omitempty"`
	Written   int  `json:"cache_write_tokens,omitempty"`
	Reasoning int  `json:"reasoning_tokens,omitempty"`
	Estimated bool `json:"estimated,omitempty"`
}

func usageOf(u chat.Usage) usage {
	return usage{u.InputTokens, u.OutputTokens, u.CachedTokens, u.CacheWriteTokens, u.ReasoningTokens, u.Estimated}
}

func (u usage) chat() chat.Usage {
	return chat.Usage{
		InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, CacheWriteTokens: u.Written,
		ReasoningTokens: u.Reasoning, Estimated: u.Estimated,
	}
}

// Complete is client.Complete, recorded or answered from the recording. client is not called, and may be nil, when the
// recording answers. The reply says how long it took, also with an error.
func (l *Lane) Complete(
	ctx context.Context, client providers.Provider, model string, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	heard := &listener{now: l.tape.now, onDelta: onDelta}
	e, err := l.ask(ctx, &question{
		kind: kindModel, source: l.tape.source, write: func(p pen) (any, []tool, error) { return p.modelRequest(model, req) },
		live: func() (reply, float64, error) { return l.listen(ctx, client, req, heard) },
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
	if e.again {
		reply.Cached = true
	}
	if l.tape.playing() || e.again {
		if closed, err = l.speak(ctx, e, &reply, req.Stream, onDelta); err != nil {
			return chat.Reply{LatencyMS: e.latency}, err
		}
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
		SchemaName: req.SchemaName, JSON: req.JSON, Effort: req.ReasoningEffort, Parallel: req.ParallelToolCalls,
		Extra: p.args(req.Extra),
	}
	for _, text := range req.Stop {
		q.Stop = append(q.Stop, p.text(text))
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
) (reply, float64, error) {
	heard.began = l.tape.now()
	var onDelta func(chat.Delta) error
	if req.Stream {
		onDelta = heard.hear
		if heard.onDelta == nil {
			ctx = providers.RetryStreamed(ctx)
		}
	}
	said, err := client.Complete(ctx, req, onDelta)
	if err != nil {
		if heard.text.Len() == 0 || heard.onDelta == nil {
			return nil, measured, err
		}
		said = chat.Reply{Content: heard.text.String()}
	}
	took := measured
	if l.tape.simulated {
		took = said.LatencyMS
	}
	return func(p pen) (any, error) {
		r, err := p.replyOf(&said)
		if err != nil {
			return nil, err
		}
		r.Source = l.tape.source
		r.Closed, r.Chunks = heard.enough, heard.chunksOf(said.Content)
		return r, nil
	}, took, err
}

func (p pen) replyOf(r *chat.Reply) (*modelReply, error) {
	parts, err := p.partsOf(r.Parts, true)
	if err != nil {
		return nil, err
	}
	out := &modelReply{
		Content: p.text(r.Content), Parts: parts, ToolCalls: p.calls(r.ToolCalls), Finish: r.FinishReason, Model: r.Model,
		Usage: usageOf(r.Usage), CostUSD: r.CostUSD, Retries: r.Retries, Cached: r.Cached,
		Notice: string(p.text(r.Notice)), Opaque: p.opaque(r.Opaque),
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
		Opaque: r.Opaque,
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
