package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want string }{
		{cut("日本語", 3), "日本語"},
		{cut("日本語です", 3), "日本語…"},
		{quote("a\x1b[31m\u202e"), `"a\x1b[31m\u202e"`},
		{quote(strings.Repeat("x", 70)), `"` + strings.Repeat("x", 60) + `…"`},
		{quoted([]string{"a", "b"}), `"a", "b"`},
		{quoted([]string{"a", "b", "c", "d", "e", "f", "g"}), `"a", "b", "c", "d", "e" and 2 more`},
		{oneLine("a \"b\"\nc"), `a "b"\nc`},
		{oneLine("plain"), "plain"},
		{joinWords([]string{"a"}), "a"},
		{joinWords([]string{"a", "b", "c"}), "a, b or c"},
		{plural.Count(1, "call"), "1 call"},
		{plural.Count(0, "call"), "0 calls"},
		{times(0) + times(1) + times(2), "neveronce2 times"},
		{money(0), "$0"},
		{money(0.5), "$0.50"},
		{money(0.0187), "$0.0187"},
		{money(0.000004321), "$0.00000432"},
		{money(12.345), "$12.35"},
		{money(3), "$3.00"},
		{jsonvalue.Text(nil) + jsonvalue.Text(true) + jsonvalue.Text([]any{"<"}), `nulltrue["<"]`},
		{kept(strings.Repeat("x", 5000)).(string)[:3], `"xx`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}
