package checks

import (
	"context"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

var toolResultHasMediaDef = define[toolResultHasMediaParams](Def{
	Name:     "tool_result_has_media",
	Summary:  "The result of some tool call has an image, a sound, a video or a document in it.",
	Scoring:  "1 when a result has such a part, else 0.",
	Family:   FamilyTools,
	Surfaces: OnEval,
	Needs:    NeedsCalls | NeedsMedia,
	Weighs:   CallResults,
	Reads:    ReadsMedia,
})

type toolResultHasMediaParams struct {
	resultScope
	MediaType mediaKind `param:"media_type" doc:"Which kind; any when left out."`
}

func (p toolResultHasMediaParams) Build(*binder) Check {
	return &toolResultHasMedia{p.resultScope, string(p.MediaType)}
}

type toolResultHasMedia struct {
	resultScope
	kind string // "": any
}

func (c *toolResultHasMedia) Eval(_ context.Context, s *Subject) (Finding, error) {
	what := c.kind
	if what == "" {
		what = "media"
	}
	details := Details{"tool": c.ToolName, "media_type": c.kind}
	return c.find(s, what, details, func(p *chat.Part) bool {
		return c.kind == "" || strings.EqualFold(p.Type, c.kind)
	}), nil
}

// find looks for a part other than text in the results.
func (r *resultScope) find(s *Subject, what string, details Details, fits func(p *chat.Part) bool) Finding {
	var seen []string
	holder := ""
	n := r.each(s, func(_ int, call *Call) {
		for i := range call.Parts {
			p := &call.Parts[i]
			if isText(p) {
				continue
			}
			if isEmpty(p) {
				seen = append(seen, label(p)+" without a byte")
				continue
			}
			seen = append(seen, label(p))
			if holder == "" && fits(p) {
				holder = say.Named(call.Name) + " gave " + label(p) + inTurn(s, call.Turn)
			}
		}
	})
	details["found"], details["media"] = holder != "", atLeastEmpty(seen)
	switch {
	case n == 0:
		return r.none(s, details)
	case holder != "":
		return Finding{Score: 1, Explanation: holder, Details: details}
	case len(seen) > 0:
		return Finding{Explanation: "no " + what + " in " + r.results(n) + ", only " + say.Listed(seen, ", "),
			Details: details}
	}
	return Finding{Explanation: "no " + what + " in " + r.results(n) + ", only text", Details: details}
}

// isText reports whether a part is only text.
func isText(p *chat.Part) bool {
	return p.Media == nil && (p.Type == "" || strings.EqualFold(p.Type, "text"))
}

// isEmpty reports whether a media part has neither bytes nor an address.
func isEmpty(p *chat.Part) bool {
	m := p.Media
	return m != nil && m.Data == "" && m.URL == "" && m.Path == "" && m.SHA256 == ""
}

// label is a part in words: image (image/png).
func label(p *chat.Part) string {
	if p.Media == nil || p.Media.MIMEType == "" {
		return say.Named(p.Type)
	}
	return say.Named(p.Type) + " (" + say.Named(p.Media.MIMEType) + ")"
}

var mediaKinds = []string{"image", "audio", "video", "document"}

// mediaKind is a parameter with one of mediaKinds, in any case.
type mediaKind string

func (*mediaKind) shape() keys.Shape {
	return keys.Own{Words: keys.Words(mediaKinds).Label(), Doc: jsonschema.Doc{
		Type: jsonschema.Types{"string"}, Examples: mediaKinds,
	}}
}

func (k *mediaKind) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.String(n, what)
	if !ok {
		return false
	}
	*k = mediaKind(strings.ToLower(text))
	if !slices.Contains(mediaKinds, string(*k)) {
		d := b.r.Errorf(n, "unknown-value", "%s cannot be %q; expected %s", what, text, say.Or(mediaKinds))
		if d.Hint = diag.DidYouMean(string(*k), mediaKinds); strings.Contains(text, "/") {
			d.Hint = "to ask for a MIME type, use tool_result_media_type"
		}
		return false
	}
	return true
}
