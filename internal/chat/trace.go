package chat

// Trace is what an agent that is a program reported about its work for a reply.
type Trace struct {
	Spans []TraceSpan `json:"spans"` // in the order of their starts
	// LeftOut is how many more spans there were than are kept to be shown. They counted like the others.
	LeftOut int    `json:"spans_left_out,omitempty"`
	Notice  string `json:"notice,omitempty"` // what of the spans cannot be
}

// TraceSpan is one operation of the program. Tool calls and their results are in the messages.
type TraceSpan struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`            // model, tool, agent, embedding, evaluator or other
	Depth int    `json:"depth,omitempty"` // how many spans are around it
	// StartMS is the time since the first start in the trace; nil: it has no time that counts.
	StartMS    *float64 `json:"start_ms,omitempty"`
	DurationMS float64  `json:"duration_ms,omitempty"`
	Model      string   `json:"model,omitempty"`
	Usage      *Usage   `json:"usage,omitempty"`    // nil: not told
	CostUSD    *float64 `json:"cost_usd,omitempty"` // nil: not known
	Output     string   `json:"output,omitempty"`   // the beginning of what a model said
	Error      string   `json:"error,omitempty"`
}
