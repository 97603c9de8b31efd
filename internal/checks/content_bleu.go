package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
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
	Reads:    ReadsReply,
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
	reply, references := textmeasure.Words(text, c.references, true)
	measured := textmeasure.BLEU(reply, references)
	return Finding{
		Score: measured.Score,
		Explanation: fmt.Sprintf("BLEU %s: %s, %d in the nearest reference", say.Decimal(fourDigits(measured.Score)),
			plural.Count(len(reply), "word"), measured.Nearest),
		Details: Details{"precisions": measured.Precisions, "brevity": measured.Brevity},
	}, nil
}
