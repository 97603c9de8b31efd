package html_test

import (
	"fmt"
	"testing"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

// playedIsShown: whose words are generated, by which persona, and why it said nothing more.
func playedIsShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Played(), toTrial("parcel-0/mock/default"))
	for i, why := range []string{
		"ended the conversation", "has said as much as it may", "could not go on: an error", "was stopped: an assertion failed",
	} {
		p.visit(toTrial(fmt.Sprintf("parcel-%d/mock/default", i)))
		p.until(fmt.Sprintf(`document.body.innerText.includes("persona shopper<b> %s")`, why))
		const generated = `document.body.innerText.split("persona shopper<b>, generated").length - 1`
		if n := eval[int](p, generated); n != 1 {
			t.Errorf("%s: %d messages are called generated, want that of the second turn", why, n)
		}
	}
	p.clean()
}
