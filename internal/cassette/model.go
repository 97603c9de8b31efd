package cassette

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
)

// modelRequest is one model call.
type modelRequest struct {
	Model string `json:"model,omitempty"`
	// AsBefore is the number of leading messages that equal those of the previous model call. It is used in files only.
	AsBefore    int              `json:"as_before,omitempty"`
	Messages    []message        `json:"messages"`
	Tools       []string         `json:"tools,omitempty"` // by name
	ToolChoice  string           `json:"tool_choice,omitempty"`
	Temperature *float64         `json:"temperature,omitempty"`
	TopP        *float64         `json:"top_p,omitempty"`
	MaxTokens   *int             `json:"max_tokens,omitempty"`
	Seed        *int64           `json:"seed,omitempty"`
	Stream      bool             `json:"stream,omitempty"`
	JSONSchema  json.RawMessage  `json:"json_schema,omitempty"`
	SchemaName  string           `json:"schema_name,omitempty"`
	JSON        bool             `json:"json,omitempty"` // a JSON object without a schema
	Stop        []Text           `json:"stop,omitempty"`
	Effort      string           `json:"reasoning_effort,omitempty"`
	Parallel    *bool            `json:"parallel_tool_calls,omitempty"`
	Extra       jsonvalue.Object `json:"extra,omitempty"`
}

// modelReply is the reply of a model. It is incomplete when there is an error too.
type modelReply struct {
	Content   Text            `json:"content"`
	Parts     []part          `json:"parts,omitempty"`
	ToolCalls []chat.ToolCall `json:"tool_calls,omitempty"`
	// ToolResults came with the reply, from a mock or another recording.
	ToolResults []toolReply  `json:"tool_results,omitempty"`
	Opaque      *chat.Opaque `json:"opaque,omitempty"`
	// Finish is empty when the stream was closed, or ended early.
	Finish     string   `json:"finish_reason,omitempty"`
	Closed     bool     `json:"closed,omitempty"` // a guardrail closed the stream
	Chunks     chunks   `json:"chunks,omitempty"`
	Model      string   `json:"model,omitempty"` // as named by the provider
	Usage      usage    `json:"usage"`
	CostUSD    *float64 `json:"cost_usd"` // null: not known
	Retries    int      `json:"retries,omitempty"`
	Cached     bool     `json:"cached,omitempty"`
	Notice     string   `json:"notice,omitempty"`
	Doubt      string   `json:"doubt,omitempty"`
	Unreported []string `json:"untold,omitempty"`
	Refused    bool     `json:"refused,omitempty"` // the API calls the reply a refusal
	// ModelCalls and Trace are set when the agent is a program.
	ModelCalls *int        `json:"model_calls,omitempty"`
	Trace      *chat.Trace `json:"trace,omitempty"`
	Source     string      `json:"source,omitempty"` // identifies model and server
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

// Complete records client.Complete, or replays it. client may be nil for a replay. The reply has its latency also when
// there is an error.
func (l *Lane) Complete(
	ctx context.Context, client providers.Provider, model string, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	stream := &streamRecorder{now: l.recorder.now, onDelta: onDelta}
	e, err := l.exchange(ctx, &question{
		kind: kindModel, source: l.source,
		encode: func(enc encoder) (any, []tool, error) { return enc.modelRequest(model, req) },
		send:   func() (replyEncoder, float64, error) { return l.callModel(ctx, client, req, stream) },
	})
	if err != nil {
		return chat.Reply{}, err
	}
	r, _ := e.reply.(*modelReply)
	if r == nil {
		r = &modelReply{}
	}
	reply, err := l.recorder.folder.modelReply(r)
	if err != nil {
		return chat.Reply{}, l.recorder.fail(err)
	}
	reply.LatencyMS = e.latency
	closed := stream.closed
	if e.reused {
		reply.Cached = true
	}
	if l.recorder.playing() || e.reused {
		if closed, err = l.replayStream(ctx, e, &reply, req.Stream, onDelta); err != nil {
			return chat.Reply{LatencyMS: e.latency}, err
		}
	}
	if e.failure != nil && !closed {
		return chat.Reply{LatencyMS: e.latency}, e.err()
	}
	return reply, nil
}

func (enc encoder) modelRequest(model string, req *chat.Request) (any, []tool, error) {
	messages, err := enc.messagesOf(req.Messages)
	if err != nil {
		return nil, nil, err
	}
	q := &modelRequest{
		Model: model, Messages: messages, ToolChoice: req.ToolChoice, Temperature: req.Temperature, TopP: req.TopP,
		MaxTokens: req.MaxTokens, Seed: req.Seed, Stream: req.Stream, JSONSchema: enc.schema(req.JSONSchema),
		SchemaName: req.SchemaName, JSON: req.JSON, Effort: req.ReasoningEffort, Parallel: req.ParallelToolCalls,
		Extra: enc.args(req.Extra),
	}
	for _, text := range req.Stop {
		q.Stop = append(q.Stop, enc.text(text))
	}
	tools := make([]tool, len(req.Tools))
	for i, offered := range req.Tools {
		q.Tools = append(q.Tools, offered.Name)
		tools[i] = tool{
			Name: offered.Name, Description: enc.text(offered.Description), Schema: enc.schema(offered.Schema),
		}
	}
	return q, tools, nil
}

// callModel makes the call and records how the reply streams.
func (l *Lane) callModel(
	ctx context.Context, client providers.Provider, req *chat.Request, stream *streamRecorder,
) (replyEncoder, float64, error) {
	stream.began = l.recorder.now()
	var onDelta func(chat.Delta) error
	if req.Stream {
		onDelta = stream.handle
		if stream.onDelta == nil {
			ctx = providers.RetryStreamed(ctx)
		}
	}
	reply, err := client.Complete(ctx, req, onDelta)
	if err != nil {
		if stream.text.Len() == 0 || stream.onDelta == nil {
			return nil, measureTime, err
		}
		reply = chat.Reply{Content: stream.text.String()}
	}
	took := measureTime
	if l.recorder.simulated {
		took = reply.LatencyMS
	}
	return func(enc encoder) (any, error) {
		r, err := enc.replyOf(&reply)
		if err != nil {
			return nil, err
		}
		r.Source = l.source
		r.Closed, r.Chunks = stream.closed, stream.chunksOf(reply.Content)
		return r, nil
	}, took, err
}

func (enc encoder) replyOf(r *chat.Reply) (*modelReply, error) {
	parts, err := enc.partsOf(r.Parts, true)
	if err != nil {
		return nil, err
	}
	out := &modelReply{
		Content: enc.text(r.Content), Parts: parts, ToolCalls: enc.calls(r.ToolCalls), Finish: r.FinishReason, Model: r.Model,
		Usage: usageOf(r.Usage), CostUSD: r.CostUSD, Retries: r.Retries, Cached: r.Cached,
		Notice: string(enc.text(r.Notice)), Doubt: string(enc.text(r.Doubt)), Opaque: enc.opaque(r.Opaque),
		Unreported: r.Unreported, Refused: r.Refused,
		ModelCalls: r.ModelCalls, Trace: enc.trace(r.Trace),
	}
	for i := range r.ToolResults {
		result, err := enc.resultOf(&r.ToolResults[i], true)
		if err != nil {
			return nil, err
		}
		out.ToolResults = append(out.ToolResults, *result)
	}
	return out, nil
}

// trace removes secrets from the trace of an agent.
func (enc encoder) trace(t *chat.Trace) *chat.Trace {
	if t == nil {
		return nil
	}
	out := *t
	out.Notice, out.Spans = string(enc.text(t.Notice)), slices.Clone(t.Spans)
	for i := range out.Spans {
		s := &out.Spans[i]
		s.Name, s.Model = string(enc.text(s.Name)), string(enc.text(s.Model))
		s.Output, s.Error = string(enc.text(s.Output)), string(enc.text(s.Error))
	}
	return &out
}

func (d *Folder) modelReply(r *modelReply) (chat.Reply, error) {
	parts, err := d.parts(r.Parts)
	if err != nil {
		return chat.Reply{}, err
	}
	out := chat.Reply{
		Content: string(r.Content), Parts: parts, ToolCalls: r.ToolCalls, FinishReason: r.Finish, Model: r.Model,
		Usage: r.Usage.chat(), CostUSD: r.CostUSD, Retries: r.Retries, Cached: r.Cached, Notice: r.Notice,
		Doubt: r.Doubt, Opaque: r.Opaque, Unreported: r.Unreported, Refused: r.Refused,
		ModelCalls: r.ModelCalls, Trace: r.Trace,
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
