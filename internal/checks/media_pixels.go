package checks

import "fmt"

// pixelBounds are limits of the size of images and videos.
type pixelBounds struct {
	MinWidth  *int `param:"min_width" min:"0" doc:"Pixels; wider is fine."`
	MaxWidth  *int `param:"max_width" min:"1" doc:"Pixels; narrower is fine."`
	MinHeight *int `param:"min_height" min:"0" doc:"Pixels; taller is fine."`
	MaxHeight *int `param:"max_height" min:"1" doc:"Pixels; less tall is fine."`
}

// verify reports bounds that no size fits, and bounds that every size fits.
func (p *pixelBounds) verify(b *binder) {
	for _, side := range []struct {
		name      string
		low, high *int
	}{{"width", p.MinWidth, p.MaxWidth}, {"height", p.MinHeight, p.MaxHeight}} {
		if side.low != nil && side.high != nil && *side.low > *side.high {
			b.errorf("min_"+side.name, "out-of-range", "min_%s %d is above max_%s %d, so nothing passes", side.name,
				*side.low, side.name, *side.high).Hint = "swap the two"
		}
		if side.low != nil && *side.low == 0 && side.high == nil {
			b.noteVacuous("min_"+side.name, asksNothing, "nothing is smaller")
		}
	}
}

// problems returns the bounds that a size breaks.
func (p *pixelBounds) problems(size pixels) []string {
	return append(beyond("width", size.width, p.MinWidth, p.MaxWidth),
		beyond("height", size.height, p.MinHeight, p.MaxHeight)...)
}

func beyond(what string, n int, low, high *int) []string {
	switch {
	case low != nil && n < *low:
		return []string{fmt.Sprintf("has %s %d, at least %d needed", what, n, *low)}
	case high != nil && n > *high:
		return []string{fmt.Sprintf("has %s %d, at most %d allowed", what, n, *high)}
	}
	return nil
}

// pixels is the size of an image or a video.
type pixels struct{ width, height int }

func (p pixels) String() string { return fmt.Sprintf("%d×%d", p.width, p.height) }

func (p pixels) details() Details { return Details{"width": p.width, "height": p.height} }

// pixels returns the size of the bytes, else the declared one; ok is false when it is not known. problem describes a
// difference between the two.
func (m *medium) pixels() (size pixels, problem string, ok bool) {
	declared := pixels{max(m.Width, 0), max(m.Height, 0)}
	size = pixels{m.info.Width, m.info.Height}
	if size.width == 0 {
		return declared, "", declared.width > 0 && declared.height > 0
	}
	if declared.width > 0 && declared.width != size.width || declared.height > 0 && declared.height != size.height {
		problem = "is declared as " + declared.String() + " and its bytes are " + size.String()
	}
	return size, problem, true
}

// sizes judges the size of every medium of a kind. fit returns what is wrong with a size.
func (s *Subject) sizes(kind, values string, fit func(pixels) []string) (Finding, error) {
	return s.eachMedium(kind, values, func(v *mediaVerdict, m *medium) {
		size, problem, ok := m.pixels()
		if !ok {
			v.judge(m, nil, "", []string{m.unknown("size")})
			return
		}
		problems := fit(size)
		if problem != "" {
			problems = append(problems, problem)
		}
		v.judge(m, size.details(), size.String(), problems)
	})
}
