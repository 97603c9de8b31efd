package say

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want string }{
		{Cut("日本語", 3), "日本語"},
		{Cut("日本語です", 3), "日本語…"},
		{Quote("a\x1b[31m\u202e"), `"a\x1b[31m\u202e"`},
		{Quote(strings.Repeat("x", 70)), `"` + strings.Repeat("x", 60) + `…"`},
		{Quoted([]string{"a", "b"}), `"a", "b"`},
		{Quoted([]string{"a", "b", "c", "d", "e", "f", "g"}), `"a", "b", "c", "d", "e" and 2 more`},
		{OneLine("a \"b\"\nc"), `a "b"\nc`},
		{OneLine("plain"), "plain"},
		{Or([]string{"a"}), "a"},
		{Or([]string{"a", "b", "c"}), "a, b or c"},
		{plural.Count(1, "call"), "1 call"},
		{plural.Count(0, "call"), "0 calls"},
		{Times(0) + Times(1) + Times(2), "neveronce2 times"},
		{Money(0), "$0"},
		{Money(0.5), "$0.50"},
		{Money(0.0187), "$0.0187"},
		{Money(0.000004321), "$0.00000432"},
		{Money(12.345), "$12.35"},
		{Money(3), "$3.00"},
		{jsonvalue.Text(nil) + jsonvalue.Text(true) + jsonvalue.Text([]any{"<"}), `nulltrue["<"]`},
		{Kept(strings.Repeat("x", 5000)).(string)[:3], `"xx`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}
