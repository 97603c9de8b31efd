package runner

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// The instructions of a model that plays the user, besides its persona. The model never sees the agent's instructions,
// tools and tool results: a user who knew them would test nothing.
const (
	// conversationBegins is the first message: two APIs refuse a conversation that begins with the model's own message.
	conversationBegins = "(The conversation begins. Write what you say next, and nothing else.)"
	// wordlessReply replaces a reply of the agent without text.
	wordlessReply  = "(The other side sent nothing that can be shown here.)"
	endInstruction = "When you have what you came for, or see that you will not get it, end the conversation: write " +
		"your last message, and " + endMark + " behind it. Do not write that before."
)

// seenByUser is a conversation as its user sees it: with swapped roles, without the agent's prompt, tool calls and
// results, and without media that have no data. The messages of both sides alternate. empty is the number of the
// user's messages that have nothing to show.
func seenByUser(system string, said []chat.Message) (seen []chat.Message, empty int) {
	seen = make([]chat.Message, 0, len(said)+2)
	seen = append(seen, chat.Message{Role: chat.System, Content: system},
		chat.Message{Role: chat.User, Content: conversationBegins})
	for i := range said {
		switch m := &said[i]; m.Role {
		case chat.System, chat.ToolRole:
		case chat.User:
			own := chat.Message{Role: chat.Assistant, Content: m.Text()} // no API takes media from a model
			if strings.TrimSpace(own.Content) == "" {
				empty++
				continue
			}
			if seen[len(seen)-1].Role == chat.Assistant {
				seen = append(seen, chat.Message{Role: chat.User, Content: wordlessReply})
			}
			seen = append(seen, own)
		case chat.Assistant:
			other := chat.Message{Role: chat.User, Content: m.Content, Parts: partsWithData(m.Parts)}
			if strings.TrimSpace(other.Text()) == "" && len(other.Parts) == 0 {
				continue
			}
			seen = merged(seen, other)
		}
	}
	if seen[len(seen)-1].Role == chat.Assistant {
		seen = append(seen, chat.Message{Role: chat.User, Content: wordlessReply})
	}
	return seen, empty
}

// merged joins a message of the agent with its earlier ones since the last message of the user.
func merged(seen []chat.Message, other chat.Message) []chat.Message {
	last := &seen[len(seen)-1]
	if last.Role != chat.User || last.Content == conversationBegins || len(last.Parts)+len(other.Parts) > 0 {
		return append(seen, other)
	}
	last.Content += "\n\n" + other.Content
	return seen
}

// partsWithData are the texts, and the media whose data is there.
func partsWithData(parts []chat.Part) (kept []chat.Part) {
	for _, p := range parts {
		if p.Media == nil && p.Text != "" || p.Media != nil && p.Media.Holds() {
			kept = append(kept, p)
		}
	}
	return kept
}
