package ellipsis

import "testing"

func TestRunes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äöü…"}, {"a", 0, "…"},
		{"a\xffbc", 3, "a\xffb…"},
	} {
		if got := Runes(c.text, c.n); got != c.want {
			t.Errorf("%q, %d: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
