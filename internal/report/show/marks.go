package show

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// Mark is the role of a trial in the verdict of its group.
type Mark struct {
	Number int    // of the trial in its group
	Kind   string // passed, failed, broken, skipped, stopped: it counts; replaced and beyond do not
}

// Marks are the trials of a group by their numbers.
func Marks(run *result.Run, g *Group) []Mark {
	all := make([]Mark, 0, len(g.Trials))
	for _, i := range g.Trials {
		b := run.Briefs.At(i)
		all = append(all, Mark{b.Trial, markOf(b)})
	}
	sortby.Func(all, func(a, b Mark) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// The kinds of marks.
const (
	MarkPassed   = "passed"
	MarkFailed   = "failed"
	MarkBroken   = "broken"
	MarkSkipped  = "skipped"
	MarkStopped  = "stopped"
	MarkReplaced = "replaced"
	MarkBeyond   = "beyond"
)

func markOf(b *result.Brief) string {
	switch {
	case b.Rejected:
		return MarkReplaced
	case b.Status == result.Cancelled:
		return MarkStopped
	case b.Uncounted:
		return MarkBeyond
	case b.Status == result.Passed:
		return MarkPassed
	case b.Status == result.Failed:
		return MarkFailed
	case b.Status == result.Skipped:
		return MarkSkipped
	}
	return MarkBroken
}

// MarksInWords lists marks: "1–6 passed, 7 failed, 8–13 passed".
func MarksInWords(marks []Mark) string {
	var parts []string
	for from := 0; from < len(marks); {
		to := from
		for to+1 < len(marks) && marks[to+1].Kind == marks[from].Kind && marks[to+1].Number == marks[to].Number+1 {
			to++
		}
		numbers := strconv.Itoa(marks[from].Number)
		if to > from {
			numbers += fmt.Sprintf("–%d", marks[to].Number)
		}
		parts = append(parts, numbers+" "+marks[from].Kind)
		from = to + 1
	}
	return strings.Join(parts, ", ")
}

// Powers are the chances that all, or any, of k trials pass: "pass^3 72%, pass@3 99.1%", one for each k.
func Powers(g *result.Gate) (all []string) {
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	ks := make([]string, 0, len(g.PassPow))
	for k := range g.PassPow {
		ks = append(ks, k)
	}
	slices.SortFunc(ks, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	for _, k := range ks {
		all = append(all, fmt.Sprintf("pass^%s %s, pass@%s %s", k, Percent(g.PassPow[k]), k, Percent(g.PassAt[k])))
	}
	return all
}

// Alike is the remark on a group whose conversations are all the same.
const Alike = "all conversations are the same, word for word: repeating them tells nothing new, so the bar means " +
	"nothing"

// Weakened is the remark on a gate whose error rate is above its confidence; "": it is not.
func Weakened(g *result.Gate) string {
	if g.Weakened == "" {
		return ""
	}
	return g.Weakened.String() + ": the verdict is wrong more often than the confidence says"
}

// Wavering is the remark on a group whose trials with the same input both passed and failed; "": they did not.
func Wavering(g *result.Gate) string {
	if g.Flaky == "" {
		return ""
	}
	return "flaky: trials of the same input passed and failed, by the " + g.Flaky
}
