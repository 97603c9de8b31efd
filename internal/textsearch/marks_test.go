package textsearch

import (
	"strings"
	"testing"
)

func TestUnmarked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"nothing":                      "nothing",
		"**den**ied":                   "denied",
		"was *denied*, **_twice_**":    "was denied, twice",
		`de\_nied \*x\* C:\new \`:      `de_nied *x* C:\new \`,
		"was `denied` and ~~granted~~": "was denied and granted",
		"* an item\n* another":         "* an item\n* another",
		"***\nabove":                   "***\nabove",
		"2*3 and a * b, ~5":            "2*3 and a * b, ~5",
		"sort_key, _private, __init__": "sort_key, private, init",
		"_":                            "_", "*": "*", `\\`: `\`,
		"\xff*a*": "\uFFFDa",

		"de<b>ni</b>ed":                     "denied",
		"<p>was denied</p><p>twice<br/>so":  " was denied  twice so",
		`den<span class="x">ied</SPAN>`:     "denied",
		"de<!-- no -->nied":                 "denied",
		"money [back](https://a/b) at once": "money back at once",
		"[mo](#)ney [**back**][1]":          "money back",
		"[the <i>bo</i>mb](x":               "[the bomb](x",
		"a < b, c <d and e> f, x<y":         "a < b, c <d and e> f, x<y",
		"List<String> a[1] [x] b[[c](d)":    "List<String> a[1] [x] b[c",
		"see [1]":                           "see [1]",
		"[[" + strings.Repeat("é", 300):     "[[" + strings.Repeat("é", 300),
	} {
		if got := Unmarked(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzUnmarked compares a search in pieces with one in the whole text.
func FuzzUnmarked(f *testing.F) {
	f.Add("a **bо**mb is\\_ not\n", "bomb is", []byte{3, 1, 9})
	f.Add("cafe\u0301* _noir_", "café noir", []byte{1})
	f.Add("a b<b>om</b>b <p>is [no](t)t <x [ai](", "bomb is not", []byte{2})
	f.Fuzz(func(t *testing.T, text, sought string, cuts []byte) {
		sought = strings.ToLower(PlainLine(sought))
		if sought == "" || len(text) > 3000 {
			t.Skip()
		}
		s := NewSet([]string{sought}, true, false).FollowUnmarked()
		got := false
		for at, n := 0, 0; at < len(text); n++ {
			next := len(text)
			if len(cuts) > 0 {
				next = min(at+1+int(cuts[n%len(cuts)])%7, len(text))
			}
			got = s.Write(text[at:next])
			at = next
		}
		got = got || s.Write(" x ") // ends the last word
		if s.tags.state != noTag {
			t.Skip() // a tag or link is still open
		}
		want := found([]string{sought}, strings.ToLower(PlainLine(Unmarked(text+" x "))), false)
		if got != want && !strings.Contains(sought, "x") && !strings.HasSuffix(sought, " ") {
			t.Errorf("%q in %q: %v, want %v", sought, text, got, want)
		}
	})
}
