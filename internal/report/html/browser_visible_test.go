package html_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"unicode"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// nothingHides holds the script to what the other reports show of a text: each character that may hide, after some that
// it may stand after and some that it may not.
func nothingHides(t *testing.T, b *browser) {
	script, err := os.ReadFile("assets/dom.js")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a\r\nb\rc", "plain ✔ grüße 日本語 👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 می\u200cخواهم", "a\ufe0f\u200d"}
	for r := range rune(unicode.MaxRune + 1) {
		joins := r == 0x200C || r == 0x200D || unicode.Is(unicode.Variation_Selector, r)
		if show.IsForbidden(r) || joins || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			for _, before := range []string{"a", "1", "日", "م", "❤", "—", "\u200d", " "} {
				texts = append(texts, before+string(r)+"b")
			}
		}
	}
	given, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	p := b.open(t, resulttest.AllPassed(), "#/")
	got := eval[[]string](p, fmt.Sprintf("(() => { %s\n return %s.map(visible); })()", script, given))
	for i, text := range texts {
		if want := show.Clean(text); got[i] != want {
			t.Errorf("%q (%U): got %q, want %q", text, []rune(text), got[i], want)
		}
	}
}
