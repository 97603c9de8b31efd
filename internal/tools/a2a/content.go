package a2a

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

// message is the message to an agent for a call of one of its skills. Arguments other than text and media go into the
// metadata.
func message(skill string, args map[string]any) (*a2a.Message, error) {
	query, _ := args[a2a.Query].(string)
	m := &a2a.Message{Parts: []a2a.Part{{Text: query}}, Metadata: map[string]any{"skillId": skill}}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := args[name]
		text, isText := value.(string)
		switch {
		case name == a2a.Query, name == "skillId":
		case name == a2a.ImageURL && isText:
			if _, ok := webAddress(text); !ok {
				return nil, fmt.Errorf("%s is not an HTTP address", name)
			}
			m.Parts = append(m.Parts, a2a.Part{File: &a2a.File{URI: text, MIMEType: "image/*"}})
		case (name == a2a.ImageData || name == a2a.AudioData) && isText:
			file, err := inBase64(text, strings.TrimSuffix(name, "_data"))
			if err != nil {
				return nil, fmt.Errorf("%s %w", name, err)
			}
			m.Parts = append(m.Parts, a2a.Part{File: file})
		default:
			m.Metadata[name] = value
		}
	}
	return m, nil
}

// inBase64 returns a file that a model wrote in base64, perhaps as a data: URL.
func inBase64(text, kind string) (*a2a.File, error) {
	declared, data, isAddress := strings.Cut(strings.TrimPrefix(text, "data:"), ";base64,")
	if !isAddress || !strings.HasPrefix(text, "data:") {
		declared, data = "", text
	}
	bytes, err := decode(data)
	if err != nil {
		return nil, errors.New("is not base64")
	}
	if declared == "" {
		declared, _, _ = strings.Cut(http.DetectContentType(bytes), ";")
	}
	if !strings.HasPrefix(declared, kind+"/") {
		declared = kind + "/" + map[string]string{"image": "png", "audio": "wav"}[kind]
	}
	return &a2a.File{MIMEType: declared, Base64: base64.StdEncoding.EncodeToString(bytes)}, nil
}

// decode decodes base64 of any alphabet, with or without padding.
func decode(text string) ([]byte, error) {
	text = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(text)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

func webAddress(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// answerOf turns an agent's answer into a tool result: the first text of the task's status, else the texts of all
// artifacts, else those of the message; and all media. A task that did not complete gives an error that names its
// state.
func answerOf(res *a2a.Result) (chat.ToolResult, error) {
	parts, err := contentOf(res.Said())
	if err != nil {
		return chat.ToolResult{}, err
	}
	made, err := contentOf(res.Parts)
	for i := 0; i < len(res.Artifacts) && err == nil; i++ {
		var more content
		more, err = contentOf(res.Artifacts[i].Parts)
		made.texts, made.media = append(made.texts, more.texts...), append(made.media, more.media...)
	}
	if err != nil {
		return chat.ToolResult{}, err
	}
	text := strings.Join(made.texts, "\n")
	if len(parts.texts) > 0 {
		text = parts.texts[0]
	}
	media := append(parts.media, made.media...)
	switch state := res.State(); {
	case res.IsTask() && state == "":
		return chat.ToolResult{}, errors.New("the task has no state")
	case res.IsTask() && state != a2a.Completed:
		return chat.ToolResult{}, fmt.Errorf("the task is %s%s", say.Named(string(state)), excerpt(text))
	case text == "" && len(media) == 0 && !res.IsTask():
		return chat.ToolResult{}, errors.New("the agent answered with an empty message")
	}
	out := chat.ToolResult{Content: text, Doubt: res.Doubt()}
	rest := make([]string, 0, len(parts.texts)+len(made.texts))
	for i, more := range slices.Concat(parts.texts, made.texts) {
		if len(parts.texts) > 0 && i > 0 && !strings.Contains(text, strings.TrimSpace(more)) {
			rest = append(rest, more)
		}
	}
	switch {
	case text == "" && len(media) == 0:
		text = "The agent completed the task and said nothing."
		out.Content = text
		out.Doubt = cmp.Or(out.Doubt, "the agent completed the task and said nothing")
	case len(rest) > 0:
		out.Doubt = cmp.Or(out.Doubt, "the agent's task holds more than the first text of its status, and nobody is shown it"+
			excerpt(strings.Join(rest, "\n")))
	}
	if len(media) > 0 {
		if text != "" {
			out.Parts = append(out.Parts, chat.Part{Type: "text", Text: text})
		}
		out.Parts = append(out.Parts, media...)
	}
	return out, nil
}

// content collects the parts of a message or an artifact.
type content struct {
	texts []string
	media []chat.Part
}

func contentOf(parts []a2a.Part) (c content, err error) {
	for i := range parts {
		switch p := &parts[i]; {
		case p.File != nil:
			if err := c.file(p.File); err != nil {
				return c, err
			}
		case p.Data != nil:
			c.texts = append(c.texts, compact(p.Data))
		case p.Text != "":
			c.texts = append(c.texts, strings.ToValidUTF8(p.Text, "\uFFFD"))
		}
	}
	return c, nil
}

// file adds a file, as text or as media.
func (c *content) file(f *a2a.File) error {
	mime, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(f.MIMEType)), ";")
	if f.Base64 == "" {
		if _, ok := webAddress(f.URI); !ok {
			c.texts = append(c.texts, "[file: "+f.URI+"]")
			return nil
		}
		c.media = append(c.media, chat.Part{Type: mediaType(mime), Media: &chat.Media{
			MIMEType: cmp.Or(mime, "application/octet-stream"), URL: f.URI,
		}})
		return nil
	}
	data, err := decode(f.Base64)
	if err != nil {
		return errors.New("the agent sent a file that is not base64")
	}
	if mime == "" {
		mime, _, _ = strings.Cut(http.DetectContentType(data), ";")
	}
	if strings.HasPrefix(mime, "text/") || mime == "application/json" {
		c.texts = append(c.texts, strings.ToValidUTF8(string(data), "\uFFFD"))
		return nil
	}
	c.media = append(c.media, chat.Part{Type: mediaType(mime), Media: &chat.Media{
		MIMEType: mime, Data: base64.StdEncoding.EncodeToString(data),
	}})
	return nil
}

// mediaType is the part type for a MIME type.
func mediaType(mime string) string {
	for _, name := range []string{"image", "audio", "video"} {
		if strings.HasPrefix(mime, name+"/") {
			return name
		}
	}
	return "document"
}

func compact(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil { // cannot happen: the value was decoded from JSON
		return string(data)
	}
	return b.String()
}
