package term

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxMissed is how many parts of a kind that no trial touched are named.
const maxMissed = 50

// coverage lists, with -v, the parts of the projects that no trial touched.
func (p *Printer) coverage(run *result.Run) (rows []*row) {
	if p.opts.Verbosity == 0 {
		return nil
	}
	for _, c := range show.Coverage(run) {
		text := c.Touched
		if c.Project != "" {
			text = c.Project + ": " + text
		}
		rows = append(rows, p.remark("coverage", dim, text)...)
		for i := range c.Missed {
			names, more := c.Missed[i].Some(maxMissed)
			text := c.Missed[i].Kind + " not touched: " + strings.Join(names, ", ")
			if more > 0 {
				text += fmt.Sprintf(" and %s more", show.Count(more))
			}
			rows = append(rows, p.remark("", dim, text)...)
		}
	}
	return rows
}
