package recording

import "github.com/arena-evals/arena/internal/chat"

// Results returns what came of the calls of the i-th message, by their index. Ids may be used again later in a
// conversation: a result belongs to the last call of its id before it.
func (s *Session) Results(i int) map[int]*chat.ToolResult {
	calls := s.Messages[i].Said().ToolCalls
	if len(calls) == 0 {
		return nil
	}
	open := make(map[string]int, len(calls)) // id of a call without a result → its index
	for n, c := range calls {
		open[c.ID] = n
	}
	found := make(map[int]*chat.ToolResult, len(calls))
	for j := i + 1; j < len(s.Messages) && len(open) > 0; j++ {
		m := &s.Messages[j]
		for _, c := range m.ToolCalls {
			delete(open, c.ID)
		}
		if m.ToolResult == nil {
			continue
		}
		if n, ours := open[m.ToolResult.ID]; ours {
			found[n] = m.ToolResult
			delete(open, m.ToolResult.ID)
		}
	}
	return found
}
