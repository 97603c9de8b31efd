package checks

import "github.com/arena-evals/arena/internal/grading"

// asksJudge is a check that may ask a judge.
type asksJudge interface {
	judgeNeed() *grading.Need // nil: it asks no judge with these parameters
}

// JudgeUses are the judges that the check, or one within it, asks, in the order of the file.
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
