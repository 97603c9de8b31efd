package wire

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers"
)

// Models that generate images and videos take one prompt, not a conversation.

// Prompt returns the prompt for an image model: the system prompt and the message of the user.
func Prompt(req *chat.Request) (string, error) {
	var texts []string
	users := 0
	for i := range req.Messages {
		m := &req.Messages[i]
		switch m.Role {
		case chat.System:
		case chat.User:
			users++
		case chat.Assistant, chat.ToolRole:
			return "", errors.New("the model knows no conversation: it takes a single message")
		}
		for _, p := range m.Parts {
			if p.Media != nil {
				return "", TextAlone(&p)
			}
		}
		if text := strings.TrimSpace(m.Text()); text != "" {
			texts = append(texts, text)
		}
	}
	if users != 1 {
		return "", errors.New("the model knows no conversation: it takes a single message")
	}
	return strings.Join(texts, "\n\n"), nil
}

// TextAlone is the error of a model that takes only text.
func TextAlone(p *chat.Part) error {
	return errors.New("the model takes text alone, and not " + p.Type)
}

// Made is the reply of a model that generates images or videos.
type Made struct {
	call  *Call
	reply chat.Reply
}

// Make starts the reply of a model that generates images or videos.
func (c *Call) Make() *Made {
	c.Came(0)
	return &Made{c, chat.Reply{FinishReason: "stop", Model: c.Model}}
}

// Add adds a medium in base64. kind is image or video; declared is the server's MIME type, which may be "".
func (m *Made) Add(kind, declared, data string) error {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return m.call.Fail(providers.BadReply, nil, "the %s in the reply is not base64", kind)
	}
	return m.add(kind, declared, data, raw)
}

// AddBytes adds a medium that was downloaded, like Add.
func (m *Made) AddBytes(kind, declared string, raw []byte) error {
	return m.add(kind, declared, chat.Encode(raw), raw)
}

func (m *Made) add(kind, declared, data string, raw []byte) error {
	mime, err := media.Check(kind, declared, raw)
	if err != nil {
		return m.call.Fail(providers.BadReply, nil, "the %s in the reply: %v", kind, err)
	}
	m.reply.Parts = append(m.reply.Parts, chat.Part{Type: kind, Media: &chat.Media{MIMEType: mime, Data: data}})
	return nil
}

// Reply returns the reply with all added media. Its usage is unknown if the server did not count tokens.
func (m *Made) Reply(usage chat.Usage) (chat.Reply, error) {
	if len(m.reply.Parts) == 0 {
		return chat.Reply{}, m.call.Fail(providers.BadReply, nil, "the reply has nothing in it that the model made")
	}
	if m.reply.Usage = usage; usage == (chat.Usage{}) {
		m.reply.Unreported = []string{chat.UnreportedTokens}
	}
	return m.reply, nil
}

// Unstreamed decodes replies that are never streamed, even if a stream is requested.
func Unstreamed(c *Call, decode func(*Call, []byte) (chat.Reply, error)) Decoder {
	return &unstreamed{call: c, decode: decode}
}

type unstreamed struct {
	call   *Call
	decode func(*Call, []byte) (chat.Reply, error)
	data   []byte
}

// Event implements Decoder.
func (w *unstreamed) Event(e Event) (bool, error) {
	w.data = append(w.data, e.Data...)
	return false, nil
}

// Reply implements Decoder.
func (w *unstreamed) Reply() (chat.Reply, error) { return w.decode(w.call, w.data) }
