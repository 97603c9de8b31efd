package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var levenshteinDef = define[levenshteinParams](Def{
	Name:    "levenshtein",
	Summary: "The reply differs little from a reference, by characters to insert, delete or replace.",
	Scoring: "1 - distance / characters of the longer text, for the nearest reference. Passes within " +
		"max_distance and from " +
		"min_similarity on; without both and without min_score only 1 passes.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Decides:  true,
})

type levenshteinParams struct {
	Reference []string `param:"reference,required" alias:"references,value" is:"prose" doc:"The text, or several of which the nearest counts."`

	MaxDistance   *int     `param:"max_distance" min:"0" doc:"The greatest distance that passes."`
	MinSimilarity *float64 `param:"min_similarity" min:"0" max:"1" doc:"The lowest similarity that passes."`
	textOptions
	CaseSensitive bool `param:"case_sensitive" default:"true" doc:"Tell upper and lower case apart."`
}

func (p levenshteinParams) Build(b *binder) Check {
	c := &levenshtein{params: p}
	for _, text := range p.Reference {
		if text = p.edges(text); text == "" {
			b.errorf("reference", "empty-value", "a reference is blank")
		}
		if !p.CaseSensitive {
			text = strings.ToLower(text)
		}
		c.references = append(c.references, text)
	}
	c.params.Reference = nil
	if least := p.MinSimilarity; least != nil && *least <= slack && p.MaxDistance == nil {
		b.noteVacuous("min_similarity", limitHolds, "every reply is as similar as that")
	}
	return c
}

type levenshtein struct {
	references []string
	params     levenshteinParams
}

func (c *levenshtein) limitedItself() bool {
	return c.params.MaxDistance != nil || c.params.MinSimilarity != nil
}

func (c *levenshtein) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	if !c.params.CaseSensitive {
		text = s.Lower()
	}
	text = c.params.edges(text)
	best, distance := -1.0, 0
	for _, reference := range c.references {
		a, b := textmeasure.Characters(text, reference)
		both, err := textmeasure.Compare(a, b)
		if err != nil {
			return Finding{}, err
		}
		d := both.Distance()
		if similarity := 1 - textmeasure.Share(d, max(len(a), len(b))); similarity > best {
			best, distance = similarity, d
		}
	}
	return c.finding(best, distance), nil
}

func (c *levenshtein) finding(similarity float64, distance int) Finding {
	f := Finding{
		Score: similarity, Explanation: fmt.Sprintf("distance %d", distance),
		Details: Details{"distance": distance, "similarity": similarity},
	}
	holds := true
	if limit := c.params.MaxDistance; limit != nil {
		holds = distance <= *limit
		f.Explanation += fmt.Sprintf(", at most %d allowed", *limit)
		f.Details["max_distance"] = *limit
	}
	f.Explanation += fmt.Sprintf("; similarity %s", say.Decimal(fourDigits(similarity)))
	if least := c.params.MinSimilarity; least != nil {
		holds = holds && similarity >= *least-slack
		f.Explanation += fmt.Sprintf(", at least %s needed", say.Decimal(*least))
		f.Details["min_similarity"] = *least
	}
	if c.limitedItself() {
		f.Holds = &holds
	}
	return f
}
