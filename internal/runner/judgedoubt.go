package runner

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// remarkJudges keeps which judges would not accept what their score lets pass. An eval without a threshold lets nothing
// pass.
func (s *session) remarkJudges(list []scenario.Placed, verdicts []result.Verdict, evals bool) {
	for i := range verdicts {
		v := &verdicts[i]
		accepted, told := v.Details["passed"].(bool)
		if v.Status != result.Passed || v.Score == nil || !told || accepted {
			continue
		}
		c := compiled(list[i])
		if _, high, _ := c.Limits(); high != nil || evals && !c.Gates() {
			continue // where a low score passes, the judge agrees
		}
		s.warnOfVerdict(fmt.Sprintf("%s passed by its score of %.2f, though the judge says that it would not accept this "+
			"(passed: false): raise min_score, or say in the criteria what is to be accepted", c.Type, *v.Score))
	}
}
