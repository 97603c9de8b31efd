package chat

// LastLatency is how long the last reply took, in milliseconds; nil: there is no reply. Where the agent does not report
// its calls of models, nobody knows when the last one began: it is the time of all that it said in that turn then.
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
