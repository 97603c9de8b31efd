package html

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// pairs lists which colours stand on which, and the contrast that they need: 4.5 for text, 3 for drawings.
func pairs() []struct {
	ink, ground string
	least       float64
} {
	type pair = struct {
		ink, ground string
		least       float64
	}
	var all []pair
	for _, ground := range []string{
		"page", "panel", "sunken", "user", "agent",
		"passed-tint", "failed-tint", "error-tint", "undecided-tint", "cancelled-tint", "skipped-tint",
	} {
		all = append(all, pair{"ink", ground, 4.5}, pair{"muted", ground, 4.5}, pair{"link", ground, 4.5})
	}
	for _, status := range []string{"passed", "failed", "error", "undecided", "cancelled", "skipped"} {
		for _, ground := range []string{"page", "panel", "sunken", status + "-tint"} {
			all = append(all, pair{status, ground, 4.5})
		}
	}
	return append(all, pair{"ink", "mark", 4.5}, pair{"ink", "added", 4.5}, pair{"ink", "removed", 4.5}, pair{"focus", "page", 3}, pair{"column", "page", 3})
}

var (
	block   = regexp.MustCompile(`(?s):root \{(.*?)\}`)
	setting = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)
)

func TestContrast(t *testing.T) {
	t.Parallel()
	css, err := assets.ReadFile("assets/base.css")
	if err != nil {
		t.Fatal(err)
	}
	themes := block.FindAllSubmatch(css, -1)
	if len(themes) != 2 {
		t.Fatalf("got %d palettes, want light and dark", len(themes))
	}
	for i, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			colours := map[string]float64{}
			for _, m := range setting.FindAllSubmatch(themes[i][1], -1) {
				colours[string(m[1])] = luminance(t, string(m[2]))
			}
			for _, p := range pairs() {
				ink, known := colours[p.ink]
				ground, also := colours[p.ground]
				if !known || !also {
					t.Errorf("--%s or --%s is no colour", p.ink, p.ground)
					continue
				}
				if c := contrast(ink, ground); c < p.least {
					t.Errorf("--%s on --%s: contrast %.2f, want at least %.1f", p.ink, p.ground, c, p.least)
				}
			}
		})
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// luminance is the relative luminance of an sRGB colour as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(channel uint64) float64 {
		c := float64(channel&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}
