package wire

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// opening stands in for the user where an agent speaks first, in APIs whose conversations begin with the user.
const opening = "(The conversation begins.)"

// Entry is the merged blocks of consecutive messages of one side. Tool results belong to the user's side.
type Entry struct {
	Agent  bool
	Blocks []any

	results int // blocks at the start that are results of tools
}

// Alternate converts a conversation for APIs in which user and agent must alternate. It returns the system prompts, and
// the other messages with consecutive ones of a side merged. blocks converts a message to blocks of the API; one
// without blocks is left out. text makes a block of a text.
func Alternate(
	list []chat.Message, text func(string) any, blocks func(*chat.Message) ([]any, error),
) (system []string, out []Entry, err error) {
	out = make([]Entry, 0, len(list))
	for i := range list {
		m := &list[i]
		if m.Role == chat.System {
			if said := m.Text(); said != "" {
				system = append(system, said)
			}
			continue
		}
		said, err := blocks(m)
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if len(said) > 0 {
			out = add(out, m, said)
		}
	}
	if len(out) > 0 && out[0].Agent {
		out = slices.Insert(out, 0, Entry{Blocks: []any{text(opening)}})
	}
	return system, out, nil
}

// add appends what a message says, to the last entry where that is of the same side. Results of tools go behind the
// results that are there, and before any text.
func add(out []Entry, m *chat.Message, said []any) []Entry {
	agent, results := m.Role == chat.Assistant, 0
	if m.Role == chat.ToolRole && m.ToolResult != nil {
		results = len(said)
	}
	if len(out) == 0 || out[len(out)-1].Agent != agent {
		return append(out, Entry{agent, said, results})
	}
	last := &out[len(out)-1]
	if m.Role == chat.ToolRole {
		last.Blocks = slices.Insert(last.Blocks, last.results, said...)
		last.results += results
	} else {
		last.Blocks = append(last.Blocks, said...)
	}
	return out
}

// Parts are the blocks of what a user or a tool says, by the words of the API for a text and for media. Empty texts are
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

// PartsOf are the parts of a message; one that has only a text is one part.
func PartsOf(m *chat.Message) []chat.Part {
	if len(m.Parts) > 0 {
		return m.Parts
	}
	return []chat.Part{{Type: "text", Text: m.Content}}
}

// ArgsOf are the arguments of a call for APIs that take an object. There is none where the model wrote something else;
// the result says so.
func ArgsOf(c *chat.ToolCall) jsonvalue.Object {
	if c.Args == nil {
		return jsonvalue.Object{}
	}
	return c.Args
}
