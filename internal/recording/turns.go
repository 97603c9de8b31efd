package recording

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Turns splits a conversation into turns. A turn starts at the first message of the user after a reply.
func Turns(messages []Message) [][]Message {
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

// UserText is the text of the user in a turn.
func UserText(turn []Message) string {
	var texts []string
	for i := range turn {
		if turn[i].Role == chat.User {
			texts = append(texts, turn[i].Text())
		}
	}
	return strings.Join(texts, "\n")
}

// Results returns the results of the i-th message's calls, by the index of the call. Ids may be reused: a result
// belongs to the last call before it that has its id.
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
