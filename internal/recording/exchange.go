package recording

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Exchanges cuts a conversation into its turns: each begins with what the user says after the assistant has spoken.
func Exchanges(messages []Message) [][]Message {
	var parts [][]Message
	start, spoken := 0, false
	for i := range messages {
		switch messages[i].Role {
		case chat.User:
			if spoken {
				parts = append(parts, messages[start:i])
				start, spoken = i, false
			}
		case chat.Assistant, chat.ToolRole:
			spoken = true
		case chat.System:
		}
	}
	if start < len(messages) {
		parts = append(parts, messages[start:])
	}
	return parts
}

// Asked is what the user says in a turn.
func Asked(turn []Message) string {
	var texts []string
	for i := range turn {
		if turn[i].Role == chat.User {
			texts = append(texts, turn[i].Text())
		}
	}
	return strings.Join(texts, "\n")
}

// Results returns what came of the calls of the i-th message, by their index. Ids may be used again later in a
// conversation: a result belongs to the last call of its id before it.
func Results(messages []Message, i int) map[int]*chat.ToolResult {
	calls := messages[i].ToolCalls
	if len(calls) == 0 {
		return nil
	}
	open := make(map[string]int, len(calls)) // id of a call without a result → its index
	for n, c := range calls {
		open[c.ID] = n
	}
	found := make(map[int]*chat.ToolResult, len(calls))
	for j := i + 1; j < len(messages) && len(open) > 0; j++ {
		m := &messages[j]
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
