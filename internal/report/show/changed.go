package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/result"
)

// Changes describes, by name, the groups with evidence of a change since the baseline: "regressed: 19 of 20 → 4 of 20
// passed".
func Changes(run *result.Run) map[string]string {
	all, passes := map[string]string{}, rates(run)
	if run.Against == nil {
		return all
	}
	for i := range run.Against.Groups {
		if g := &run.Against.Groups[i]; g.Verdict == evidence.Regressed || g.Verdict == evidence.Improved {
			all[g.Group] = fmt.Sprintf("%s: %s", g.Verdict, passes(g))
		}
	}
	return all
}

// namesChanged names the first groups with the verdict of the whole run; "": none.
func namesChanged(a *result.Against) string {
	const most = 5
	var names []string
	for i := range a.Groups {
		if g := &a.Groups[i]; a.Compared > 0 && g.Verdict == a.Verdict {
			names = append(names, Line(g.Group))
		}
	}
	if len(names) == 0 || a.Verdict != evidence.Regressed && a.Verdict != evidence.Improved {
		return ""
	}
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += " and " + Count(more) + " more"
	}
	return text
}
