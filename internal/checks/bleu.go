package checks

import (
	"context"
	"fmt"
	"math"

	"github.com/arena-evals/arena/internal/plural"
)

var bleuDef = define[bleuParams](Def{
	Name: "bleu",
	Summary: "The reply shares runs of up to four words with a reference, as measured for translations " +
		"by BLEU (Papineni " +
		"and others, \"BLEU: a method for automatic evaluation of machine translation\", 2002).",
	Scoring: "Brevity · geometric mean of p1 to p4. pn = n-grams of the reply that a reference has, " +
		"each at most as often " +
		"as there / n-grams of the reply; from n = 2 on one is added to both counts, so that one miss is " +
		"not all (Lin and " +
		"Och, 2004). A reply of fewer than four words has as many p as words. Brevity = min(1, e^(1 - " +
		"r/c)), where c is the " +
		"words of the reply and r those of the reference nearest in length. Punctuation marks count as words.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
})

type bleuParams struct {
	Reference []string `param:"reference,required" alias:"references,value" is:"prose" doc:"The text to compare with, or several."`

	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p bleuParams) Build(b *binder) Check {
	return &bleu{tokenized(b, p.Reference, p.CaseSensitive, true), p.CaseSensitive}
}

type bleu struct {
	references    []string
	caseSensitive bool
}

func (c *bleu) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	if !c.caseSensitive {
		text = s.Lower()
	}
	reply, references := tokenItems(text, c.references, true)
	precisions, nearest := []float64{}, closest(references, len(reply))
	for n := 1; n <= min(gramLimit, len(reply)); n++ {
		wanted := map[gram]int{}
		for _, reference := range references {
			for g, times := range grams(reference, n) {
				wanted[g] = max(wanted[g], times)
			}
		}
		precisions = append(precisions, smoothed(clipped(wanted, reply, n), len(reply)-n+1, n))
	}
	brevity := 0.0
	if len(reply) > 0 {
		brevity = min(1, math.Exp(1-float64(nearest)/float64(len(reply))))
	}
	score := brevity * geometricMean(precisions)
	return Finding{
		Score: score,
		Explanation: fmt.Sprintf("BLEU %s: %s, %d in the nearest reference", decimal(fourDigits(score)),
			plural.Count(len(reply), "word"), nearest),
		Details: map[string]any{"precisions": precisions, "brevity": brevity},
	}, nil
}

// smoothed is the share of n-grams that match.
func smoothed(matched, total, n int) float64 {
	if n > 1 {
		matched, total = matched+1, total+1
	}
	return float64(matched) / float64(total)
}

// closest is the length of the reference that is nearest in length, the shorter of two.
func closest(references []items, length int) int {
	best := len(references[0])
	for _, r := range references {
		d, least := abs(len(r)-length), abs(best-length)
		if d < least || d == least && len(r) < best {
			best = len(r)
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// geometricMean is 0 for no numbers and when one of them is 0.
func geometricMean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sum := 0.0
	for _, f := range list {
		sum += math.Log(f)
	}
	return math.Exp(sum / float64(len(list)))
}
