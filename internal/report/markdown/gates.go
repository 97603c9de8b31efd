package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// gates is a table of the groups with several trials and their error bars, in about size bytes, worst first; "": no
// group may end early.
func gates(run *result.Run, groups *show.Groups, size int) string {
	if !show.AnyEarly(run) {
		return ""
	}
	rows := show.Gated(groups)
	var b strings.Builder
	b.WriteString("### Rates\n\n" + gateCounts(run) +
		"| | scenario | provider | passed | error bar | asked | trials | |\n" + "|---|---|---|--:|---|---|--:|---|\n")
	for i, g := range rows {
		line := gateRow(g)
		if b.Len()+len(line) > size {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(rows)-i, "more group"))
			break
		}
		b.WriteString(line)
	}
	if r := run.Summary.SuiteRate; r != nil && len(rows) > 1 {
		b.WriteString("\nsuite " + show.SuiteRate(r) + "; " + show.BarsNote(r) + "\n")
	}
	return b.String() + "\n"
}

// gateCounts are the groups by their verdict: a trial that failed may be one of many that are asked for.
func gateCounts(run *result.Run) string {
	c, s := run.Summary.Groups, &run.Summary
	undecided := show.Count(c.Undecided)
	if s.Allowed > 0 {
		undecided += fmt.Sprintf(" (%s allowed)", show.Count(s.Allowed))
	}
	return fmt.Sprintf("| | passed | failed | undecided | error | skipped | not run | total |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|\n"+
		"| scenarios | %s | %s | %s | %s | %s | %s | %s |\n\n", show.Count(c.Passed), show.Count(c.Failed), undecided,
		show.Count(c.Errors), show.Count(c.Skipped), show.Count(c.Cancelled), show.Count(c.Groups))
}

func gateRow(g *show.Group) string {
	gate := g.Stats.Gate
	asked := "each check in its share"
	if gate.Rule == result.RuleGate {
		asked = strings.TrimPrefix(show.Asked(gate), "asked ")
	}
	notes := []string{show.NoVerdictReason(gate)}
	if gate.Broken > 0 {
		notes = append(notes, show.Count(gate.Broken)+" broke")
	}
	if gate.Replaced > 0 {
		notes = append(notes, show.Count(gate.Replaced)+" replaced")
	}
	if gate.Weakened != "" {
		notes = append(notes, gate.Weakened.String())
	}
	if gate.Alike {
		notes = append(notes, "all conversations are the same")
	}
	return fmt.Sprintf("| %s | %s | %s | %s of %s | %s | %s | %s of %s | %s |\n", show.Sign(g.Status), inline(g.Scenario),
		inline(g.ProviderLabel()), show.Count(gate.Passed), show.Count(gate.Counted), show.NamedBar(gate), asked,
		show.Count(gate.Counted), show.Count(gate.Max), joined(notes))
}

// joined puts those notes together that say something.
func joined(notes []string) string {
	var told []string
	for _, text := range notes {
		if text != "" {
			told = append(told, text)
		}
	}
	return strings.Join(told, ", ")
}
