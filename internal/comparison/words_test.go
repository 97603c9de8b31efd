package comparison

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, now, want string }{
		{"", "", ""},
		{"the same", "the same", "the same"},
		{"", "all new", "{all new}"},
		{"all gone", "", "[all gone]"},
		{"ten teapots", "two teapots", "[ten]{two} teapots"},
		{"a b c", "a c", "a [b ]c"},
		{"a c", "a b c", "a {b }c"},
		{"$10.50", "$12.50", "$[10]{12}.50"},
		{"naïve café", "naïve tea", "naïve [café]{tea}"},
		{"one\ntwo", "one\nthree", "one\n[two]{three}"},
		{"a\xffb", "a\xffc", "a\xff[b]{c}"},
	} {
		var b strings.Builder
		for _, p := range Words(c.was, c.now) {
			b.WriteString(map[Kind]string{Both: "", Removed: "[", Added: "{"}[p.Kind] + p.Text +
				map[Kind]string{Both: "", Removed: "]", Added: "}"}[p.Kind])
		}
		if b.String() != c.want {
			t.Errorf("%q, %q: %s, want %s", c.was, c.now, b.String(), c.want)
		}
	}
}

// FuzzWords: nothing is lost of either text, and equal texts have one piece.
func FuzzWords(f *testing.F) {
	f.Add("a b", "a c")
	f.Add("", "\xff\xfe")
	f.Add(strings.Repeat("x ", 3000), strings.Repeat("y ", 3000)) // too many to compare
	f.Fuzz(func(t *testing.T, was, now string) {
		var a, b strings.Builder
		pieces := Words(was, now)
		for _, p := range pieces {
			if p.Text == "" {
				t.Errorf("an empty piece in %q", pieces)
			}
			if p.Kind != Added {
				a.WriteString(p.Text)
			}
			if p.Kind != Removed {
				b.WriteString(p.Text)
			}
		}
		if a.String() != was || b.String() != now {
			t.Errorf("%q, %q: %q", was, now, pieces)
		}
		if was == now && len(pieces) > 1 {
			t.Errorf("%q is not equal to itself: %q", was, pieces)
		}
	})
}
