package providers

import "github.com/arena-evals/arena/internal/chat"

// ClosedReply makes of a reply that is known whole what it would have been, had its stream been closed after the text
// that was handed out. What that would have cost nobody knows.
func ClosedReply(r chat.Reply, said string) chat.Reply {
	r.Usage.OutputTokens, r.Usage.Estimated = min(r.Usage.OutputTokens, (len(said)+3)/4), true
	r.Content, r.Parts, r.ToolCalls, r.ToolResults, r.FinishReason, r.CostUSD = said, nil, nil, nil, "", nil
	return r
}

// Address is where the calls of a provider go; "" when it does not say.
func Address(p Provider) string {
	for p != nil {
		if a, ok := p.(interface{ Address() string }); ok {
			return a.Address()
		}
		w, ok := p.(interface{ Unwrap() Provider })
		if !ok {
			return ""
		}
		p = w.Unwrap()
	}
	return ""
}
