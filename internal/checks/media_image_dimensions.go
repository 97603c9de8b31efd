package checks

import (
	"context"
	"fmt"
)

var imageDimensionsDef = define[imageDimensions](Def{
	Name:     "image_dimensions",
	Summary:  "Every image of the reply and of tool results has a size within the bounds.",
	Scoring:  "1 when there are images, the size of all is known and fits, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type imageDimensions struct {
	Width  *int `param:"width" min:"1" doc:"Exactly so many pixels wide."`
	Height *int `param:"height" min:"1" doc:"Exactly so many pixels tall."`
	pixelBounds
}

func (p imageDimensions) Build(b *binder) Check {
	p.verify(b)
	for _, side := range []struct {
		name            string
		want, low, high *int
	}{{"width", p.Width, p.MinWidth, p.MaxWidth}, {"height", p.Height, p.MinHeight, p.MaxHeight}} {
		if side.want != nil && len(beyond("", *side.want, side.low, side.high)) > 0 {
			b.errorf(side.name, "out-of-range", "%s %d is outside the bounds beside it, so nothing passes", side.name,
				*side.want)
		}
	}
	return &p
}

func (*imageDimensions) asksEach() (of, instead string) { return "image", insteadOfBannedMedia }

func (c *imageDimensions) Eval(_ context.Context, s *Subject) (Finding, error) {
	return s.sizes("image", "dimensions", func(size pixels) []string {
		problems := append(exactly("width", size.width, c.Width), exactly("height", size.height, c.Height)...)
		return append(problems, c.problems(size)...)
	})
}

func exactly(what string, n int, want *int) []string {
	if want == nil || n == *want {
		return nil
	}
	return []string{fmt.Sprintf("has %s %d, expected %d", what, n, *want)}
}
