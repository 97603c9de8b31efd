package a2a

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// Message is a message from a user to an agent.
type Message struct {
	Parts    []Part
	Metadata map[string]any // nil: none
}

// Part is a part of a message or an artifact: text, a JSON value, or a file.
type Part struct {
	Text string
	Data json.RawMessage // a JSON value; nil: none
	File *File           // nil: none

	unread string // what the part has that is none of these; "": nothing
}

// File is a file in a message: its content or its address.
type File struct {
	Name, MIMEType string
	Base64, URI    string // one of them is set
}

// olderMessage is a message with the settings of its answer in protocol version 0.3.
type olderMessage struct {
	Message struct {
		Kind     string         `json:"kind"`
		ID       string         `json:"messageId"`
		Role     string         `json:"role"`
		Parts    []olderPart    `json:"parts"`
		Metadata map[string]any `json:"metadata,omitempty"`
	} `json:"message"`
	Config struct {
		Blocking bool `json:"blocking"`
	} `json:"configuration"`
}

type olderPart struct {
	Kind string     `json:"kind"`
	Text string     `json:"text,omitempty"`
	File *olderFile `json:"file,omitempty"`
}

type olderFile struct {
	Bytes string `json:"bytes,omitempty"`
	URI   string `json:"uri,omitempty"`
	MIME  string `json:"mimeType,omitempty"`
	Name  string `json:"name,omitempty"`
}

// newerMessage is the same in protocol version 1.0, in which the answer comes at the end of the work by default.
type newerMessage struct {
	Message struct {
		ID       string         `json:"messageId"`
		Role     string         `json:"role"`
		Parts    []newerPart    `json:"parts"`
		Metadata map[string]any `json:"metadata,omitempty"`
	} `json:"message"`
}

type newerPart struct {
	Text *string `json:"text,omitempty"`
	Raw  string  `json:"raw,omitempty"` // base64
	URL  string  `json:"url,omitempty"`
	MIME string  `json:"mediaType,omitempty"`
	Name string  `json:"filename,omitempty"`
}

// encode returns the message as it is sent, with a new id.
func (m *Message) encode(newer bool) any {
	if newer {
		var out newerMessage
		out.Message.ID, out.Message.Role, out.Message.Metadata = rand.Text(), "ROLE_USER", m.Metadata
		for i := range m.Parts {
			p := &m.Parts[i]
			part := newerPart{Text: &p.Text}
			if f := p.File; f != nil {
				part = newerPart{Raw: f.Base64, URL: f.URI, MIME: f.MIMEType, Name: f.Name}
			}
			out.Message.Parts = append(out.Message.Parts, part)
		}
		return &out
	}
	var out olderMessage
	out.Message.Kind, out.Message.ID, out.Message.Role, out.Message.Metadata = "message", rand.Text(), "user", m.Metadata
	out.Config.Blocking = true
	for i := range m.Parts {
		p := &m.Parts[i]
		part := olderPart{Kind: "text", Text: p.Text}
		if f := p.File; f != nil {
			part = olderPart{Kind: "file", File: &olderFile{Bytes: f.Base64, URI: f.URI, MIME: f.MIMEType, Name: f.Name}}
		}
		out.Message.Parts = append(out.Message.Parts, part)
	}
	return &out
}

// UnmarshalJSON reads a part of any protocol version. The part names its kind, or its fields show it. A part of another
// kind, or with more than one of a text, a value and a file, says so in unread.
func (p *Part) UnmarshalJSON(data []byte) error {
	var in struct {
		Kind string          `json:"kind"`
		Type string          `json:"type"` // the kind, before 0.3
		Text string          `json:"text"`
		Data json.RawMessage `json:"data"`
		File *struct {
			Bytes    string `json:"bytes"`
			WithData string `json:"fileWithBytes"`
			URI      string `json:"uri"`
			WithURI  string `json:"fileWithUri"`
			MIME     string `json:"mimeType"`
			Media    string `json:"mediaType"`
			Name     string `json:"name"`
		} `json:"file"`
		Raw   string `json:"raw"`
		URL   string `json:"url"`
		Media string `json:"mediaType"`
		Name  string `json:"filename"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	value := len(in.Data) > 0 && !bytes.Equal(in.Data, []byte("null"))
	*p = Part{}
	kind := cmp.Or(in.Kind, in.Type)
	is := func(word string, holds bool) bool { return kind == word || kind == "" && holds }
	switch {
	case is("text", in.Text != ""):
		p.Text = in.Text
	case is("file", in.File != nil) && in.File != nil:
		f := in.File
		p.File = &File{
			Name: f.Name, MIMEType: cmp.Or(f.MIME, f.Media), Base64: cmp.Or(f.Bytes, f.WithData), URI: cmp.Or(f.URI, f.WithURI),
		}
	case is("file", in.Raw != "" || in.URL != ""):
		p.File = &File{Name: in.Name, MIMEType: in.Media, Base64: in.Raw, URI: in.URL}
	case is("data", true) && value:
		p.Data = in.Data
	}
	several := 0
	for _, has := range []bool{in.Text != "", value, in.File != nil || in.Raw != "" || in.URL != ""} {
		if has {
			several++
		}
	}
	switch kind {
	case "", "text", "data", "file":
		read := p.Text != "" || p.Data != nil || p.File != nil
		if several > 1 || several == 1 && !read {
			p.unread = "a part that is not only what its kind says (" + cmp.Or(kind, "none") + ")"
		}
	default:
		p.unread = fmt.Sprintf("a part of a kind that is not known (%q)", kind)
	}
	return nil
}
