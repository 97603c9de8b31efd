package wire

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// opening is the first user message if the agent speaks first, for APIs whose conversations start with the user.
const opening = "(The conversation begins.)"

// Entry is the merged blocks of consecutive messages of one side. Tool results belong to the user's side.
type Entry struct {
	Agent  bool
	Blocks []any

	results int // number of blocks at the start that are tool results
}

// Alternate converts a conversation for APIs in which user and agent must alternate. It returns the system prompts, and
// the other messages, with consecutive ones of a side merged. blocks converts a message to blocks of the API; a message
// without blocks is left out. text converts a text to a block.
func Alternate(
	list []chat.Message, text func(string) any, blocks func(*chat.Message) ([]any, error),
) (system []string, out []Entry, err error) {
	out = make([]Entry, 0, len(list))
	for i := range list {
		m := &list[i]
		if m.Role == chat.System {
			if reply := m.Text(); reply != "" {
				system = append(system, reply)
			}
			continue
		}
		parsed, err := blocks(m)
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if len(parsed) > 0 {
			out = add(out, m, parsed)
		}
	}
	if len(out) > 0 && out[0].Agent {
		out = slices.Insert(out, 0, Entry{Blocks: []any{text(opening)}})
	}
	return system, out, nil
}

// add appends the blocks of a message, to the last entry if that is of the same side. Tool results come after existing
// ones and before any text.
func add(out []Entry, m *chat.Message, blocks []any) []Entry {
	agent, results := m.Role == chat.Assistant, 0
	if m.Role == chat.ToolRole && m.ToolResult != nil {
		results = len(blocks)
	}
	if len(out) == 0 || out[len(out)-1].Agent != agent {
		return append(out, Entry{agent, blocks, results})
	}
	last := &out[len(out)-1]
	if m.Role == chat.ToolRole {
		last.Blocks = slices.Insert(last.Blocks, last.results, blocks...)
		last.results += results
	} else {
		last.Blocks = append(last.Blocks, blocks...)
	}
	return out
}

// Parts converts the parts of a user or tool message to blocks, with functions for texts and media. Empty texts are
// left out.
func Parts(parts []chat.Part, text func(string) any, media func(*chat.Part) (any, error)) ([]any, error) {
	out := make([]any, 0, len(parts))
	for i := range parts {
		switch p := &parts[i]; {
		case p.Type != "text":
			block, err := media(p)
			if err != nil {
				return nil, fmt.Errorf("part %d: %w", i+1, err)
			}
			out = append(out, block)
		case p.Text != "":
			out = append(out, text(p.Text))
		}
	}
	return out, nil
}

// PartsOf returns the parts of a message; a message with only a text has one part.
func PartsOf(m *chat.Message) []chat.Part {
	if len(m.Parts) > 0 {
		return m.Parts
	}
	return []chat.Part{{Type: "text", Text: m.Content}}
}

// ArgsOf returns the arguments of a call for APIs that take an object. It is empty if the model wrote anything else;
// the tool result then says so.
func ArgsOf(c *chat.ToolCall) jsonvalue.Object {
	if c.Args == nil {
		return jsonvalue.Object{}
	}
	return c.Args
}
