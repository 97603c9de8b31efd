package digest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/digest"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		for range 20 {
			pieces := make([]string, n)
			b, ends := []byte("before"), []int(nil)
			for i := range pieces {
				pieces[i] = strings.Repeat(string(rune('a'+rng.IntN(4))), rng.IntN(4))
				b = append(b, pieces[i]...)
				ends = append(ends, len(b))
			}
			written := string(b)
			slices.Sort(pieces)
			if got, want := string(digest.InOrder(b, len("before"), ends)), "before"+strings.Join(pieces, ""); got != want {
				t.Fatalf("%q became %q, want %q", written, got, want)
			}
		}
	}
}
