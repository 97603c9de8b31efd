package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/node"
)

// RowMedium is a medium of a turn whose file_path or url contains fields of the row.
type RowMedium struct {
	Part int // its index in the parts of the turn

	pos    diag.Pos
	width  int
	places *pathBases
	// lenient says that the file may be outside the project.
	lenient bool
}

// open reports whether a row completes the name of the medium.
func (m *mediaFile) open() bool { return strings.Contains(m.template(), "{{") }

// template is the file_path or url of the medium.
func (m *mediaFile) template() string {
	if m.url != nil {
		return m.URL
	}
	return m.Path
}

// key is the key of the medium's source.
func (m *mediaFile) key() string {
	if m.url != nil {
		return "url"
	}
	return "file_path"
}

// turnParts reads the parts of a turn, their positions, and the media that rows name.
func (d *decoder) turnParts(t *turnFile) {
	rare := t.rare()
	d.Items(t.parts, "parts", func(_ int, v *node.Node) {
		p, ok := d.part(v)
		if !ok {
			return
		}
		if p.file.open() {
			rare.RowMedia = append(rare.RowMedia, RowMedium{
				Part: len(t.Parts), pos: p.pos, width: utf8.RuneCountInString(p.file.template()), places: d.places,
				lenient: d.Lenient,
			})
		}
		t.Parts, rare.PartPos = append(t.Parts, p.Part), append(rare.PartPos, p.pos)
	})
}

// closed refuses fields of rows in a medium if there are no rows.
func (d *decoder) closed(m *mediaFile) {
	if m.open() {
		d.Errorf(m.at(nil), "placeholder", "%s holds a placeholder, and nothing fills it in here", m.key()).Hint =
			"write the name itself: only media in turns of a scenario with a dataset are named by rows"
	}
}

// closedTurns refuses fields of rows in the media of turns without rows.
func (d *decoder) closedTurns(s *Scenario) {
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, m := range t.More().RowMedia {
			refuse := func(why, hint string) {
				d.Diags.Errorf(m.pos, m.width, "placeholder", "%q names a medium with a placeholder, and %s",
					sourceName(t.Parts[m.Part].Media), why).Hint = hint
			}
			switch {
			case t.Literal:
				refuse("the turn is literal", "take literal out")
			case s.Dataset == nil:
				refuse("the scenario has no dataset", "write the name itself, or add a dataset whose rows name it: variables "+
					"do not")
			}
		}
	}
}

// sourceName is the name of a medium's source.
func sourceName(m *chat.Media) string {
	if m.URL != "" {
		return m.URL
	}
	return m.Path
}

// rowMedia reports names of media that no row can complete.
func (b *build) rowMedia(s *Scenario) {
	if s.Dataset == nil {
		return
	}
	sample := s.sample()
	v := &Values{Vars: map[string]string{}, row: sample.Row}
	sample.withRow(v.Vars)
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, m := range t.More().RowMedia {
			b.checkText(v, m.pos, "", sourceName(t.Parts[m.Part].Media))
		}
	}
}

// EachMedium visits the media of all turns, with their positions. Media that rows name are only in a scenario for a
// row; see EachRowMedium.
func (s *Scenario) EachMedium(visit func(part *chat.Part, at diag.Pos)) {
	for i := range s.Turns {
		t := &s.Turns[i]
		more := t.More()
		eachMedium(t.Parts, more.PartPos, t.Pos, func(part *chat.Part, at diag.Pos) {
			if s.Row != nil || !slices.ContainsFunc(more.RowMedia, func(m RowMedium) bool { return &t.Parts[m.Part] == part }) {
				visit(part, at)
			}
		})
	}
}

// EachRowMedium visits the media that rows name, with their positions. In a scenario for a row they are resolved; an
// invalid one has neither a file nor an address, which RowFaults reports.
func (s *Scenario) EachRowMedium(visit func(part *chat.Part, at diag.Pos)) {
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, m := range t.More().RowMedia {
			visit(&t.Parts[m.Part], m.pos)
		}
	}
}

// fillMedia resolves the media that the row names.
func (s *Scenario) fillMedia() {
	if !slices.ContainsFunc(s.Turns, func(t Turn) bool { return len(t.More().RowMedia) > 0 }) {
		return
	}
	s.Turns = slices.Clone(s.Turns)
	for i := range s.Turns {
		t := &s.Turns[i]
		if len(t.More().RowMedia) > 0 {
			t.Parts = slices.Clone(t.Parts)
		}
		for _, m := range t.More().RowMedia {
			part := &t.Parts[m.Part]
			part.Media = s.mediumOfRow(&m, part.Media)
		}
	}
}

// mediumOfRow is a medium that the row names. A wrong name is kept for RowFaults.
func (s *Scenario) mediumOfRow(m *RowMedium, template *chat.Media) *chat.Media {
	out := *template
	out.URL, out.Path = "", ""
	name, lacks := s.FillText(sourceName(template))
	fault := func(text string) *chat.Media {
		s.mediaFaults = append(s.mediaFaults, m.pos.String()+": "+text)
		return &out
	}
	switch {
	case len(lacks) > 0:
		return fault(fmt.Sprintf("the row has no field %q", lacks[0]))
	case strings.TrimSpace(name) == "":
		return fault(fmt.Sprintf("nothing is left of %q with this row", sourceName(template)))
	case template.URL != "":
		out.URL = name
		return &out
	}
	out.Source = filepath.ToSlash(name)
	path, why := s.rowPath(m.places, name)
	switch {
	case why != "":
		return fault(NoMedium(&out) + " (" + why + ")")
	case m.places.hold(path):
	case m.lenient:
		s.mediaDoubts = append(s.mediaDoubts, m.pos.String()+": "+outside(out.Source))
	default:
		return fault(outside(out.Source) + " (" + insideProject + ")")
	}
	out.Path, out.Local = path, true
	if out.MIMEType == "" {
		out.MIMEType = media.TypeOf(filepath.Ext(name))
	}
	return &out
}

// rowPath finds a file that a row names: beside the dataset, or where other media are. why is the hint for a missing
// file.
func (s *Scenario) rowPath(p *pathBases, name string) (path, why string) {
	if filepath.IsAbs(name) {
		if p.fs.exists(name) {
			return name, ""
		}
		return "", "rows name files by their paths from the folder of the dataset"
	}
	var looked []string
	for _, dir := range []string{filepath.Dir(s.Dataset.Name), p.run, p.config} {
		at := filepath.Join(dir, name)
		if p.fs.exists(at) {
			return p.fs.access(at), ""
		}
		if hint := p.fs.missing(at).hint; hint != "" && why == "" {
			why = hint
		}
		if in := folder(dir); !slices.Contains(looked, in) {
			looked = append(looked, in)
		}
	}
	if why == "" {
		why = "searched from " + strings.Join(looked, ", then ")
	}
	return "", why
}
