package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	openRows   = 20 // a larger matrix is collapsed
	maxColumns = 12
)

// scenarioRow is the groups of one scenario.
type scenarioRow struct {
	scenario string
	worst    result.Status
	cells    map[string]*matrixCell
}

// matrixCell is a group, or those of all rows of a dataset.
type matrixCell struct {
	status         result.Status
	passed, trials int // 0: of a single trial
}

// matrix is the table scenario × provider in about size bytes, the scenarios with the worst status first.
func matrix(groups *show.Groups, size int) string {
	lines, columns := table(groups)
	if len(lines) == 0 {
		return ""
	}
	left := len(columns) - maxColumns
	columns = columns[:min(len(columns), maxColumns)]
	var b strings.Builder
	b.WriteString("| scenario |")
	for _, c := range columns {
		b.WriteString(" " + inline(c) + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat(":-:|", len(columns)) + "\n")
	for i, l := range lines {
		row := l.row(columns)
		if b.Len()+len(row) > size {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(lines)-i, "more scenario"))
			break
		}
		b.WriteString(row)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n… and %s\n", show.Plural(left, "more provider"))
	}
	if len(lines) <= openRows {
		return b.String() + "\n"
	}
	title := show.Plural(len(lines), "scenario") + " × " + show.Plural(len(columns)+max(left, 0), "provider")
	return "<details><summary>" + title + "</summary>\n\n" + b.String() + "\n</details>\n\n"
}

// table returns a row for each scenario, the worst status first, and the providers as columns.
func table(groups *show.Groups) (lines []*scenarioRow, columns []string) {
	type key struct{ file, scenario string }
	known, columnOf := map[key]*scenarioRow{}, map[string]bool{}
	for g := range groups.All() {
		k := key{g.File, g.Scenario}
		l := known[k]
		if l == nil {
			l = &scenarioRow{scenario: g.Scenario, cells: map[string]*matrixCell{}}
			known[k], lines = l, append(lines, l)
		}
		who := g.ColumnLabel()
		if l.cells[who] == nil || g.Row == "" {
			l.cells[who] = &matrixCell{}
		}
		l.cells[who].add(g)
		l.worst = max(l.worst, g.Status)
		if !columnOf[who] {
			columns, columnOf[who] = append(columns, who), true
		}
	}
	slices.SortStableFunc(lines, func(a, b *scenarioRow) int { return cmp.Compare(b.worst, a.worst) })
	return lines, columns
}

func (l *scenarioRow) row(columns []string) string {
	var b strings.Builder
	b.WriteString("| " + inline(l.scenario) + " |")
	for _, c := range columns {
		b.WriteString(" " + cell(l.cells[c]) + " |")
	}
	b.WriteString("\n")
	return b.String()
}

// add counts a group. Each row of a dataset is a group.
func (c *matrixCell) add(g *show.Group) {
	c.status = max(c.status, g.Status)
	switch {
	case g.Row != "":
		c.trials++
		if g.Status == result.Passed {
			c.passed++
		}
	case g.Stats != nil:
		c.passed, c.trials = g.Stats.Passed, g.Stats.Trials
	}
}

// cell is the status of a group, with the number of passed trials when there are several.
func cell(c *matrixCell) string {
	switch {
	case c == nil:
		return ""
	case c.trials > 0:
		return fmt.Sprintf("%s %d/%d", show.Sign(c.status), c.passed, c.trials)
	}
	return show.Sign(c.status)
}
