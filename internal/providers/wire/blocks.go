package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// placed is a block of the vendor that must be sent back, with its byte offset in the text.
type placed struct {
	At    int             `json:"at"`
	Block json.RawMessage `json:"block"`
}

// Blocks builds a reply from texts, thoughts and tool calls in any order. Thoughts become the opaque state of the
// message, or of the tool call after them. State names the owner of that state; see chat.Opaque.
type Blocks struct {
	State string

	words  strings.Builder
	calls  []chat.ToolCall
	kept   []placed
	before []json.RawMessage // since the last text or call
}

// Text adds text of the reply.
func (b *Blocks) Text(text string) {
	b.settle()
	b.words.WriteString(text)
}

// Keep adds a block that must be sent back unchanged.
func (b *Blocks) Keep(block json.RawMessage) { b.before = append(b.before, block) }

// Call adds a tool call; args are its arguments as JSON text.
func (b *Blocks) Call(c *Call, id, name, args string) error {
	if name == "" {
		return c.Fail(providers.BadReply, nil, "the reply calls a tool without a name")
	}
	if id != "" && slices.ContainsFunc(b.calls, func(other chat.ToolCall) bool { return other.ID == id }) {
		return c.Fail(providers.BadReply, nil, "the reply has two tool calls with the id %s", c.Excerpt(id))
	}
	call := chat.ToolCall{ID: id, Name: name}
	call.SetArgs(args)
	if len(b.before) > 0 {
		state, err := b.opaque(c, b.before)
		if err != nil {
			return err
		}
		call.Opaque, b.before = state, nil
	}
	b.calls = append(b.calls, call)
	return nil
}

// Reply sets the text, the calls and the opaque state of a reply.
func (b *Blocks) Reply(c *Call, r *chat.Reply) error {
	b.settle()
	r.Content, r.ToolCalls = b.words.String(), b.calls
	if len(b.kept) == 0 {
		return nil
	}
	var err error
	r.Opaque, err = b.opaque(c, b.kept)
	return err
}

func (b *Blocks) settle() {
	for _, block := range b.before {
		b.kept = append(b.kept, placed{b.words.Len(), block})
	}
	b.before = nil
}

func (b *Blocks) opaque(c *Call, v any) (*chat.Opaque, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, c.Fail(providers.BadReply, err, "the reply has a part that is not JSON")
	}
	return &chat.Opaque{From: b.State, Data: data}, nil
}

// VisitReply visits the parts of a reply in their order: texts, blocks of the vendor as they were received, and tool
// calls. Blank texts are left out.
func VisitReply(
	m *chat.Message, state string, text func(string), block func(json.RawMessage), call func(*chat.ToolCall),
) {
	words := m.Text()
	if strings.TrimSpace(words) == "" {
		words = ""
	}
	var kept []placed
	_ = json.Unmarshal(m.Opaque.For(state), &kept) // nil when there is none
	done := 0
	say := func(until int) {
		if until > done {
			text(words[done:until])
			done = until
		}
	}
	for _, p := range kept {
		at := min(max(p.At, done), len(words))
		for at < len(words) && !utf8.RuneStart(words[at]) { // a guardrail changed the text
			at++
		}
		say(at)
		block(p.Block)
	}
	say(len(words))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		var before []json.RawMessage
		_ = json.Unmarshal(c.Opaque.For(state), &before) // nil when there is none
		for _, b := range before {
			block(b)
		}
		call(c)
	}
}
