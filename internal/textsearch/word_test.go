package textsearch

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/textmeasure"
)

func TestWord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, pattern string
		want          bool
	}{
		{"i never said", "never", true},
		{"never", "never", true},
		{"nevertheless never", "never", true},
		{"nevertheless", "never", false},
		{"var never_mind", "never", false},
		{"a never-ending story", "never", true},
		{"(never)", "never", true},
		{"never2", "never", false},
		{"i like c++ a lot", "c++", true},
		{"c++", "c++", true},
		{"c++11", "c++", true}, // no word runs across a sign
		{"asp.net core", ".net", true},
		{"see http://evil.example", "http://", true},
		{"<script>alert", "<script>", true},
		{"100%safe", "100%", true},
		{"1100%safe", "100%", false},
		{"hi@everyone", "@everyone", true},
		{"nice🤬", "🤬", true},
		{"cash$$$now", "$$$", true},
		{"an _idiot_ said", "idiot", true},
		{"__idiot__", "idiot", true},
		{"an _idiot said", "idiot", true},
		{"an idiot_", "idiot", false},
		{"my_idiot_flag", "idiot", false},
		{"the .net core", ".net", true},
		{"un café noir", "caf", false},
		{"un café noir", "café", true},
		{"cafe\u0301 noir", "cafe", false}, // the accent belongs to the e
		{"cafe\u0301 noir", "cafe\u0301", true},
		{"élan vital", "lan", false},
		{"今日の天気は晴れ", "天気", true},
		{"このクラスclass的", "class", true},
		{"สวัสดีครับ", "ครับ", true},
		{"가격보장을", "보장", false}, // Korean writes spaces; what is attached is one word
		{"a\u200Dguarantee", "guarantee", false},
		{"i ❤\uFE0F this", "❤", true},
		{"naïve_naïve naïve", "naïve", true},
		{"\xff never \xfe", "never", true},
		{"٣never", "never", false},
		{"", "never", false},
	} {
		if got := Word(tc.text, tc.pattern) >= 0; got != tc.want {
			t.Errorf("%q in %q: %v", tc.pattern, tc.text, got)
		}
	}
}

func FuzzWord(f *testing.F) {
	for _, seed := range [][2]string{
		{"a never-ending story", "never"}, {"c++11", "c++"}, {"天気は", "天気"}, {"\xff", "\xff"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, pattern string) {
		if pattern == "" {
			return
		}
		at := Word(text, pattern)
		if at < 0 {
			// What stands alone between spaces is always found.
			if utf8.ValidString(pattern) && Word(text+" "+pattern+" ", pattern) < 0 {
				t.Errorf("%q is not found as a word of its own after %q", pattern, text)
			}
			return
		}
		if !strings.HasPrefix(text[at:], pattern) {
			t.Errorf("%q is not at %d of %q", pattern, at, text)
		}
		if at > 0 && textmeasure.InWord(rune(text[at-1])) && text[at-1] < utf8.RuneSelf && pattern[0] < utf8.RuneSelf {
			t.Errorf("%q was found within a word at %d of %q", pattern, at, text)
		}
	})
}
