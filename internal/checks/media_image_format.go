package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

var imageFormatDef = define[imageFormatParams](Def{
	Name:     "image_format",
	Summary:  "Every image of the reply and of tool results is of one of the formats.",
	Scoring:  "1 when there are images and all are, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type imageFormatParams struct{ mediaFormats }

func (p imageFormatParams) Build(*binder) Check { return p.check("image") }

// mediaFormats is the parameter of the format checks.
type mediaFormats struct {
	Formats []formatName `param:"formats,required" is:"name" doc:"Names or MIME types; jpg is jpeg, x- does not matter."`
}

func (p mediaFormats) check(kind string) Check {
	c := &mediaFormat{kind: kind}
	for _, f := range p.Formats {
		c.written = append(c.written, string(f))
		c.formats = append(c.formats, media.Name(kind, string(f)))
	}
	return c
}

type mediaFormat struct {
	kind    string
	written []string
	formats []string // by their canonical names
}

func (c *mediaFormat) asksEach() (of, instead string) { return c.kind, insteadOfBannedMedia }

func (c *mediaFormat) Eval(_ context.Context, s *Subject) (Finding, error) {
	invalid := []any{}
	f, err := s.eachMedium(c.kind, "formats", func(v *mediaVerdict, m *medium) {
		format := m.format()
		switch {
		case format == "":
			v.judge(m, nil, "", []string{m.unknown("format")})
		case !slices.ContainsFunc(c.formats, m.is):
			v.judge(m, format, "", []string{"is " + say.Named(format) + ", expected " + say.Or(c.written)})
		default:
			v.judge(m, format, say.Named(format), nil)
		}
		invalid = atLeastEmpty(v.invalid)
	})
	if err == nil {
		f.Details["expected"], f.Details["invalid_formats"] = c.written, invalid
	}
	return f, err
}

// format returns the format of the bytes, else the declared one; "" when it is not known.
func (m *medium) format() string {
	if m.read {
		return m.info.Format
	}
	return m.declared
}

// is reports whether the medium has a format.
func (m *medium) is(format string) bool {
	if m.read {
		return m.info.Is(format)
	}
	return format == m.declared
}

// formatName is a parameter with the name of a format. Any name is allowed; a name that resembles a known one gets a
// warning.
type formatName string

func (*formatName) shape() keys.Shape { return filled }

func (f *formatName) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.Name(n, what)
	if !ok {
		return false
	}
	*f = formatName(text)
	name := media.Name("", text)
	if name == "" {
		b.r.Errorf(n, "unknown-value", "%s names no format: %q", what, text).Hint = "write one such as png, or several"
		return false
	}
	if near := diag.DidYouMean(name, media.Known()); near != "" && !slices.Contains(media.Known(), name) {
		b.r.Warnf(n, "unknown-value", "%s is %q, which is no format that is known", what, text).Hint = near
	}
	return true
}
