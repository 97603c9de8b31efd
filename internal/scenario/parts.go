package scenario

import (
	"encoding/base64"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
)

// partFile is a part of a message as it stands in a file.
type partFile struct {
	chat.Part
	media *node.Node
}

var partTypes = words("text", "image", "audio", "video", "document")

// partFields are the keys of one part of a turn or of a tool's canned result.
var partFields = table("a part", func() rows[partFile] {
	return rows[partFile]{
		word("type", partTypes, func(p *partFile) *string { return &p.Type }).must().doc("What the part is."),
		str("text", func(p *partFile) *string { return &p.Text }).doc("The text of a part of type text."),
		custom("media", mediaFields, func(d *decoder, p *partFile, v *node.Node) {
			var m mediaFile
			if p.media = v; mediaFields.read(d, v, &m) {
				p.Media = d.source(v, &m)
			}
		}).doc("The medium of any other part."),
	}
})

type mediaFile struct {
	chat.Media
	path, storage, data *node.Node
}

var mediaFields = table("media", func() rows[mediaFile] {
	return rows[mediaFile]{
		custom("file_path", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.path = v
			m.Path, _ = d.Name(v, "file_path")
		}).doc("The file of the medium."),
		label("url", func(m *mediaFile) *string { return &m.URL }).doc("The address of the medium."),
		custom("data", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.data = v
			m.Data, _ = d.Name(v, "data")
		}).doc("The medium in base64."),
		custom("storage_reference", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.storage = v
			d.Name(v, "storage_reference")
		}).doc("Where another tool keeps the medium; arena cannot read it."),
		label("mime_type", func(m *mediaFile) *string { return &m.MIMEType }).must().doc("The type, such as image/png."),
		word("detail", words("low", "high", "auto"), func(m *mediaFile) *string { return &m.Detail }).
			doc("How closely a model is to look at a picture."),
		str("caption", func(m *mediaFile) *string { return &m.Caption }).doc("What is to be seen or heard."),
		whole("width", natural, func(m *mediaFile) *int { return &m.Width }).doc("In pixels."),
		whole("height", natural, func(m *mediaFile) *int { return &m.Height }).doc("In pixels."),
	}
})

func (d *decoder) parts(n *node.Node, what string) []chat.Part {
	var list []chat.Part
	d.Items(n, what, func(_ int, v *node.Node) {
		var p partFile
		if !partFields.read(d, v, &p) {
			return
		}
		switch {
		case p.Type == "text" && p.Text == "":
			d.Missing(v, "a part of type text", "text")
		case p.Type != "text" && p.Type != "" && p.media == nil:
			d.Missing(v, "a part of type "+p.Type, "media")
		}
		list = append(list, p.Part)
	})
	return list
}

// source settles where the bytes of a medium come from. Of several sources the first of url, data and file_path
// counts.
func (d *decoder) source(n *node.Node, m *mediaFile) *chat.Media {
	if m.storage != nil {
		d.Errorf(m.storage, "unsupported", "storage_reference cannot be read here").Hint = "use file_path, url or data"
	}
	spare := func(at *node.Node, name, beside string) {
		if at != nil {
			d.Warnf(at, NoEffect, "%s has no effect beside %s", name, beside)
		}
	}
	switch {
	case m.URL != "":
		spare(m.data, "data", "url")
		spare(m.path, "file_path", "url")
		m.Data, m.Path = "", ""
	case m.Data != "":
		spare(m.path, "file_path", "data")
		m.Path = ""
		if _, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(m.Data), "")); err != nil {
			d.Errorf(m.data, "wrong-type", "data must be base64")
		}
	case m.Path != "":
		name := m.Path
		resolved, found := d.runtimePath(name)
		m.Path, m.Local = d.places.fs.access(resolved), true
		if !found {
			why := d.missingFile(name)
			d.Warnf(m.path, why.code, "%s", why.msg).Hint = why.hint
		}
	case m.storage == nil:
		d.Missing(n, "media", "file_path, url or data")
	}
	return &m.Media
}

// flattenParts makes plain content of parts that are all text, so that only true media need a provider that can see
// or hear.
func (d *decoder) flattenParts(t *turnFile) {
	if len(t.Parts) == 0 {
		return
	}
	var content strings.Builder
	for _, p := range t.Parts {
		if p.Type != "text" {
			d.need("images, audio, video and documents in turns", t.parts, Feature{Scenario: t.owner.ID})
			t.Content = ""
			return
		}
		content.WriteString(p.Text)
	}
	t.Content, t.Parts = content.String(), nil
}
