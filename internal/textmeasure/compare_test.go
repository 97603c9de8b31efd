package textmeasure

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// table computes a measure the slow way.
func table(a, b Items, next func(diagonal, above, left int, same bool) int, edge int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * edge
	}
	for i := range a {
		diagonal := row[0]
		row[0] = (i + 1) * edge
		for j := range b {
			above := row[j+1]
			row[j+1] = next(diagonal, above, row[j], a[i] == b[j])
			diagonal = above
		}
	}
	return row[len(b)]
}

func slowDistance(a, b Items) int {
	return table(a, b, func(diagonal, above, left int, same bool) int {
		if same {
			return diagonal
		}
		return 1 + min(diagonal, above, left)
	}, 1)
}

func slowCommon(a, b Items) int {
	return table(a, b, func(diagonal, above, left int, same bool) int {
		if same {
			return diagonal + 1
		}
		return max(above, left)
	}, 0)
}

func checkLikeness(t *testing.T, text, other string) {
	t.Helper()
	a, b := Characters(text, other)
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Distance(), slowDistance(a, b); got != want {
		t.Errorf("distance of %q and %q: %d, want %d", text, other, got, want)
	}
	if got, want := c.Common(), slowCommon(a, b); got != want {
		t.Errorf("common part of %q and %q: %d, want %d", text, other, got, want)
	}
}

func TestLikenessAgreesWithTheTable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int, letters string) string {
		var b strings.Builder
		all := []rune(letters)
		for range n {
			b.WriteRune(all[random.IntN(len(all))])
		}
		return b.String()
	}
	for _, pair := range [][2]string{
		{"", ""}, {"a", ""}, {"", "a"}, {"kitten", "sitting"}, {"flaw", "lawn"}, {"grüß", "gruß"}, {"日本語", "日本"},
	} {
		checkLikeness(t, pair[0], pair[1])
	}
	for _, n := range []int{1, 2, 63, 64, 65, 127, 128, 129, 200} {
		for _, m := range []int{1, 63, 64, 65, 128, 150} {
			for _, letters := range []string{"ab", "abcdefgh", "äöü日本 "} {
				text := word(n, letters)
				checkLikeness(t, text, word(m, letters))
				checkLikeness(t, text, text[:len(text)/2]+word(3, "xyz")+text[len(text)/2:])
			}
		}
	}
}

func FuzzLikeness(f *testing.F) {
	f.Add("kitten", "sitting")
	f.Add(strings.Repeat("ab", 70), strings.Repeat("ba", 90))
	f.Add("\xff\xfe", "a")
	f.Fuzz(func(t *testing.T, text, other string) {
		if len(text) < 500 && len(other) < 500 {
			checkLikeness(t, text, other)
		}
	})
}

func TestComparisonsAreBounded(t *testing.T) {
	t.Parallel()
	long := make(Items, 1<<20)
	if _, err := Compare(long, long); err == nil {
		t.Error("a million Items are compared with a million")
	}
	if _, err := Compare(long, long[:1000]); err != nil {
		t.Error(err)
	}
}
