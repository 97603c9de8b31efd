package providers

import "github.com/arena-evals/arena/internal/chat"

// ClosedReply is what a reply would have been if its stream had been closed after the text said. Its cost is not known.
func ClosedReply(r chat.Reply, text string) chat.Reply {
	r.Usage.OutputTokens, r.Usage.Estimated = min(r.Usage.OutputTokens, (len(text)+3)/4), true
	r.Content, r.Parts, r.ToolCalls, r.ToolResults, r.FinishReason, r.CostUSD = text, nil, nil, nil, "", nil
	return r
}
