package checks

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// guardrailOf compiles a check as a guardrail.
func guardrailOf(t testing.TB, name, params string) *Compiled {
	t.Helper()
	c, problems := compileJSON(&Compiler{}, name, params, ScopeTurn, nil)
	if c == nil {
		t.Fatalf("%s %s: %v", name, params, problems)
	}
	return c
}

// TestFollow lists after which piece of a reply a guardrail fires; -1: never.
func TestFollow(t *testing.T) {
	t.Parallel()
	const bytewise = "bytewise"
	for _, tc := range []struct {
		name, check, params string
		pieces              []string // | bytewise, text
		failed              int
	}{
		{"a word", "banned_words", `{"words": ["lottery"]}`, []string{"buy a lot", "tery", " ticket"}, 2},
		{"a word that grows into another", "banned_words", `{"words": ["lot"]}`, []string{"a lot", "tery ", "ticket"}, -1},
		{"a word at the very end", "banned_words", `{"words": ["lot"]}`, []string{"a lot"}, -1},
		{"a word and then nothing but an accent", "banned_words", `{"words": ["cafe"]}`, []string{"cafe", "\u0301", " "}, -1},
		{"a word before half a character", "banned_words", `{"words": ["cafe"]}`, []string{"cafe", "\xe2", "\x80\x94"}, 2},
		{"two words that overlap", "banned_words", `{"words": ["ab cd", "cd"]}`, []string{"xab cd", "!"}, 1},
		{"a script without spaces", "banned_words", `{"words": ["天気"]}`, []string{"今日の天", "気は"}, 1},
		{"a part of a word", "content_excludes", `{"patterns": ["lot"]}`, []string{"a l", "o", "ttery"}, 2},
		{"upper case", "content_excludes", `{"patterns": ["ÉTÉ"]}`, []string{"l'", "ét", "é"}, 2},
		{"upper case that counts", "content_excludes", `{"patterns": ["IT"], "case_sensitive": true}`, []string{"it ", "IT"}, 1},
		{"byte by byte", "content_excludes", `{"patterns": ["é"]}`, []string{bytewise, "zut é"}, 5},
		{"an end that begins another one", "content_excludes", `{"patterns": ["aab"]}`, []string{bytewise, "aaab"}, 3},
		{"one inside another", "content_excludes", `{"patterns": ["abcd", "bc"]}`, []string{bytewise, "abcx"}, 2},
		{"characters", "max_length", `{"max": 3}`, []string{bytewise, "äöü!"}, 6},
		{"half a character too much", "max_length", `{"max": 1}`, []string{"a\xc3", "\xa4"}, 1},
		{"tokens", "max_length", `{"max_tokens": 1}`, []string{"abcdefg", "h"}, 1},
		{"both limits", "max_length", `{"max": 100, "max_tokens": 1}`, []string{"abcdefgh"}, 0},
		{"a looser limit", "max_length", `{"max": 2, "min_score": 0.5}`, []string{"abcd", "e"}, 1},
		{"a limit of nothing", "max_length", `{"max": 2, "min_score": 0}`, []string{"abcde"}, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pieces := tc.pieces
			if pieces[0] == bytewise {
				pieces = nil
				for i := range len(tc.pieces[1]) {
					pieces = append(pieces, tc.pieces[1][i:i+1])
				}
			}
			f := guardrailOf(t, tc.check, tc.params).Follow()
			failed := -1
			for i, piece := range pieces {
				if f.Write(piece); f.Failed() && failed < 0 {
					failed = i
				}
			}
			if failed != tc.failed {
				t.Errorf("failed at piece %d, want %d (best score %v)", failed, tc.failed, f.Best())
			}
		})
	}
}

func TestWhatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ check, params string }{
		{"regex", `{"pattern": "a"}`},
		{"contains", `{"patterns": ["a"]}`},
		{"max_length", `{"max": 3, "max_score": 0.5}`}, // a short reply fails, but may still grow
		{"not", `{"check": {"type": "content_excludes", "params": {"patterns": ["a"]}}}`},
	} {
		if f := guardrailOf(t, tc.check, tc.params).Follow(); f != nil {
			t.Errorf("%s %s judges a part of a reply", tc.check, tc.params)
		}
	}
}

// FuzzStream compares the stream of content_excludes with the check on the whole reply.
func FuzzStream(f *testing.F) {
	f.Add("buy a lottery ticket", "lot\nlottery", true, false)
	f.Add("aaab \xff Éa b", "aab\nb\né", false, true)
	f.Add("I can’t, “really”", "can't\n\"really\"", false, false)
	f.Add("a bо\u200dmb is", "bomb  \ncafe\u0301", true, false)
	f.Add("今日の天気は\xe5\xa4", "天気\nは", true, true)
	f.Fuzz(func(t *testing.T, text, list string, words, sensitive bool) {
		patterns := strings.FieldsFunc(list, func(r rune) bool { return r == '\n' })
		if len(patterns) == 0 || !utf8.ValidString(list) || strings.Contains(list, "\x00") || len(text) > 300 {
			t.Skip()
		}
		text += "\n\x00\n" // it ends every word and is in no pattern
		c := &contentExcludes{patterns: bans(patterns, true), wholeWords: words, caseSensitive: sensitive}
		s, best := c.Stream(), 1.0
		for i := range len(text) {
			best = s.Write(text[i : i+1])
		}
		r := &Reply{Text: text}
		found := slices.ContainsFunc(c.patterns, func(b ban) bool { return c.hit(r, &b) })
		if found != (best == 0) {
			t.Fatalf("%q: best score %v, found %v", text, best, found)
		}
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ params, text, want string }{
		{`{"max": 4}`, "abcd", "abcd"},
		{`{"max": 4}`, "äöü€!", "äöü€"},
		{`{"max": 3}`, "a\xff\xfe\xfdb", "a\xff\xfe"},
		{`{"max_tokens": 1}`, "abcdefg", "abcdefg"}, // still one token
		{`{"max_tokens": 1}`, "abcdefgh", "abcd"},
		{`{"max": 6, "max_tokens": 1}`, "abcdefgh", "abcd"},
		{`{"max": 6, "max_tokens": 1}`, "abcdefg", "abcdef"},
		{`{"max": 2, "max_tokens": 9}`, "abc", "ab"},
	} {
		c := guardrailOf(t, "max_length", tc.params)
		if got := c.Cut(tc.text); got != tc.want {
			t.Errorf("%s cuts %q to %q, want %q", tc.params, tc.text, got, tc.want)
		}
	}
	if got := guardrailOf(t, "regex", `{"pattern": "a"}`).Cut("b"); got != "b" {
		t.Errorf("a check without a limit cuts to %q", got)
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, d := range Builtin() {
		if d.Effect() != Records {
			got[d.Name] = d.Effect().String()
		}
		if _, cuts := d.sample(t).(cutter); cuts != (d.Effect() == Cuts) {
			t.Errorf("%s says that it %s", d.Name, d.Effect())
		}
	}
	for _, d := range append(In(FamilyJudge), In(FamilySafety)...) {
		if got[d.Name] != Replaces.String() {
			t.Errorf("%s does not replace a reply", d.Name)
		}
		delete(got, d.Name)
	}
	want := map[string]string{"content_excludes": Replaces.String(), "max_length": Cuts.String()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("effects besides those of judges and safety checks (-want +got):\n%s", diff)
	}
	const excludes = `{"type": "content_excludes", "params": {"patterns": ["a"]}}`
	for params, want := range map[string]Effect{
		`{"checks": [` + excludes + `, {"type": "max_length", "params": {"max": 3}}]}`:      Replaces,
		`{"checks": [` + excludes + `, {"type": "contains", "params": {"patterns": "b"}}]}`: Records,
	} {
		if got := guardrailOf(t, "all_of", params).Effect(); got != want {
			t.Errorf("all_of %s %s, want %s", params, got, want)
		}
	}
}

// sample is the check with the parameters of the benchmarks.
func (d *Def) sample(t *testing.T) Check {
	t.Helper()
	params, ok := benchParams[d.Name]
	if !ok {
		return nil
	}
	c, problems := compileJSON(&Compiler{}, d.Name, params, ScopeTurn, nil)
	if c == nil {
		t.Fatalf("%s: %v", d.Name, problems)
	}
	return c.Check
}

// BenchmarkStream streams replies of several lengths in pieces of several sizes. The cost of a byte must not depend on
// either.
func BenchmarkStream(b *testing.B) {
	words := make([]string, 200)
	for i := range words {
		words[i] = fmt.Sprintf("%q", strings.Repeat(string(rune('b'+i%20)), 2)+strings.Repeat("forbidden ", i%5)+"word")
	}
	patterns := "[" + strings.Join(words, ", ") + "]"
	rails := map[string]*Compiled{
		"banned_words":     guardrailOf(b, "banned_words", `{"words": `+patterns+`}`),
		"content_excludes": guardrailOf(b, "content_excludes", `{"patterns": `+patterns+`}`),
		"max_length":       guardrailOf(b, "max_length", fmt.Sprintf(`{"max": %d}`, math.MaxInt32)),
	}
	for _, name := range []string{"banned_words", "content_excludes", "max_length"} {
		for _, size := range []int{64 << 10, 256 << 10, 1 << 20} {
			text := strings.Repeat("It is forbidden to guarantee the 天気 of tomorrow; ask again. ", size/64+1)[:size]
			for _, piece := range []int{1, 16, 256} {
				b.Run(fmt.Sprintf("%s/%dKiB/by%d", name, size>>10, piece), func(b *testing.B) {
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						f := rails[name].Follow()
						for at := 0; at < size; at += piece {
							f.Write(text[at:min(at+piece, size)])
						}
						if f.Failed() {
							b.Fatal("nothing in the text is forbidden")
						}
					}
				})
			}
		}
	}
}
