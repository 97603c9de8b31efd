package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const maxMissed = 20

// coverage lists the parts of the projects that no trial touched; "": none.
func coverage(run *result.Run) string {
	var b strings.Builder
	for _, c := range show.Coverage(run) {
		if len(c.Missed) == 0 {
			continue
		}
		whose := "the files declare"
		if c.Project != "" {
			whose = inline(c.Project) + " declares"
		}
		b.WriteString("Of what " + whose + ", " + c.Touched + ". Not touched:\n\n")
		for i := range c.Missed {
			names, more := c.Missed[i].Some(maxMissed)
			fmt.Fprintf(&b, "- %s: %s", c.Missed[i].Kind, inline(strings.Join(names, ", ")))
			if more > 0 {
				fmt.Fprintf(&b, " and %s more", show.Count(more))
			}
			b.WriteByte('\n')
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "### Coverage\n\n" + b.String()
}
