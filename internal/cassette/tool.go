package cassette

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// toolRequest is one call of a tool.
type toolRequest struct {
	Name    string         `json:"name"`
	Args    map[string]any `json:"args"`
	BadArgs string         `json:"bad_args,omitempty"`
	Answer  string         `json:"definition,omitempty"` // hash of the canned answer of a mock
}

// toolReply is what a tool answered.
type toolReply struct {
	ID        string         `json:"id,omitempty"` // of the call
	Name      string         `json:"name,omitempty"`
	Content   Text           `json:"content"`
	Parts     []part         `json:"parts,omitempty"`
	Error     Text           `json:"error,omitempty"` // the call failed
	ErrorType string         `json:"error_type,omitempty"`
	LatencyMS float64        `json:"latency_ms,omitempty"` // as the tool says
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// Call is run(ctx, call), recorded or answered from the recording. definition is the same as long as a simulated tool
// answers the same; "" for tools that are not simulated.
func (l *Lane) Call(
	ctx context.Context, call chat.ToolCall, definition string,
	run func(context.Context, chat.ToolCall) chat.ToolResult,
) chat.ToolResult {
	if l == nil {
		return run(ctx, call)
	}
	t := l.tape
	write := func(p pen) (any, []tool, error) {
		return &toolRequest{
			string(p.text(call.Name)), p.args(call.Args), string(p.text(call.BadArgs)), definition,
		}, nil, nil
	}
	e, err := l.ask(ctx, &question{kind: kindTool, write: write, live: func() (reply, float64, error) {
		res := run(ctx, call)
		return func(p pen) (any, error) { return p.resultOf(&res, true) }, measured, nil
	}})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return lost(call, err)
	}
	r, _ := e.reply.(*toolReply)
	if r == nil {
		return lost(call, t.broke(errNoReply))
	}
	res, err := t.deck.result(r)
	if err != nil {
		return lost(call, t.broke(err))
	}
	res.ID, res.Name = call.ID, call.Name
	return res
}

// result is a result that a cassette holds.
func (d *Deck) result(r *toolReply) (chat.ToolResult, error) {
	parts, err := d.parts(r.Parts)
	return chat.ToolResult{
		ID: r.ID, Name: r.Name, Content: string(r.Content), Parts: parts, Error: string(r.Error), ErrorType: r.ErrorType,
		LatencyMS: r.LatencyMS, Metadata: r.Metadata,
	}, err
}

// lost stands for the result of a call that the tape could not answer; the trial is an error then.
func lost(call chat.ToolCall, err error) chat.ToolResult {
	return chat.ToolResult{
		ID: call.ID, Name: call.Name, Content: err.Error(), Error: err.Error(), ErrorType: chat.ErrorExecution,
	}
}

func (p pen) resultOf(r *chat.ToolResult, keep bool) (*toolReply, error) {
	parts, err := p.partsOf(r.Parts, keep)
	out := &toolReply{
		ID: r.ID, Name: r.Name, Content: p.text(r.Content), Parts: parts, Error: p.text(r.Error),
		ErrorType: r.ErrorType, LatencyMS: r.LatencyMS,
	}
	if keep { // no model is told
		out.Metadata = p.args(r.Metadata)
	}
	return out, err
}
