package runner

import (
	"fmt"

	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// remarkJudges records which judges, endpoints and programs would themselves reject a score that passes here. Evals
// without a threshold do not count.
func (s *session) remarkJudges(list []scenario.Placed, verdicts []result.Verdict, evals bool) {
	for i := range verdicts {
		v := &verdicts[i]
		said, against := v.Details[grading.Against].(string)
		if v.Status != result.Passed || v.Score == nil || !against {
			continue
		}
		c := compiled(list[i])
		if _, high, _ := c.Limits(); high != nil || evals && !c.Gates() {
			continue // a low score passes, so that the judge agrees
		}
		if len(v.Judgements) == 0 {
			s.warnOfVerdict(fmt.Sprintf("%s passed by its score of %.2f, though what scores says beside it that this is not "+
				"accepted (%s): raise min_score, or have it give the score that it means", c.Type, *v.Score, said))
			continue
		}
		s.warnOfVerdict(fmt.Sprintf("%s passed by its score of %.2f, though the judge says that it would not accept this "+
			"(%s): raise min_score, or say in the criteria what is to be accepted", c.Type, *v.Score, said))
	}
}
