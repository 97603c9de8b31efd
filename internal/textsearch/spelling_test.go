package textsearch

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain ASCII, as it is":   "plain ASCII, as it is",
		"cafe\u0301":              "café",
		"bo\u200dmb":              "bomb",
		"bo\u00admb":              "bomb",
		"\ufeffb\u200bo\u2060mb":  "bomb",
		"bоmb, ΒOMB":              "bomb, BOMB", // Cyrillic о, Greek Β
		"бoмбa":                   "бомба",      // Latin o and a
		"οne λόγoς":               "one λόγος",  // Greek ο, Latin o
		"сор и рот":               "сор и рот",  // Russian words of letters that all look Latin
		"ｈｅｌｌｏ　ｙｏｕ":               "hello you",
		"𝐛𝐨𝐦𝐛 ﬁle":                "bomb file",
		"a\u00a0b\u2028c\td\ne":   "a b c\td\ne",
		"❤\ufe0f 👩\u200d💻":        "❤\ufe0f 👩\u200d💻",
		"kΩ 5 µm":                 "κΩ 5 μm",
		"کتاب\u200cها":            "کتابها",
		"de\x1b[1mni\x1b[0med":    "denied",
		"\x1b]0;title\aover":      "over",
		"\x1b(Bplain \x1b[31mred": "plain red",
		"é\x1b[":                  "é",
		"":                        "",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"money \n\t back": "money back", "a\u00a0 b": "a b", "one  two": "one two", "\n\n": " ", "a\rb": "a b",
	} {
		if got := PlainLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each pair of letters is one of the two alphabets, and goes both ways.
func TestLettersThatLookTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{likeCyrillic, cyrillic}, {likeGreek, greek}} {
		if 2*len(pair[0]) != len(pair[1]) || 2*utf8.RuneCountInString(pair[1]) != len(pair[1]) {
			t.Fatalf("%q and %q differ in length", pair[0], pair[1])
		}
		for i, r := range pair[1] {
			latin := rune(pair[0][i/2])
			if !isOtherAlphabet(r) || latin >= utf8.RuneSelf || likeLatin(r) != latin || likeOther(latin, pair[1] == greek) != r {
				t.Errorf("%q and %q", r, latin)
			}
		}
	}
}

// FuzzPlain compares a search in pieces with one in the whole text.
func FuzzPlain(f *testing.F) {
	f.Add("a bо\u200dmb is  not\nhere ", "bomb is not", []byte{3, 1, 9}, false)
	f.Add("cafe\u0301 noir ", "café", []byte{1}, true)
	f.Add(strings.Repeat("天", 400)+"気 ", "天気", []byte{2, 2}, false)
	f.Fuzz(func(t *testing.T, text, sought string, cuts []byte, words bool) {
		sought = strings.ToLower(PlainLine(sought))
		if sought == "" || !utf8.ValidString(text) || len(text) > 3000 {
			t.Skip()
		}
		s := NewSet([]string{sought}, true, words).FollowPlain()
		got := false
		for at, n := 0, 0; at < len(text); n++ {
			next := len(text)
			if len(cuts) > 0 {
				next = min(at+1+int(cuts[n%len(cuts)])%7, len(text))
			}
			got = s.Write(text[at:next])
			at = next
		}
		got = got || s.Write(" x") // ends the last word
		if want := found([]string{sought}, strings.ToLower(PlainLine(text+" x")), words); got != want &&
			!strings.HasSuffix(sought, "x") {
			t.Errorf("%q in %q: %v, want %v", sought, text, got, want)
		}
	})
}
