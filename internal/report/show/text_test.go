package show_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":              "plain",
		"\x1b[31mred\x1b[0m": "␛[31mred␛[0m",
		"\u009b31mred":       "⟨U+009B⟩31mred",
		"\x1b]8;;https://evil\x07link\x1b]8;;\x1b\\": "␛]8;;https://evil␇link␛]8;;␛\\",
		"\x1b]0;title\u009crest":                     "␛]0;title⟨U+009C⟩rest",
		"\x1b":                                       "␛",
		"a\r\nb\rc\u2028d\ve":                        "a\nb␍c⟨U+2028⟩d␋e",
		"bell\x07 null\x00 del\x7f nel\u0085":        "bell␇ null␀ del␡ nel⟨U+0085⟩",
		"\xff\xfe":                                   "\ufffd\ufffd",
		"\ufffe\uffff":                               "⟨U+FFFE⟩⟨U+FFFF⟩",
		"\u202egnp.exe\u2066x\ufeff":                 "⟨U+202E⟩gnp.exe⟨U+2066⟩x⟨U+FEFF⟩",
		"pass\u200bed \u00ad\u2060\u3164\u034f.":     "pass⟨U+200B⟩ed ⟨U+00AD⟩⟨U+2060⟩⟨U+3164⟩⟨U+034F⟩.",
		"a\U000E0041\U000E0062":                      "a⟨U+E0041⟩⟨U+E0062⟩",
		"a\u200db 日\u200d本 \u200c":                   "a⟨U+200D⟩b 日⟨U+200D⟩本 ⟨U+200C⟩",
		"👩\u200d\u200d👧":                             "👩\u200d⟨U+200D⟩👧",
		"a\ufe0f ✔\ufe0f\ufe0f 1\ufe0f\u20e3":        "a⟨U+FE0F⟩ ✔\ufe0f⟨U+FE0F⟩ 1\ufe0f\u20e3",
		"می\u200cخواهم क्\u200dष ❤\ufe0f\u200d🔥": "می\u200cخواهم क्\u200dष ❤\ufe0f\u200d🔥",
		"\u0600١":    "\u0600١",
		"tab\tstays": "tab\tstays",
		"👩‍👩‍👧 é 日本": "👩‍👩‍👧 é 日本",
	} {
		if got := show.Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestNothingVanishes: between two letters, no character is without a trace.
func TestNothingVanishes(t *testing.T) {
	t.Parallel()
	unseen := []*unicode.RangeTable{
		unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	}
	for r := range rune(unicode.MaxRune + 1) {
		got := strings.TrimSuffix(strings.TrimPrefix(show.Clean("a"+string(r)+"b"), "a"), "b")
		seen := []rune(got)
		if len(seen) == 0 || r != '\n' && r != '\t' && slices.ContainsFunc(seen, func(c rune) bool {
			return unicode.In(c, unseen...) && !unicode.Is(unicode.Prepended_Concatenation_Mark, c)
		}) {
			t.Errorf("%U is shown as %q", r, got)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got, want := show.Line("  a\n\tb \x1b[2J c\r\n"), "a b ␛[2J c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long", 5, "too …"}, {"x", 0, ""}, {"xy", 1, "…"},
		{"日本語です", 5, "日本…"}, {"日本語", 6, "日本語"}, {"日本語", 4, "日…"},
		{"👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{strings.Repeat("a", 1<<20), 4, "aaa…"},
	} {
		if got := show.Cut(c.in, c.width); got != c.want {
			t.Errorf("%.20q to %d: got %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in           string
		width, limit int
		want         []string
	}{
		"fits":             {"one line", 20, 0, []string{"one line"}},
		"at spaces":        {"the quick brown fox", 10, 0, []string{"the quick", "brown fox"}},
		"a long word":      {"abcdefghij", 4, 0, []string{"abcd", "efgh", "ij"}},
		"own newlines":     {"a\n\nb\n", 20, 0, []string{"a", "", "b"}},
		"indentation":      {"if x:\n    return", 20, 0, []string{"if x:", "    return"}},
		"cut":              {"one two three four", 8, 2, []string{"one two", "three…"}},
		"exactly the last": {"one two three", 8, 2, []string{"one two", "three"}},
		"wide":             {"日本語日本語", 4, 0, []string{"日本", "語日", "本語"}},
		"empty":            {"", 10, 3, []string{""}},
		"indented word":    {"  abcdefghij", 6, 0, []string{"  abcd", "efghij"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, show.Wrap(c.in, c.width, c.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeadAndClip(t *testing.T) {
	t.Parallel()
	if got := show.Head("日本", 4); got != "日" {
		t.Errorf("Head in the middle of a character: got %q", got)
	}
	if got := show.Head("日本", -1); got != "" {
		t.Errorf("Head of less than nothing: got %q", got)
	}
	long := strings.Repeat("日", 100)
	if got, want := show.Clip(long, 10), "日日日 … (97 more characters)"; got != want {
		t.Errorf("Clip: got %q, want %q", got, want)
	}
	if got := show.Clip("short", 2); got != "short" {
		t.Errorf("Clip must not make text longer: got %q", got)
	}
}

// FuzzText holds every text to its promises: clean is clean, wrapped lines fit, nothing is split.
func FuzzText(f *testing.F) {
	f.Add(resulttest.Poison, 20, 3)
	f.Add(strings.Repeat("e\u0301", 500), 3, 0)
	f.Add("👩‍👩‍👧\x1b[", 2, 1)
	f.Fuzz(func(t *testing.T, s string, width, limit int) {
		width, limit = 2+abs(width)%200, abs(limit)%20
		clean := show.Clean(s)
		alive := strings.ContainsAny(clean, "\x00\x07\x1b\r\u009b\u202e")
		if alive || !utf8.ValidString(clean) || show.Clean(clean) != clean {
			t.Errorf("not clean: %q", clean)
		}
		lines := show.Wrap(clean, width, limit)
		if limit > 0 && len(lines) > limit {
			t.Errorf("%d lines, at most %d wanted", len(lines), limit)
		}
		for _, line := range append(slices.Clone(lines), show.Cut(show.Line(s), width)) {
			if show.Width(line) > width || !utf8.ValidString(line) {
				t.Errorf("%q takes %d of %d columns", line, show.Width(line), width)
			}
		}
		if limit == 0 && !sameLetters(clean, strings.Join(lines, "")) {
			t.Errorf("wrapping changed %q to %q", clean, lines)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func sameLetters(a, b string) bool {
	drop := func(s string) string { return strings.Join(strings.Fields(s), "") }
	return drop(a) == drop(b)
}
