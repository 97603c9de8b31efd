package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// errContent names the valid forms of the content of a message.
var errContent = errors.New("the content is neither a text nor a list of parts")

// content reads the content of a message: a text, or a list of parts as in chat APIs. It joins the texts of parts, and
// keeps parts only if they contain media.
func (o object) content(m *chat.Message) error {
	raw, ok := o["content"]
	if !ok || json.Unmarshal(raw, &m.Content) == nil {
		return nil
	}
	var list []json.RawMessage
	isList := json.Unmarshal(raw, &list) == nil
	if m.Role == chat.ToolRole && (raw[0] == '{' || isList && !isPartList(list)) { // a value that a tool returned
		m.Content = string(raw)
		return nil
	}
	if !isList {
		return errContent
	}
	media := false
	for i, item := range list {
		p, err := part(item)
		if err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
		if p.Type == "" {
			continue
		}
		m.Parts, m.Content = append(m.Parts, p), m.Content+p.Text
		media = media || p.Type != "text"
	}
	if !media {
		m.Parts = nil
	}
	return nil
}

// isPartList reports whether a list holds parts, rather than values that a tool returned.
func isPartList(list []json.RawMessage) bool {
	for _, item := range list {
		if o, err := decodeObject(item); err != nil || o.text("type") == "" {
			return false
		}
	}
	return true
}

// part decodes a part. One whose Type is "" is to be left out.
func part(data []byte) (p chat.Part, err error) {
	if json.Unmarshal(data, &p.Text) == nil {
		p.Type = "text"
		return p, nil
	}
	o, err := decodeObject(data)
	if err != nil {
		return p, fmt.Errorf("a part is a text or an object, and %w", err)
	}
	kind := o.text("type")
	switch kind {
	case "thinking", "reasoning", "redacted_thinking": // reasoning is not part of the message
		return p, nil
	case "text", "input_text", "output_text", "refusal":
		text, ok := o["text"]
		if !ok {
			text, ok = o["refusal"]
		}
		if !ok || json.Unmarshal(text, &p.Text) != nil {
			return p, fmt.Errorf("a part of type %s has no text", kind)
		}
		p.Type = "text"
		return p, nil
	case "image", "audio", "video", "document":
		p = chat.Part{Type: kind, Text: o.text("text")}
		p.Media, err = o.media()
	case "image_url", "input_image":
		p = chat.Part{Type: "image", Media: o.imageURL()}
	case "input_audio":
		inner, _ := decodeObject(o["inputaudio"]) // without data the part is empty
		p = chat.Part{Type: "audio", Media: &chat.Media{MIMEType: "audio/" + inner.text("format"), Data: inner.text("data")}}
	default:
		return p, fmt.Errorf("unknown type of part %q; known: text, image, audio, video, document", abridged(kind))
	}
	if err == nil && (p.Media == nil || p.Media.Data == "" && p.Media.URL == "" && p.Media.Path == "") {
		err = fmt.Errorf("a part of type %s has no media", kind)
	}
	return p, err
}

// media reads the media of a part, under "media" or "source", or in the part itself.
func (o object) media() (*chat.Media, error) {
	for _, key := range []string{"media", "source"} {
		if raw, ok := o[key]; ok {
			inner, err := decodeObject(raw)
			if err != nil {
				return nil, fmt.Errorf("the %s cannot be read: %w", key, err)
			}
			o = inner
			break
		}
	}
	m := chat.MediaFromURL(firstText(o, "url", "uri"))
	m.Detail, m.Caption = o.text("detail"), o.text("caption")
	if kind := firstText(o, "mimetype", "mediatype"); kind != "" {
		m.MIMEType = kind
	}
	if data := o.text("data"); data != "" {
		m.Data, m.URL = data, ""
	}
	if m.Data == "" && m.URL == "" {
		m.Path = firstText(o, "path", "filepath", "storagereference")
	}
	return m, errors.Join(o.into("width", &m.Width), o.into("height", &m.Height), o.into("duration", &m.Duration))
}

func firstText(o object, keys ...string) string {
	for _, key := range keys {
		if text := o.text(key); text != "" {
			return text
		}
	}
	return ""
}

// imageURL reads the media under image_url: an object {url, detail}, or a URL.
func (o object) imageURL() *chat.Media {
	if url := o.text("imageurl"); url != "" {
		return chat.MediaFromURL(url)
	}
	inner, _ := decodeObject(o["imageurl"]) // without an object there is no URL
	m := chat.MediaFromURL(inner.text("url"))
	m.Detail = inner.text("detail")
	return m
}

// abridged shortens a word from untrusted input.
func abridged(word string) string {
	const limit = 40
	if r := []rune(word); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return word
}
