package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// WriteComparison writes how a run differs from the one before, for a pull request. before and after name the runs.
func WriteComparison(w io.Writer, r *comparison.Report, before, after string) error {
	var b strings.Builder
	b.WriteString("## " + verdict(r) + "\n\n| | run | trials | cost |\n|---|---|---|--:|\n")
	for _, side := range []struct {
		label, name string
		run         *result.Run
	}{{"before", before, r.Before}, {"after", after, r.After}} {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", side.label, inline(side.name), inline(show.Headline(side.run)),
			inline(strings.Join(show.Expenses(&side.run.Summary), ", ")))
	}
	if suite := show.Suite(r); suite != "" {
		b.WriteString("\nAll together: " + suite + ".\n")
	}
	b.WriteString("\n" + compared(r))
	for _, section := range show.ComparedSections(r) {
		for _, pair := range section.Pairs {
			text, err := difference(r, pair)
			if err != nil {
				return err
			}
			if b.Len()+len(text) > maxSize {
				b.WriteString("\nThe rest does not fit here; `arena compare` in a terminal shows all of it.\n")
				_, err := io.WriteString(w, b.String())
				return err
			}
			b.WriteString(text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict is the heading.
func verdict(r *comparison.Report) string {
	return show.Sign(show.ComparedStatus(r)) + " " + show.Compared(r)
}

// compared is the table of the groups that differ in anything; "" when none does.
func compared(r *comparison.Report) string {
	var rows strings.Builder
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if show.AsBefore(p) && !p.Unchecked && !p.Slower && !p.Faster && !p.Dearer && !p.Cheaper {
			continue
		}
		fmt.Fprintf(&rows, "| %s | %s | %d of %d → %d of %d | %s → %s | %s → %s |\n",
			inline(show.PairName(r, p)), show.ChangeWord(p),
			p.Was.Passed, len(p.Was.Trials), p.Now.Passed, len(p.Now.Trials),
			show.Seconds(p.Was.DurationMS), show.Seconds(p.Now.DurationMS),
			inline(show.Spent(p.Was.CostUSD, p.Was.SimulatedUSD)),
			inline(show.Spent(p.Now.CostUSD, p.Now.SimulatedUSD)))
	}
	for _, g := range r.Gone {
		fmt.Fprintf(&rows, "| %s | only before | %d of %d | | |\n", inline(g.Name), g.Passed, len(g.Trials))
	}
	for _, g := range r.New {
		fmt.Fprintf(&rows, "| %s | only after | %d of %d | | |\n", inline(g.Name), g.Passed, len(g.Trials))
	}
	if rows.Len() == 0 {
		return "Nothing differs but, perhaps, the words.\n"
	}
	table := "| group | | passed | time a trial | cost a trial |\n|---|---|---|---|---|\n" + rows.String()
	if len(table) > maxSize/2 {
		table = table[:strings.LastIndexByte(table[:maxSize/2], '\n')+1]
	}
	return table
}

// difference describes what changed in a pair.
func difference(r *comparison.Report, p *comparison.Pair) (string, error) {
	d, err := show.Differ(r, p)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s: %s</summary>\n\n", summary(show.PairName(r, p)), show.ChangeWord(p))
	if why := show.Why(r, p); why != "" {
		b.WriteString(inline(upper(why)) + ".\n\n")
	}
	if len(p.Now.Trials) > 1 && (len(d.Changes) > 0 || d.Reply != nil) {
		b.WriteString("Of " + inline(d.Trial) + ":\n\n")
	}
	for _, line := range d.Changes {
		b.WriteString("- " + inline(line) + "\n")
	}
	if d.Reply != nil {
		fmt.Fprintf(&b, "\nThe reply of turn %d:\n\n%s", d.Turn+1, fenced("", show.Clip(show.WordDiff(d.Reply), maxReply)))
	}
	b.WriteString("\n</details>\n")
	return b.String(), nil
}

// maxReply bounds the difference of two replies, in bytes.
const maxReply = 4000

// upper is a text as the beginning of a sentence.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
