package result

import (
	"cmp"
	"fmt"

	"github.com/arena-evals/arena/internal/say"
)

// JudgeRemarks calls doubt for each reply of a judge that may be incomplete, and other for each reply of another model
// than the requested one.
func (t *Trial) JudgeRemarks(doubt, other func(text string)) {
	t.Judged(func(j *Judgement) {
		who := "the judge " + say.Named(cmp.Or(j.Judge, j.Provider))
		if j.Doubt != "" {
			doubt("reply of " + who + " " + j.Doubt)
		}
		if j.OtherModel {
			other(ServedBy(who, j.Model, j.AnsweredBy))
		}
	})
}

// ServedBy says that another model answered than the requested one.
func ServedBy(who, asked, served string) string {
	return fmt.Sprintf("%s was asked for the model %s, and %s answered", who, say.Named(asked), say.Named(served))
}
