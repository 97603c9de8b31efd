package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/grading"
)

// spoken returns the replies in scope that have text; when there are none, the last reply.
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

// replyExhibits are all replies in scope, named for the judge.
func replyExhibits(s *Subject, name string) []grading.Exhibit {
	all := spoken(s)
	exhibits := make([]grading.Exhibit, len(all))
	for i := range all {
		exhibits[i] = grading.Show(numbered(name, i, len(all)), all[i].Text)
	}
	return exhibits
}

// numbered is the name of one of several exhibits of a kind.
func numbered(name string, i, of int) string {
	if of == 1 {
		return name
	}
	return fmt.Sprintf("%s %d of %d", name, i+1, of)
}
