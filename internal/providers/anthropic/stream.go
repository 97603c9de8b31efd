package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// stream is a reply as far as its events have come in; see wire.Decoder.
type stream struct {
	exchange
	last  response
	open  []*openBlock // in the order in which they began
	ended bool
}

// openBlock is a block that is being written.
type openBlock struct {
	index     int
	blockIn   // as it began
	text      strings.Builder
	input     strings.Builder
	thought   strings.Builder
	signature strings.Builder
}

// event is an event of a stream.
type event struct {
	Type    string          `json:"type"`
	Message *response       `json:"message"`
	Index   int             `json:"index"`
	Block   json.RawMessage `json:"content_block"`
	Delta   *delta          `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Citation  json.RawMessage `json:"citation"`
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	JSON      *string         `json:"partial_json"`
	Thought   string          `json:"thinking"`
	Signature string          `json:"signature"`
	Stop      string          `json:"stop_reason"`
	Details   json.RawMessage `json:"stop_details"`
}

// Event takes one event.
func (s *stream) Event(e wire.Event) (last bool, err error) {
	var v event
	if err := s.Chunk(&e, &v); err != nil {
		return false, err
	}
	v.Type = cmp.Or(v.Type, e.Name)
	switch {
	case v.Type == "error" || e.Name == "error" || len(v.Error) > 0 && string(v.Error) != "null":
		return false, s.Reported(e.Data)
	case v.Type == "message_start" && v.Message != nil:
		s.Progress()
		s.Came(0)
		s.last.Model, s.Model = v.Message.Model, v.Message.Model
		s.last.Role, s.last.ID = v.Message.Role, v.Message.ID
		s.count(v.Message.Usage)
		if len(v.Message.Content) > 0 { // what is said comes in blocks
			s.Dropped("content of the message's start")
		}
	case v.Type == "content_block_start":
		return false, s.begin(&v)
	case v.Type == "content_block_delta":
		return false, s.add(&v)
	case v.Type == "message_delta":
		s.count(v.Usage)
		if v.Delta != nil && v.Delta.Details != nil {
			s.last.Details = v.Delta.Details
		}
		if v.Delta != nil && v.Delta.Stop != "" {
			s.Ends(s.last.Stop, v.Delta.Stop)
			s.last.Stop = v.Delta.Stop
			s.Finished()
		}
	case v.Type == "message_stop":
		s.ended = true
		return true, nil
	case v.Delta != nil || v.Block != nil || v.Message != nil: // others, such as signs of life, hold nothing of the reply
		s.unknown(v.Type)
	}
	return false, nil
}

// unknown tells of an event with a piece of the reply whose kind is not known.
func (s *stream) unknown(kind string) {
	if kind == "" {
		s.Lacks("an event", "type")
		return
	}
	s.Dropped(kind)
}

func (s *stream) count(u *usage) {
	if u == nil {
		return
	}
	if s.last.Usage == nil {
		s.last.Usage = &usage{}
	}
	s.last.Usage.take(u)
	s.Count(s.last.Usage.chat())
}

func (s *stream) begin(v *event) error {
	if slices.ContainsFunc(s.open, func(b *openBlock) bool { return b.index == v.Index }) {
		return s.Fail(providers.BadReply, nil, "the stream begins two blocks with the index %d: what comes after that is of "+
			"one of them, and nobody knows which", v.Index)
	}
	b := &openBlock{index: v.Index}
	if err := s.Document(v.Block, &b.blockIn); err != nil {
		return err
	}
	b.raw = slices.Clone(v.Block)
	s.Progress()
	s.open = append(s.open, b)
	if b.Type != "text" {
		return nil
	}
	b.text.WriteString(b.plainText())
	s.Came(len(b.plainText()))
	return s.EmitText(b.plainText())
}

// add appends a piece to a block.
func (s *stream) add(v *event) error {
	at := slices.IndexFunc(s.open, func(b *openBlock) bool { return b.index == v.Index })
	if at < 0 {
		return s.Fail(providers.BadReply, nil, "the stream goes on with a block that has not begun (index %d)", v.Index)
	}
	b, d := s.open[at], cmp.Or(v.Delta, &delta{})
	text, input := valueOf(d.Text), valueOf(d.JSON)
	s.Beside("citations", d.Citation)
	s.Came(len(text) + len(input) + len(d.Thought))
	if text != "" || input != "" || d.Thought != "" || d.Signature != "" {
		s.Progress()
	}
	s.astray(b, d)
	b.input.WriteString(input)
	b.thought.WriteString(d.Thought)
	b.signature.WriteString(d.Signature)
	if b.Type != "text" {
		return nil
	}
	b.text.WriteString(text)
	return s.EmitText(text)
}

// valueOf is a text that may not have come.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// astray tells of a piece that is not of its block's kind, or of which nothing came.
func (s *stream) astray(b *openBlock, d *delta) {
	switch hasText := valueOf(d.Text) != ""; {
	case hasText && b.Type != "text":
		s.Dropped("text in a " + b.Type + " block")
	case valueOf(d.JSON) != "" && b.Type == "text":
		s.Dropped("input in a text block")
	case d.Thought != "" && (b.Type == "text" || b.Type == "tool_use"):
		s.Dropped("thinking in a " + b.Type + " block")
	case b.Type == "text" && d.Text == nil && wire.IsNull(d.Citation):
		s.Lacks("a piece of a text block", "text")
	case b.Type == "tool_use" && d.JSON == nil:
		s.Lacks("a piece of a tool_use block", "partial_json")
	}
}

// Reply is the reply, when its end came.
func (s *stream) Reply() (chat.Reply, error) {
	if !s.ended && s.last.Stop == "" {
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the stream ended before the reply did (no message_stop)")
	}
	if s.last.Stop == "" && len(s.open) == 0 {
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the reply has no content: the stream ended without any")
	}
	blocks := make([]blockIn, len(s.open))
	for i, b := range s.open {
		if b.Type == "tool_use" && b.input.Len() > 0 && b.input.String() != string(b.Input) {
			s.Beside("input of a block's start", b.Input)
		}
		whole, err := b.complete()
		if err != nil {
			return chat.Reply{}, s.Fail(providers.BadReply, err, "the reply has a part that is not JSON")
		}
		blocks[i] = whole
	}
	return s.reply(&s.last, blocks)
}

// complete is the block as a reply in one piece has it.
func (b *openBlock) complete() (blockIn, error) {
	out := b.blockIn
	switch b.Type {
	case "text":
		if text := b.text.String(); text != "" || b.Text != nil {
			out.Text = &text
		}
	case "tool_use":
		if b.input.Len() > 0 {
			out.Input = json.RawMessage(b.input.String())
		}
	default:
		if b.thought.Len()+b.signature.Len()+b.input.Len() == 0 {
			return out, nil
		}
		return out, b.finish(&out)
	}
	return out, nil
}

// finish puts what came of a block of the model's own into it.
func (b *openBlock) finish(out *blockIn) error {
	var all jsonvalue.Object
	if err := json.Unmarshal(b.raw, &all); err != nil {
		return err
	}
	for name, piece := range map[string]*strings.Builder{"thinking": &b.thought, "signature": &b.signature} {
		if piece.Len() > 0 {
			before, _ := all[name].(string)
			all[name] = before + piece.String()
		}
	}
	if b.input.Len() > 0 {
		all["input"] = json.RawMessage(b.input.String())
	}
	var err error
	out.raw, err = wire.JSON(all)
	return err
}
