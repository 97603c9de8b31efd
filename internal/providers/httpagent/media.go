package httpagent

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Media have placeholders in the body: those of the message by {{medium.…}}, and all of them in {{messages}} and
// {{history}}, if the file says that the endpoint takes them.

// Takes returns an error if the endpoint does not support a part; see providers.Takes.
func (p *Provider) Takes(part *chat.Part) error {
	if places, _ := p.PlacesMedia(); places || p.shows && p.Sends("messages") {
		return nil
	}
	return fmt.Errorf("the endpoint gets text alone: its body has no place for the %s", part.Type)
}

// placed is an error for media that would not be sent: none may be lost without a word. The message is the one at a
// place.
func (p *Provider) placed(list []chat.Message, at int) error {
	places, most := p.PlacesMedia()
	for i := range list {
		of := 0
		for k := range list[i].Parts {
			part := &list[i].Parts[k]
			if part.Media == nil {
				continue
			}
			of++
			switch {
			case p.shows && (p.Sends("messages") || p.Sends("history") && i < at):
			case i == at && !places:
				return p.Takes(part)
			case i == at && of > most:
				return fmt.Errorf("the message has %s, and the body a place for one: write the places into an item of a list",
					plural.Of(of, "medium", "media"))
			case i < at && !p.Sends("session"):
				return fmt.Errorf("an earlier message has a part of type %s, which the endpoint would not know any more", part.Type)
			}
		}
		if r := list[i].ToolResult; r != nil {
			for k := range r.Parts {
				if r.Parts[k].Media != nil {
					return fmt.Errorf("the tool %s returned a part of type %s, and the endpoint gets the text of results alone",
						r.Name, r.Parts[k].Type)
				}
			}
		}
	}
	return nil
}

// items expands a list item with placeholders of a medium: one item for each medium.
func (v *values) items(of any) (out []any) {
	if v.medium != nil || !scenario.HoldsMedium(of) {
		if value, there := v.part(of); there {
			out = append(out, value)
		}
		return out
	}
	for _, v.medium = range v.media {
		if value, there := v.part(of); there {
			out = append(out, value)
		}
	}
	v.medium = nil
	return out
}

// ofMedium is the value of a placeholder of a medium.
func (v *values) ofMedium(name string) (any, bool) {
	part := v.medium
	if part == nil {
		if len(v.media) == 0 {
			return nil, false
		}
		part = v.media[0]
	}
	m := part.Media
	switch name {
	case "mime_type":
		return m.MIMEType, m.MIMEType != ""
	case "kind":
		return part.Type, true
	case "name":
		return nameOf(m), nameOf(m) != ""
	case "data":
		data, err := wire.Base64(m)
		v.fail(err)
		return data, err == nil
	}
	address, err := wire.DataURL(m)
	v.fail(err)
	return address, err == nil
}

// nameOf is the file name of a medium; "": none.
func nameOf(m *chat.Media) string {
	name := m.Source
	if name == "" {
		name = m.Path
	}
	name, _, _ = strings.Cut(name, "?")
	if base := path.Base(filepath.ToSlash(name)); base != "." && base != "/" {
		return base
	}
	return ""
}

// plainPart is a part of a message as chat completions write it.
type plainPart struct {
	Type  string        `json:"type"`
	Text  string        `json:"text,omitempty"`
	Image *plainAddress `json:"image_url,omitempty"`
	Video *plainAddress `json:"video_url,omitempty"`
	Audio *plainAudio   `json:"input_audio,omitempty"`
	File  *plainFile    `json:"file,omitempty"`
}

type plainAddress struct {
	URL string `json:"url"`
}

type plainAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type plainFile struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data"`
}

func (v *values) plainParts(parts []chat.Part) []plainPart {
	out := make([]plainPart, 0, len(parts))
	for i := range parts {
		m := parts[i].Media
		if m == nil {
			out = append(out, plainPart{Type: "text", Text: parts[i].Text})
			continue
		}
		address, err := wire.DataURL(m)
		v.fail(err)
		switch parts[i].Type {
		case "image":
			out = append(out, plainPart{Type: "image_url", Image: &plainAddress{address}})
		case "video":
			out = append(out, plainPart{Type: "video_url", Video: &plainAddress{address}})
		case "audio":
			data, err := wire.Base64(m)
			v.fail(err)
			_, format, _ := strings.Cut(m.MIMEType, "/")
			out = append(out, plainPart{Type: "input_audio", Audio: &plainAudio{data, format}})
		default:
			out = append(out, plainPart{Type: "file", File: &plainFile{nameOf(m), address}})
		}
	}
	return out
}
