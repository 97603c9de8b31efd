package providers

import "github.com/arena-evals/arena/internal/chat"

// ClosedReply is what a reply would have been if its stream had been closed after the text said. Its cost is not known.
func ClosedReply(r chat.Reply, said string) chat.Reply {
	r.Usage.OutputTokens, r.Usage.Estimated = min(r.Usage.OutputTokens, (len(said)+3)/4), true
	r.Content, r.Parts, r.ToolCalls, r.ToolResults, r.FinishReason, r.CostUSD = said, nil, nil, nil, "", nil
	return r
}
