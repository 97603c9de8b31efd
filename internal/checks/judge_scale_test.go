package checks

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Criteria that name another scale than from 0 to 1 are told of, in several languages; numbers of other things are not.
func TestOtherScales(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Rate the reply from 1 to 10.": true, "On a scale of 1-5, is it polite?": true, "Score: 0 to 100": true,
		"Give a score between 1 and 7": true, "Grade it out of 10": true, "Bewerte die Antwort von 1 bis 10": true,
		"Notez la réponse de 0 à 20": true, "Califica la respuesta de 1 a 5": true, "the score must be an integer from 1 to 5": true,

		"Score from 0 to 1": false, "Score 0 to 1.0": false, "a score of 1 if it has 3 to 5 sentences": false,
		"It names 1 to 3 options": false, "delivery takes between 1 and 5 days": false, "Is it polite?": false,
		"Score 1 when all 10 are there": false, "The rate is 3 to 5 percent": false,
	} {
		for _, param := range []string{"criteria", "rubric"} {
			params := jsonvalue.Compact(jsonvalue.Object{"criteria": "Is it good?", param: text})
			_, problems := compileJSON(&Compiler{}, "llm_judge", params, ScopeTurn, nil)
			told := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return p.Code == "other-scale" })
			if told != want {
				t.Errorf("%s %q: %v", param, text, problems)
			}
		}
	}
}
