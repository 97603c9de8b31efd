package html

import "testing"

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a <b> & 日本語\n\tc", "a <b> & 日本語\n\tc"},
		{"escape", "\x1b[31mred", "⟨U+001B⟩[31mred"},
		{"controls", "\x00\x07\x7f\u0085", "⟨U+0000⟩⟨U+0007⟩⟨U+007F⟩⟨U+0085⟩"},
		{"line ends", "a\r\nb\rc", "a\r\nb⟨U+000D⟩c"},
		{"direction", "\u202egnp.exe\u2066", "⟨U+202E⟩gnp.exe⟨U+2066⟩"},
		{"invisible", "a\u200bb\ufeffc\u00add", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+00AD⟩d"},
		{"tags", "\U000E0041", "⟨U+E0041⟩"},
		{"separators", "\u2028\u2029", "⟨U+2028⟩⟨U+2029⟩"},
		{"joiners stay", "👩\u200d👧 می\u200cخواهم", "👩\u200d👧 می\u200cخواهم"},
		{"broken bytes", "a\xff\xfeb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := visible(c.in); got != c.want {
				t.Errorf("visible(%q): got %q, want %q", c.in, got, c.want)
			}
		})
	}
}
