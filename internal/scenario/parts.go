package scenario

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/node"
)

// partFile is a part of a message as written in a file.
type partFile struct {
	chat.Part
	pos   diag.Pos
	media *node.Node
	file  mediaFile
}

var partTypes = words("text", "image", "audio", "video", "document")

// partFields are the keys of one part of a turn or of a tool's canned result.
var partFields = table("a part", func() rows[partFile] {
	return rows[partFile]{
		word("type", partTypes, func(p *partFile) *string { return &p.Type }).must().doc("What the part is."),
		str("text", func(p *partFile) *string { return &p.Text }).doc("The text of a part of type text."),
		custom("media", mediaFields, func(d *decoder, p *partFile, v *node.Node) {
			if p.media = v; mediaFields.read(d, v, &p.file) {
				p.Media = d.source(v, &p.file)
			}
		}).doc("The medium of any other part."),
	}
})

type mediaFile struct {
	chat.Media
	path, url, storage, data *node.Node
}

// at is the position of the medium's source; all is the medium.
func (m *mediaFile) at(all *node.Node) *node.Node { return cmp.Or(m.url, m.data, m.path, all) }

var mediaFields = table("media", func() rows[mediaFile] {
	return rows[mediaFile]{
		custom("file_path", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.path = v
			m.Path, _ = d.Name(v, "file_path")
		}).doc("The file of the medium. Paths start at the folder of the config. In a turn of a scenario with a dataset, " +
			"{{field}} stands for a field of the row; such a path may start at the folder of the dataset, too."),
		custom("url", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.url = v
			m.URL, _ = d.Name(v, "url")
		}).doc("The address of the medium, of http or https. What a turn sends is fetched once in a run, from public hosts " +
			"alone unless allow_private_hosts names the host. {{field}} stands in it as in file_path."),
		custom("data", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.data = v
			m.Data, _ = d.Name(v, "data")
		}).doc("The medium in base64."),
		custom("storage_reference", text, func(d *decoder, m *mediaFile, v *node.Node) {
			m.storage = v
			d.Name(v, "storage_reference")
		}).doc("Where another tool keeps the medium; arena cannot read it."),
		label("mime_type", func(m *mediaFile) *string { return &m.MIMEType }).doc("The type, such as image/png. Left out: " +
			"what the server tells of an address, else what the extension of the file says."),
		word("detail", words("low", "high", "auto"), func(m *mediaFile) *string { return &m.Detail }).
			doc("How closely a model is to look at a picture, where its API takes that."),
		str("caption", func(m *mediaFile) *string { return &m.Caption }).doc("What is to be seen or heard."),
		integer("width", natural, func(m *mediaFile) *int { return &m.Width }).doc("In pixels."),
		integer("height", natural, func(m *mediaFile) *int { return &m.Height }).doc("In pixels."),
	}
})

// parts reads a list of parts, and returns their positions.
func (d *decoder) parts(n *node.Node, what string) (list []chat.Part, at []diag.Pos) {
	d.Items(n, what, func(_ int, v *node.Node) {
		if p, ok := d.part(v); ok {
			list, at = append(list, p.Part), append(at, p.pos)
		}
	})
	return list, at
}

func (d *decoder) part(v *node.Node) (p partFile, ok bool) {
	if p.pos = d.Pos(v); !partFields.read(d, v, &p) {
		return p, false
	}
	switch {
	case p.Type == "text" && p.Text == "":
		d.Missing(v, "a part of type text", "text")
	case p.Type == "text" && p.media != nil:
		d.Errorf(p.media, "unused-field", "a part of type text has no media: the medium would not be sent").
			Hint = "write type: image, audio, video or document"
	case p.Type != "text" && p.Type != "" && p.media == nil:
		d.Missing(v, "a part of type "+p.Type, "media")
	}
	if p.media != nil {
		p.pos = d.Pos(p.file.at(p.media))
		d.mediumFits(p.media, p.Type, p.Media)
	}
	if at := node.Get(v, "text"); at != nil && p.Type != "text" && p.Type != "" {
		d.Errorf(at, "unused-field", "text has no effect in a part of type %s: it would not be sent", p.Type).
			Hint = "make it a part of its own, of type text"
	}
	return p, true
}

// blankParts reports whether all parts are blank texts.
func blankParts(list []chat.Part) bool {
	return !slices.ContainsFunc(list, func(p chat.Part) bool {
		return p.Type != "text" || p.Text == "" || strings.TrimSpace(p.Text) != "" // no text is told apart
	})
}

// mediumFits refuses a media type that does not fit the kind of the part.
func (d *decoder) mediumFits(n *node.Node, kind string, m *chat.Media) {
	at := node.Get(n, "mime_type")
	if at == nil || kind == "" || kind == "text" || m == nil || m.MIMEType == "" {
		return
	}
	class, sub, whole := strings.Cut(m.MIMEType, "/")
	switch {
	case !whole || class == "" || sub == "" || strings.ContainsAny(m.MIMEType, " {}"):
		d.Errorf(at, "wrong-type", "%q is no MIME type, such as image/png", m.MIMEType)
	case media.KindOf(m.MIMEType) != kind:
		d.Errorf(at, "wrong-type", "a part of type %s cannot be of the type %s", kind, m.MIMEType).
			Hint = "write type: " + media.KindOf(m.MIMEType) + ", or the mime_type that the file has"
	}
}

// source resolves the bytes of a medium. Of several sources the first of url, data and file_path is used.
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
		m.Path, m.Data = "", strings.Join(strings.Fields(m.Data), "")
		if _, err := base64.StdEncoding.DecodeString(m.Data); err != nil {
			p := d.Errorf(m.data, "wrong-type", "data must be base64")
			if before, _, found := strings.Cut(m.Data, ";base64,"); found && strings.HasPrefix(before, "data:") {
				p.Hint = "leave out what is before the comma, and write mime_type: " + strings.TrimPrefix(before, "data:")
			}
		}
	case m.open():
	case m.Path != "":
		name := m.Path
		resolved, found := d.projectPath(name)
		m.Path, m.Local, m.Source = d.places.fs.access(resolved), true, filepath.ToSlash(name)
		if !found {
			why := d.missingIn(name, d.places.run, d.places.config)
			if why.code != MissingFile {
				d.Errorf(m.path, why.code, "%s", why.msg).Hint = why.hint
				break
			}
			d.Warnf(m.path, MissingFile, "%s", NoMedium(&m.Media)).Hint = why.hint
		} else if !d.places.hold(m.Path) {
			d.Foreignf(m.path, "outside-project", "%s", outside(m.Source)).Hint = insideProject
		}
		if m.MIMEType == "" {
			m.MIMEType = media.TypeOf(filepath.Ext(name))
		}
	case m.storage == nil:
		d.Missing(n, "media", "file_path, url or data")
	}
	return &m.Media
}

// NoMedium says that the file of a medium is not there.
func NoMedium(m *chat.Media) string { return fmt.Sprintf("there is no file %q", m.Source) }

// outside is the message that a file of a medium is outside the project.
func outside(name string) string { return name + " is outside of the project" }

const insideProject = "copy it below the folder of the config, or run arena from a folder that holds both; --lenient " +
	"reads it"

// hold reports whether a file is below the folder of the config or below the working directory, after resolving links.
// Otherwise the author of a scenario could read any file and have it sent away. For a file that cannot be inspected the
// result is true, because reading it fails.
func (p *pathBases) hold(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return true
	}
	for _, dir := range []string{p.config, p.run, "."} {
		if dir, err := filepath.EvalSymlinks(cmp.Or(p.fs.access(dir), ".")); err == nil {
			if dir, err = filepath.Abs(dir); err == nil && below(dir, real) {
				return true
			}
		}
	}
	return false
}

// below reports whether a path is a folder, or inside it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// EachMedium visits the media in the tool's canned result, with their positions.
func (t *Tool) EachMedium(visit func(part *chat.Part, at diag.Pos)) {
	eachMedium(t.MockParts, t.MockPartPos, t.Pos, visit)
}

// EachMedium visits the media in the reply and in its results, with their positions.
func (r *MockReply) EachMedium(visit func(part *chat.Part, at diag.Pos)) {
	eachMedium(r.Parts, r.PartPos, diag.Pos{}, visit)
	for i, res := range r.Results {
		eachMedium(res.Parts, r.ResultPos[i], diag.Pos{}, visit)
	}
}

func eachMedium(parts []chat.Part, at []diag.Pos, whole diag.Pos, visit func(*chat.Part, diag.Pos)) {
	for i := range parts {
		if parts[i].Media == nil {
			continue
		}
		if i < len(at) {
			visit(&parts[i], at[i])
			continue
		}
		visit(&parts[i], whole)
	}
}

// flattenParts converts parts that are all text to plain content, so that only real media need a multimodal provider.
func (d *decoder) flattenParts(t *turnFile) {
	if len(t.Parts) == 0 {
		return
	}
	var content strings.Builder
	for _, p := range t.Parts {
		if p.Type != "text" {
			t.Content = ""
			return
		}
		content.WriteString(p.Text)
	}
	t.Content, t.Parts, t.rare().PartPos = content.String(), nil, nil
}
