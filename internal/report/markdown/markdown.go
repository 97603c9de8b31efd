// Package markdown writes a run for a pull request: what failed and why, and the numbers. The report fits into a
// comment on GitHub. Text of models and files is escaped: it cannot mention users, make links or end tables.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxSize is the limit of a report in bytes. A comment on GitHub may have 65,536 characters, and a text never has more
// characters than bytes; the rest is room for text around the report.
const maxSize = 64_000

// Options of a report. The zero value works.
type Options struct {
	Rerun func(...*result.Brief) string // the command that runs a trial again; may be nil
}

// Write writes the report. Only trials that failed or broke are read from the run's source, one at a time.
func Write(w io.Writer, run *result.Run, o Options) error {
	groups := show.GroupsOf(run)
	head := headline(run) + totals(run) + section("Quarantine", show.Quarantines(run)) +
		section("Against the baseline", show.Against(run, false)) + matrix(groups, maxSize/3) +
		gates(run, groups, maxSize/4) + datasets(run, maxSize/4)
	unsteady, err := flaky(run)
	if err != nil {
		return err
	}
	refused, err := refused(run)
	if err != nil {
		return err
	}
	tail := unsteady + refused + evals(run) + costs(groups, run) + coverage(run) + remarks(run)
	failures, err := failures(run, groups, o, maxSize-len(head)-len(tail))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, head+failures+tail)
	return err
}

func headline(run *result.Run) string {
	text := show.Headline(run)
	if run.Name != "" {
		text = inline(run.Name) + ": " + text
	}
	return "## " + show.Sign(run.Status) + " " + text + "\n\n"
}

// totals is the table of trials and checks by status, with the time and the cost of the run.
func totals(run *result.Run) string {
	s, c := &run.Summary, &run.Summary.Checks
	var b strings.Builder
	b.WriteString("| | passed | failed | error | skipped | not run | total |\n|---|--:|--:|--:|--:|--:|--:|\n")
	row := func(name string, numbers ...int) {
		b.WriteString("| " + name)
		for _, n := range numbers {
			b.WriteString(" | " + show.Count(n))
		}
		b.WriteString(" |\n")
	}
	row("trials", s.Passed, s.Failed, s.Errors, s.Skipped, show.Unfinished(run), show.Planned(run))
	row("checks", c.Passed, c.Failed, c.Errors, c.Skipped, c.NotRun, c.Total)
	b.WriteString("\n" + show.Seconds(run.DurationMS))
	for _, text := range slices.Concat(show.Guardrails(run), show.RefusedTransitions(run), show.Expenses(s)) {
		b.WriteString(" · " + strings.ReplaceAll(text, "$", "\\$"))
	}
	if run.Spec != nil {
		if words := run.Spec.Narrowing(nil); len(words) > 0 { // it may be only a part of what the files plan
			b.WriteString(" · " + inline("made with "+strings.Join(words, " ")))
		}
	}
	b.WriteString("\n\n")
	return b.String()
}

const maxRemarks = 10

// flaky lists the trials that failed in an earlier run and pass now.
func flaky(run *result.Run) (string, error) {
	told, more, err := show.Flaky(run)
	if err != nil || len(told) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString("### Flaky\n\n")
	for _, t := range told {
		fmt.Fprintf(&b, "- %s passes now, and nothing changed\n", inline(t.ID))
		for _, line := range t.Earlier {
			b.WriteString("  - " + inline(line) + "\n")
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "- … and %s more\n", show.Count(more))
	}
	return b.String() + "\n", nil
}

// section is a list of remarks under a title; "" without any.
func section(title string, lines []show.Remark) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### " + title + "\n\n")
	for _, line := range lines {
		text := line.Text
		if line.Label != "" {
			text = line.Label + ": " + text
		}
		b.WriteString("- " + inline(text) + "\n")
	}
	return b.String() + "\n"
}

// refused lists the transitions that were refused, in trials of whatever status.
func refused(run *result.Run) (string, error) {
	told, more, err := show.Refusing(run)
	if err != nil || len(told) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString("### Refused transitions\n\n")
	for _, t := range told {
		b.WriteString("- " + inline(t.ID) + "\n")
		for _, line := range t.Lines {
			b.WriteString("  - " + inline(line) + "\n")
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "- … and %s more\n", show.Plural(more, "trial"))
	}
	return b.String() + "\n", nil
}

// remarks lists the warnings of the run.
func remarks(run *result.Run) string {
	if len(run.Warnings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Warnings\n\n")
	for i, text := range run.Warnings {
		if i == maxRemarks {
			fmt.Fprintf(&b, "- … and %s more\n", show.Count(len(run.Warnings)-i))
			break
		}
		b.WriteString("- " + inline(text) + "\n")
	}
	return b.String()
}
