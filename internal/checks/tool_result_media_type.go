package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

var toolResultMediaTypeDef = define[toolResultMediaTypeParams](Def{
	Name:     "tool_result_media_type",
	Summary:  "The result of some tool call has media of a MIME type in it.",
	Scoring:  "1 when a result has such a part, else 0.",
	Family:   FamilyTools,
	Surfaces: OnEval,
	Needs:    NeedsCalls | NeedsMedia,
	Weighs:   CallResults,
	Reads:    ReadsMedia,
})

type toolResultMediaTypeParams struct {
	resultScope
	MediaType string `param:"media_type,required" alias:"mime_type" is:"prose" doc:"MIME type such as image/png, in any case."`
}

func (p toolResultMediaTypeParams) Build(b *binder) Check {
	major, minor, slash := strings.Cut(p.MediaType, "/")
	if !slash || major == "" || minor == "" || strings.Contains(p.MediaType, "*") {
		b.errorf("media_type", "wrong-type", "media_type %q is not a MIME type such as image/png", p.MediaType).Hint =
			"to ask for any image, sound, video or document, use tool_result_has_media"
	}
	return &toolResultMediaType{p.resultScope, p.MediaType}
}

type toolResultMediaType struct {
	resultScope
	mime string
}

func (c *toolResultMediaType) Eval(_ context.Context, s *Subject) (Finding, error) {
	details := Details{"tool": c.ToolName, "mime_type": c.mime}
	return c.find(s, c.mime, details, func(p *chat.Part) bool {
		return p.Media != nil && strings.EqualFold(p.Media.MIMEType, c.mime)
	}), nil
}
