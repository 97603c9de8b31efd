package cassette

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// toolRequest is a tool call.
type toolRequest struct {
	Name    string    `json:"name"`
	Args    chat.Args `json:"args"`
	BadArgs string    `json:"bad_args,omitempty"`
	Answer  string    `json:"definition,omitempty"` // hash of the mock's definition
}

// toolReply is the result of a tool.
type toolReply struct {
	ID        string           `json:"id,omitempty"` // of the call
	Name      string           `json:"name,omitempty"`
	Content   Text             `json:"content"`
	Parts     []part           `json:"parts,omitempty"`
	Error     Text             `json:"error,omitempty"` // the call failed
	ErrorType string           `json:"error_type,omitempty"`
	LatencyMS float64          `json:"latency_ms,omitempty"` // as reported by the tool
	Metadata  jsonvalue.Object `json:"metadata,omitempty"`
	Notice    string           `json:"notice,omitempty"` // for the user
	Doubt     string           `json:"doubt,omitempty"`  // the same
}

// Call records run(ctx, call), or replays it. definition identifies the answer of a simulated tool; "" for others.
func (l *Lane) Call(
	ctx context.Context, call chat.ToolCall, definition string,
	run func(context.Context, chat.ToolCall) chat.ToolResult,
) chat.ToolResult {
	if l == nil {
		return run(ctx, call)
	}
	rec := l.recorder
	write := func(enc encoder) (any, []tool, error) {
		return &toolRequest{
			string(enc.text(call.Name)), enc.args(call.Args), enc.badArgs(call.BadArgs), definition,
		}, nil, nil
	}
	e, err := l.exchange(ctx, &question{kind: kindTool, encode: write, send: func() (replyEncoder, float64, error) {
		res := run(ctx, call)
		return func(enc encoder) (any, error) { return enc.resultOf(&res, true) }, measureTime, nil
	}})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return failedResult(call, err)
	}
	r, _ := e.reply.(*toolReply)
	if r == nil {
		return failedResult(call, rec.fail(errNoReply))
	}
	res, err := rec.folder.result(r)
	if err != nil {
		return failedResult(call, rec.fail(err))
	}
	res.ID, res.Name = call.ID, call.Name
	return res
}

// result converts a recorded result back.
func (d *Folder) result(r *toolReply) (chat.ToolResult, error) {
	parts, err := d.parts(r.Parts)
	return chat.ToolResult{
		ID: r.ID, Name: r.Name, Content: string(r.Content), Parts: parts, Error: string(r.Error), ErrorType: r.ErrorType,
		LatencyMS: r.LatencyMS, Metadata: r.Metadata, Notice: r.Notice, Doubt: r.Doubt,
	}, err
}

// failedResult is the result of a call after an error of the recorder. The trial is an error then.
func failedResult(call chat.ToolCall, err error) chat.ToolResult {
	return chat.ToolResult{
		ID: call.ID, Name: call.Name, Content: err.Error(), Error: err.Error(), ErrorType: chat.ErrorExecution,
	}
}

func (enc encoder) resultOf(r *chat.ToolResult, keep bool) (*toolReply, error) {
	parts, err := enc.partsOf(r.Parts, keep)
	out := &toolReply{
		ID: r.ID, Name: r.Name, Content: enc.text(r.Content), Parts: parts, Error: enc.text(r.Error),
		ErrorType: r.ErrorType, LatencyMS: r.LatencyMS,
	}
	if keep { // requests do not contain notices and doubts
		out.Metadata, out.Notice, out.Doubt = enc.args(r.Metadata), string(enc.text(r.Notice)), string(enc.text(r.Doubt))
	}
	return out, err
}
