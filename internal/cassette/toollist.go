package cassette

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// ToolList is the list of tools of an external source, such as an MCP server.
type ToolList struct {
	Tools    []chat.Tool
	AsBefore bool     // the tools are those of the previous list in the trial; Tools is empty
	Fixed    bool     // the list cannot change
	Notices  []string // for the user
}

// toolListRequest asks a source for its tools.
type toolListRequest struct {
	Source string `json:"source"`
}

// toolListReply is a list of tools.
type toolListReply struct {
	Tools    []tool   `json:"tools,omitempty"`
	AsBefore bool     `json:"as_before,omitempty"`
	Fixed    bool     `json:"fixed,omitempty"`
	Notices  []string `json:"notices,omitempty"`
}

// List records list(ctx), or replays it: a replay starts no source.
func (l *Lane) List(
	ctx context.Context, source string, list func(context.Context) (ToolList, error),
) (ToolList, error) {
	if l == nil {
		return list(ctx)
	}
	rec := l.recorder
	write := func(enc encoder) (any, []tool, error) {
		return &toolListRequest{string(enc.text(source))}, nil, nil
	}
	send := func() (replyEncoder, float64, error) {
		got, err := list(ctx)
		if err != nil {
			return nil, measureTime, err
		}
		return func(enc encoder) (any, error) { return enc.toolListOf(&got), nil }, measureTime, nil
	}
	e, err := l.exchange(ctx, &question{kind: kindTools, encode: write, send: send})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return ToolList{}, err
	}
	r, _ := e.reply.(*toolListReply)
	if r == nil {
		return ToolList{}, rec.fail(errNoReply)
	}
	out := ToolList{AsBefore: r.AsBefore, Fixed: r.Fixed, Notices: r.Notices}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, chat.Tool{Name: t.Name, Description: string(t.Description), Schema: t.Schema})
	}
	return out, nil
}

func (enc encoder) toolListOf(list *ToolList) *toolListReply {
	out := &toolListReply{AsBefore: list.AsBefore, Fixed: list.Fixed}
	for _, t := range list.Tools {
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: enc.text(t.Description), Schema: enc.schema(t.Schema)})
	}
	for _, text := range list.Notices {
		out.Notices = append(out.Notices, string(enc.text(text)))
	}
	return out
}
