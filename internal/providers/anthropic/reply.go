package anthropic

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// response is a whole reply, or what the first event of a stream says of it. Only what is used is decoded.
type response struct {
	Type    string            `json:"type"`
	Role    string            `json:"role"`
	ID      wire.ReplyID      `json:"id"`
	Model   string            `json:"model"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
	Details json.RawMessage   `json:"stop_details"`
	Usage   *usage            `json:"usage"`
	Error   json.RawMessage   `json:"error"`
}

// blockIn is a piece of a reply. Those of other types than text and tool_use go back as they came.
type blockIn struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	Citations json.RawMessage `json:"citations"`

	raw json.RawMessage // the whole of it
}

// plainText is the text of a block; "": it has none.
func (b *blockIn) plainText() string { return valueOf(b.Text) }

func (c exchange) decode(data []byte) (chat.Reply, error) {
	var r response
	if err := c.Document(data, &r); err != nil {
		return chat.Reply{}, err
	}
	if r.Usage != nil {
		c.Count(r.Usage.chat())
	}
	if isError(&r) {
		return chat.Reply{}, c.Reported(data)
	}
	if r.Content == nil {
		return chat.Reply{}, c.Fail(providers.BadReply, nil, "the reply has no content: %s", c.ExcerptOf(data))
	}
	blocks := make([]blockIn, len(r.Content))
	for i, raw := range r.Content {
		if err := c.Document(raw, &blocks[i]); err != nil {
			return chat.Reply{}, err
		}
		blocks[i].raw = raw
		c.Came(len(blocks[i].plainText()) + len(blocks[i].Input))
	}
	return c.reply(&r, blocks)
}

// isError reports whether a document is an error and no reply.
func isError(r *response) bool {
	return r.Type == "error" || len(r.Error) > 0 && string(r.Error) != "null"
}

// reply makes the reply out of its blocks, whole or put together from a stream.
func (c exchange) reply(r *response, blocks []blockIn) (chat.Reply, error) {
	out := chat.Reply{ID: string(r.ID), Model: r.Model}
	if r.Usage != nil {
		out.Usage = r.Usage.chat()
	}
	c.Role(r.Role)
	c.Says("stop_details", wire.Word(r.Details))
	all := wire.Blocks{State: c.state}
	for i := range blocks {
		switch b := &blocks[i]; b.Type {
		case "text":
			c.Beside("citations", b.Citations)
			c.Beside("input in a text block", b.Input)
			if b.Text == nil {
				c.Lacks("a text block", "text")
			}
			all.Text(b.plainText())
		case "tool_use":
			if b.plainText() != "" {
				c.Dropped("text in a tool_use block")
			}
			if wire.IsNull(b.Input) {
				c.Unargued(b.Name)
			}
			if err := all.Call(c.Call, b.ID, b.Name, string(b.Input)); err != nil {
				return chat.Reply{}, err
			}
		case "thinking", "redacted_thinking":
			all.Keep(b.raw)
		case "":
			c.Lacks("a part", "type")
		default:
			all.Keep(b.raw)
			c.Dropped(b.Type)
		}
	}
	err := all.Reply(c.Call, &out)
	if err != nil {
		return chat.Reply{}, err
	}
	if out.FinishReason, err = c.finish(r.Stop, out.Content); err != nil {
		return chat.Reply{}, err
	}
	if len(out.ToolCalls) > 0 && out.FinishReason == "stop" {
		out.FinishReason = "tool_calls"
	}
	return out, nil
}

// finishReasons are the API's words for the end of a reply.
var finishReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length",
	"model_context_window_exceeded": "length", "tool_use": "tool_calls", "refusal": "content_filter",
}

// finish is why the model stopped. Words that are new stay as they are.
func (c exchange) finish(word, sequence string) (string, error) {
	reason, known := finishReasons[word]
	switch {
	case word == "":
		return "", c.Fail(providers.BadReply, nil, "the reply does not say why it ended (stop_reason)")
	case chat.BrokeOff(word):
		return "", c.Fail(providers.BadReply, nil, "the server broke the reply off (stop_reason %q)", c.Excerpt(word))
	case reason == "content_filter" && sequence == "":
		return "", c.Fail(providers.Refused, nil, "the model refused to answer (stop_reason refusal)")
	case !known:
		return c.Excerpt(word), nil
	}
	return reason, nil
}

// usage is what the server counted. Its input leaves out what went into or came from its cache.
type usage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
}

func (u *usage) chat() chat.Usage {
	out := chat.Usage{InputTokens: u.Input, OutputTokens: u.Output, CacheWriteTokens: u.Written, CachedTokens: u.Cached}
	if out.Counted() {
		out.InputTokens += max(u.Written, 0) + max(u.Cached, 0)
	}
	return out
}

// take adds what a later event counts: its numbers are those of the whole reply, and leave out what it does not repeat.
func (u *usage) take(v *usage) {
	u.Input, u.Output = either(v.Input, u.Input), either(v.Output, u.Output)
	u.Written, u.Cached = either(v.Written, u.Written), either(v.Cached, u.Cached)
}

// either is the larger count, or one that cannot be.
func either(now, before int) int {
	if now < 0 || before >= 0 && now > before {
		return now
	}
	return before
}
