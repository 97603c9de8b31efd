package checks

import (
	"fmt"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

// ordered is the result of a search for names in the given order, gaps allowed.
type ordered struct {
	want, got []string
	matched   int // length of the prefix of want that was found
}

// inOrder looks at each name once and takes each wanted name as early as possible, which finds the longest prefix.
func inOrder(want, got []string) ordered {
	o := ordered{want: want, got: got}
	for _, name := range got {
		if o.matched < len(want) && name == want[o.matched] {
			o.matched++
		}
	}
	return o
}

func (o *ordered) complete() bool { return o.matched == len(o.want) }

func (o *ordered) share() float64 { return textmeasure.Share(o.matched, len(o.want)) }

// explain says what was found, or the first name that was not. verb says what should happen with a name: "called".
func (o *ordered) explain(verb string) string {
	if o.complete() {
		return verb + " in this order: " + say.Chained(o.want)
	}
	missing := o.want[o.matched]
	text := say.Named(missing) + " was not " + verb
	if o.matched > 0 {
		text += " after " + say.Chained(o.want[:o.matched])
	}
	if len(o.got) == 0 {
		return text + fmt.Sprintf("; nothing was %s", verb)
	}
	return text + fmt.Sprintf("; %s: %s", verb, say.Chained(o.got))
}

// details returns the figures, with all names under the key actual.
func (o *ordered) details(actual string) Details {
	d := Details{"matched_steps": o.matched, "total_steps": len(o.want), actual: atLeastEmpty(o.got)}
	if !o.complete() {
		d["missing"] = o.want[o.matched]
	}
	return d
}

// atLeastEmpty returns an empty list for nil, so that details hold no null.
func atLeastEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
