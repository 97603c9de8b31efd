package wire

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// estimate is the tokens of a call whose server did not count them: four bytes each.
func estimate(req *chat.Request, r *chat.Reply) chat.Usage {
	in, out := 0, len(r.Content)
	for i := range req.Messages {
		in += len(req.Messages[i].Text())
		if t := req.Messages[i].ToolResult; t != nil {
			in += len(t.Content)
		}
	}
	for i := range r.ToolCalls {
		out += len(r.ToolCalls[i].Name) + len(fmt.Sprint(r.ToolCalls[i].Args))
	}
	return chat.Usage{InputTokens: (in + 3) / 4, OutputTokens: (out + 3) / 4, Estimated: true}
}
