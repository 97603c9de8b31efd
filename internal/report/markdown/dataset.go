package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxRowChecks = 30 // of a dataset
	maxWorst     = 10
)

// datasets is how the rows of datasets fare together, in about size bytes; "" without datasets.
func datasets(run *result.Run, size int) string {
	if len(run.Datasets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Datasets\n\n| scenario | rows passed | pass rate | 95% interval | | per trial |\n" +
		"|---|--:|--:|---|---|---|\n")
	for i := range run.Datasets {
		d := &run.Datasets[i]
		line := fmt.Sprintf("| %s | %s of %s | %s | %s | %s | %s |\n", inline(show.DatasetLabel(d)), show.Count(d.Passed),
			show.Count(d.Ran()), show.Rate(d.PassRate), show.DatasetInterval(d), show.DatasetRest(d),
			money(perTrial(d)))
		if b.Len()+len(line) > size/2 {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(run.Datasets)-i, "more dataset"))
			break
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
	for i := range run.Datasets {
		text := rowChecks(&run.Datasets[i])
		if b.Len()+len(text) > size {
			more := show.Plural(len(run.Datasets)-i, "more dataset")
			fmt.Fprintf(&b, "… and the checks of %s, in the other reports\n\n", more)
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

func money(text string) string { return strings.ReplaceAll(text, "$", "\\$") }

func perTrial(d *result.DatasetStats) string {
	text := strings.TrimSuffix(strings.TrimSuffix(show.DatasetExpenses(d), " a row"), " a trial")
	if judges := show.DatasetJudges(d); judges != "" {
		text += "; " + judges + " in all"
	}
	return strings.TrimPrefix(text, "; ")
}

// rowChecks is the table of the checks of a dataset, and its worst rows.
func rowChecks(d *result.DatasetStats) string {
	var b strings.Builder
	b.WriteString("<details><summary>" + summary(show.DatasetLabel(d)) + ": " +
		show.Plural(len(d.Checks), "check") + "</summary>\n\n")
	if len(d.Checks) > 0 {
		b.WriteString("| check | pass rate | 95% interval | mean score | |\n|---|--:|---|--:|---|\n")
	}
	for i := range d.Checks {
		if i == maxRowChecks {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(d.Checks)-i, "more check"))
			break
		}
		c := &d.Checks[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", inline(show.RowsCheckName(c)), show.Rate(c.PassRate),
			show.RowsCheckInterval(c), show.ScoreSpread(c.Scores), show.RowsCheckCounts(c))
	}
	if len(d.Worst) > 0 {
		b.WriteString("\nWorst rows:\n\n")
	}
	for i := range d.Worst {
		if i == maxWorst {
			b.WriteString("- … and more\n")
			break
		}
		b.WriteString("- " + inline(show.WorstRow(&d.Worst[i])) + "\n")
	}
	return b.String() + "\n</details>\n\n"
}
