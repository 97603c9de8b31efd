package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/grading"
)

// spoken returns the replies in scope that have text, or the last one when there is none.
func spoken(s *Subject) []Reply {
	var all []Reply
	for _, r := range s.Texts() {
		if strings.TrimSpace(r.Text) != "" {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return []Reply{{Text: s.Output()}}
	}
	return all
}

// replyExhibits are all replies in scope.
func replyExhibits(s *Subject) []grading.Exhibit {
	all := spoken(s)
	if len(all) == 1 {
		return []grading.Exhibit{grading.Show("reply", all[0].Text)}
	}
	exhibits := make([]grading.Exhibit, len(all))
	for i := range all {
		exhibits[i] = grading.Show(fmt.Sprintf("reply %d of %d", i+1, len(all)), all[i].Text)
	}
	return exhibits
}
