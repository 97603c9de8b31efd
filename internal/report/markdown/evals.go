package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const maxEvals = 30

// evals is the table of evals with their scores over all trials; "" when the run has none.
func evals(run *result.Run) string {
	if len(run.Evals) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Evals\n\n| eval | check | mean score | |\n|---|---|--:|---|\n")
	for i := range run.Evals {
		if i == maxEvals {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(run.Evals)-i, "more eval"))
			break
		}
		e := &run.Evals[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", inline(e.ID), inline(e.Type), show.EvalScore(e), inline(show.EvalNote(e)))
	}
	return b.String() + "\n"
}
