package checks

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

var videoResolutionDef = define[videoResolution](Def{
	Name:     "video_resolution",
	Summary:  "Every video of the reply and of tool results has one of the resolutions and a size within the bounds.",
	Scoring:  "1 when there are videos, the size of all is known and fits, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type videoResolution struct {
	Presets []resolution `param:"presets" doc:"Any of them: 480p … 4320p, sd … 8k, or 1280x720."`
	pixelBounds
}

func (p videoResolution) Build(b *binder) Check {
	p.verify(b)
	return &p
}

func (*videoResolution) asksEach() (of, instead string) { return "video", insteadOfBannedMedia }

func (c *videoResolution) Eval(_ context.Context, s *Subject) (Finding, error) {
	return s.sizes("video", "resolutions", func(size pixels) []string {
		problems := c.problems(size)
		if len(c.Presets) == 0 || slices.ContainsFunc(c.Presets, func(r resolution) bool { return r.fits(size) }) {
			return problems
		}
		names := make([]string, len(c.Presets))
		for i := range c.Presets {
			names[i] = c.Presets[i].name
		}
		return append([]string{"is " + size.String() + ", expected " + say.Or(names)}, problems...)
	})
}

// presets are the shorter sides of named resolutions.
var presets = map[string]int{
	"480p": 480, "sd": 480,
	"720p": 720, "hd": 720,
	"1080p": 1080, "fhd": 1080, "full_hd": 1080,
	"1440p": 1440, "2k": 1440, "qhd": 1440,
	"2160p": 2160, "4k": 2160, "uhd": 2160,
	"4320p": 4320, "8k": 4320,
}

// resolution is a parameter that holds a preset, or a width and a height.
type resolution struct {
	name  string // as written
	short int    // the shorter side, so that upright videos fit; 0: exact counts
	exact pixels
}

func (r *resolution) fits(size pixels) bool {
	if r.short > 0 {
		return min(size.width, size.height) == r.short
	}
	return size == r.exact
}

func (*resolution) shape() keys.Shape {
	return keys.Own{Words: "resolution such as 720p or 1280x720", Doc: *filled.Schema(nil)}
}

func (r *resolution) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.Name(n, what)
	if !ok {
		return false
	}
	r.name = text
	if r.short = presets[strings.ToLower(text)]; r.short > 0 {
		return true
	}
	if r.exact, ok = parsePixels(text); ok {
		return true
	}
	d := b.r.Errorf(n, "unknown-value", "%s is %q, which is no resolution that is known", what, text)
	d.Hint = "expected " + say.Or(presetNames()) + ", or a width and a height such as 1280x720"
	if near := diag.DidYouMean(text, presetNames()); near != "" {
		d.Hint = near
	}
	return false
}

// parsePixels parses 1280x720.
func parsePixels(text string) (pixels, bool) {
	w, h, ok := strings.Cut(strings.NewReplacer("X", "x", "×", "x", " ", "").Replace(text), "x")
	width, err1 := strconv.ParseUint(w, 10, 31)
	height, err2 := strconv.ParseUint(h, 10, 31)
	return pixels{int(width), int(height)}, ok && err1 == nil && err2 == nil && width > 0 && height > 0
}

// presetNames are the names from the lowest resolution to the highest.
func presetNames() []string {
	names := make([]string, 0, len(presets))
	for name := range presets {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := presets[a] - presets[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}
