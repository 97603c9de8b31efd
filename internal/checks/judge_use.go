package checks

import "github.com/arena-evals/arena/internal/grading"

// asksJudge is a check that asks a judge.
type asksJudge interface {
	judgeNeed() *grading.Need // nil: with these parameters it asks none
}

// JudgeUses are the judges that the check, or the checks of which it is made, will ask, in the order of the file.
func (c *Compiled) JudgeUses() (uses []grading.Need) {
	if j, ok := c.Check.(asksJudge); ok {
		if need := j.judgeNeed(); need != nil {
			need := *need
			need.Pos.Check = c.Pos
			uses = append(uses, need)
		}
	}
	for _, part := range c.Nested() {
		uses = append(uses, part.JudgeUses()...)
	}
	return uses
}
