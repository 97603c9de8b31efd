package chat

// LastLatency is the latency of the last reply in milliseconds; nil: there is no reply. If the agent does not report
// its model calls, it is the time of all replies of that turn.
func LastLatency(messages []Message) *float64 {
	var took *float64
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		switch {
		case m.Role == ToolRole:
			continue
		case m.Role != Assistant:
			if took != nil {
				return took
			}
			continue
		case took == nil:
			took = new(m.LatencyMS)
		default:
			*took += m.LatencyMS
		}
		if !m.IsUnreported(UnreportedModelCalls) {
			return took
		}
	}
	return took
}
