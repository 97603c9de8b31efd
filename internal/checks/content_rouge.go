package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var rougeDef = define[rougeParams](Def{
	Name: "rouge",
	Summary: "The reply shares words with a reference, as measured for summaries by ROUGE (Lin, " +
		"\"ROUGE: A package for " +
		"automatic evaluation of summaries\", 2004).",
	Scoring: "Matches are the n-grams in common, each as often as in the text that has it less " +
		"(rouge-1 to rouge-4), or the " +
		"words of the longest common subsequence (rouge-l). Recall = matches / those of the reference, " +
		"precision = matches " +
		"/ those of the reply, f1 = 2·precision·recall / (precision + recall). The best reference counts.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
})

type rougeParams struct {
	Reference []string `param:"reference,required" alias:"references,value" is:"prose" doc:"The text to compare with, or several."`

	Variant string `param:"variant" words:"rouge-1,rouge-2,rouge-3,rouge-4,rouge-l" default:"rouge-l" doc:"The number is the n of the n-grams; l is the longest common subsequence."`
	Measure string `param:"measure" words:"f1,recall,precision" default:"f1" doc:"What the score is."`

	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p rougeParams) Build(b *binder) Check {
	c := &rouge{
		references: tokenized(b, p.Reference, p.CaseSensitive, false), variant: p.Variant, measure: p.Measure,
		caseSensitive: p.CaseSensitive,
	}
	_, lengths := textmeasure.Words("", c.references, false)
	for i, list := range lengths {
		if len(list) > 0 && len(list) < c.n() {
			b.errorf("reference", "out-of-range", "the reference %s has fewer than the %d words that %s compares at once",
				say.Quote(p.Reference[i]), c.n(), c.variant)
		}
	}
	return c
}

// tokenized prepares references, each of which must have a word.
func tokenized(b *binder, texts []string, caseSensitive, punctuation bool) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		empty := true
		for range textmeasure.Tokens(text, punctuation) {
			empty = false
			break
		}
		if empty {
			b.errorf("reference", "empty-value", "the reference %s has no words", say.Quote(text))
		}
		if out[i] = text; !caseSensitive {
			out[i] = strings.ToLower(text)
		}
	}
	return out
}

type rouge struct {
	references       []string
	variant, measure string
	caseSensitive    bool
}

func (c *rouge) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	if !c.caseSensitive {
		text = s.Lower()
	}
	reply, references := textmeasure.Words(text, c.references, false)
	best, score := textmeasure.Overlap{}, -1.0
	for _, reference := range references {
		o, err := c.overlap(reply, reference)
		if err != nil {
			return Finding{}, err
		}
		if got := c.grade(o); got > score {
			best, score = o, got
		}
	}
	return Finding{
		Score: score,
		Explanation: fmt.Sprintf("%s %s %s: %d of %s of the reference, %s in the reply", c.variant, c.measure,
			say.Decimal(fourDigits(score)), best.Matched, plural.Count(best.Expected, c.unit()),
			plural.Count(best.Actual, c.unit())),
		Details: Details{
			"variant": c.variant, "f1": best.F1(), "recall": best.Recall(), "precision": best.Precision(),
		},
	}, nil
}

func (c *rouge) grade(o textmeasure.Overlap) float64 {
	switch c.measure {
	case "recall":
		return o.Recall()
	case "precision":
		return o.Precision()
	}
	return o.F1()
}

func (c *rouge) unit() string {
	switch n := c.n(); n {
	case 0, 1:
		return "word"
	default:
		return fmt.Sprintf("%d-gram", n)
	}
}

// n is the length of the n-grams; 0 is the longest common subsequence.
func (c *rouge) n() int {
	if c.variant == "rouge-l" {
		return 0
	}
	return int(c.variant[len(c.variant)-1] - '0')
}

func (c *rouge) overlap(reply, reference textmeasure.Items) (textmeasure.Overlap, error) {
	if n := c.n(); n > 0 {
		return textmeasure.ROUGE(reply, reference, n), nil
	}
	return textmeasure.ROUGEL(reply, reference)
}
