package recording

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/mediafolder"
)

// content reads the text and media of a message: its content, text or parts, the parts beside it, and a refusal.
// Content that is in two of these fields is read once; nothing is left out.
func (b *builder) content(m *Message, o object) {
	v := o.get("content")
	var content utterance
	switch {
	case v.kind() == '[' && b.partsLike(v, m.Role):
		content.add(b.parts(v)...)
	case (v.kind() == '{' || v.kind() == '[') && m.Role == chat.ToolRole: // an object that a tool returned
		content.add(textPart(string(v.text)))
	default:
		content.add(textPart(b.text(v, "content")))
	}
	if list := o.get("parts"); !list.missing() {
		if list.kind() != '[' {
			b.errorf(list, "wrong-type", "parts must be a list, found %s", describe(list))
			return
		}
		content.add(b.parts(list)...)
	}
	content.add(textPart(b.text(o.get("refusal"), "refusal")))
	m.Content = content.text()
	if content.media {
		m.Parts = content.parts
	}
}

// utterance gathers the content of the fields of a message, or of a part.
type utterance struct {
	texts []string // one a field, each different
	parts []chat.Part
	media bool // a part is not text
}

// add adds the parts of one field, unless it only repeats the text of another field.
func (s *utterance) add(parts ...chat.Part) {
	var text strings.Builder
	media := false
	for i := range parts {
		text.WriteString(parts[i].Text)
		media = media || parts[i].Type != "text"
	}
	known := text.Len() == 0 || slices.Contains(s.texts, text.String())
	if known && !media {
		return
	}
	if known && len(s.parts) > 0 { // the same text, with its media
		s.parts = slices.DeleteFunc(s.parts, func(p chat.Part) bool { return p.Type == "text" && p.Text == text.String() })
	}
	if !known {
		s.texts = append(s.texts, text.String())
	}
	s.parts = append(s.parts, parts...)
	s.media = s.media || media
}

func (s *utterance) text() string { return strings.Join(s.texts, "\n") }

func textPart(text string) chat.Part { return chat.Part{Type: "text", Text: text} }

// partsLike distinguishes parts from a list that a tool returned.
func (b *builder) partsLike(v value, role chat.Role) bool {
	if role != chat.ToolRole {
		return true
	}
	for item := range v.items {
		if t, ok := item.get("type").str(); !ok || t == "" {
			return false
		}
	}
	return true
}

func (b *builder) parts(v value) (parts []chat.Part) {
	for item := range v.items {
		if item.kind() == '"' {
			s, _ := item.str()
			parts = append(parts, textPart(s))
			continue
		}
		o, ok := b.object(item, "a part")
		if !ok {
			return nil
		}
		if p := b.part(o); p.Type != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// part reads one part. A part without a type is dropped.
func (b *builder) part(o object) chat.Part {
	kind := b.text(o.get("type"), "the type of a part")
	switch kind {
	case "thinking", "reasoning", "redacted_thinking": // not part of the reply
		return chat.Part{}
	}
	b.checkFields(o, "a part", partFields())
	switch kind {
	case "text", "input_text", "output_text", "refusal":
		var inner utterance
		for _, name := range []string{"text", "content", "refusal"} {
			inner.add(textPart(b.text(o.get(name), name)))
		}
		if o.get("text", "content", "refusal").missing() && len(o.members) > 1 { // an empty text may be omitted
			b.errorf(o.value, "missing-content", "a part of type %s has no text", kind)
		}
		return textPart(inner.text())
	case "image", "audio", "video", "document":
		return chat.Part{Type: kind, Text: b.text(o.get("text"), "text"), Media: b.medium(o, kind)}
	case "image_url", "input_image":
		return chat.Part{Type: "image", Media: b.imageURL(o.get("imageurl"))}
	case "input_audio":
		return chat.Part{Type: "audio", Media: b.audioInput(o.get("inputaudio"))}
	case "file", "input_file":
		return chat.Part{Type: "document", Media: b.fileInput(o)}
	}
	b.errorf(o.value, "unknown-part", "unknown type of part %q", cutText(kind, 40)).
		Hint = "known types: text, image, audio, video, document"
	return chat.Part{}
}

// medium reads the media of a part, which may be in the part itself.
func (b *builder) medium(o object, kind string) *chat.Media {
	v := o.get("media", "source")
	switch {
	case !v.missing():
		inner, ok := b.object(v, "media")
		if !ok {
			return nil
		}
		b.checkFields(inner, "media", mediaFields())
	case !o.get("mimetype", "uri", "url").missing():
		v = o.value
	case len(o.members) > 1: // a part with only a type has no content
		b.errorf(o.value, "missing-content", "a part of type %s has no media", kind)
	}
	return b.media(v)
}

// media reads an image, audio, video or document. Paths in recordings are not trusted: Media.Local stays false.
func (b *builder) media(v value) *chat.Media {
	if v.missing() {
		return nil
	}
	o, ok := b.object(v, "media")
	if !ok {
		return nil
	}
	m := &chat.Media{
		MIMEType: b.text(o.get("mimetype", "mediatype"), "mime_type"), Detail: b.text(o.get("detail"), "detail"),
		Caption: b.text(o.get("caption"), "caption"), Width: b.count(o.get("width"), "width"),
		Height: b.count(o.get("height"), "height"),
	}
	switch data, url := b.text(o.get("data"), "data"), b.text(o.get("uri", "url"), "uri"); {
	case data != "":
		m.Data = data
	case url != "":
		m.URL = url
	default:
		m.Path = b.text(o.get("path", "filepath", "storagereference"), "path")
		if sum := o.get("sha256"); m.Path == "" && !sum.missing() {
			m.SHA256, m.Size = b.text(sum, "sha256"), b.count(o.get("size"), "size")
			if b.dir != "" {
				(&mediafolder.Folder{Dir: b.dir}).Fill(m)
			}
		}
	}
	if f := b.amount(o.get("duration"), "duration"); f != nil {
		m.Duration = *f
		if b.durationsInMS {
			m.Duration /= 1000
		}
	}
	return m
}

// imageURL reads {url, detail}, or a URL.
func (b *builder) imageURL(v value) *chat.Media {
	if s, ok := v.str(); ok {
		return chat.MediaFromURL(s)
	}
	o, ok := b.object(v, "image_url")
	if !ok {
		return nil
	}
	m := chat.MediaFromURL(b.text(o.get("url"), "url"))
	m.Detail = b.text(o.get("detail"), "detail")
	return m
}

func (b *builder) audioInput(v value) *chat.Media {
	o, ok := b.object(v, "input_audio")
	if !ok {
		return nil
	}
	return &chat.Media{
		MIMEType: "audio/" + b.text(o.get("format"), "format"), Data: b.text(o.get("data"), "data"),
	}
}

func (b *builder) fileInput(o object) *chat.Media {
	if f := o.get("file"); f.kind() == '{' {
		var ok bool
		if o, ok = b.object(f, "file"); !ok {
			return nil
		}
	}
	if data := b.text(o.get("filedata"), "file_data"); data != "" {
		return chat.MediaFromURL(data)
	}
	return &chat.Media{Path: b.text(o.get("filename", "fileid"), "filename")}
}
