package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// DatasetLabel names the scenario of a dataset and its provider.
func DatasetLabel(d *result.DatasetStats) string {
	return Line(d.Scenario) + " · " + providerLabel(d.Provider, d.Region, "")
}

// Interval is the range of a pass rate, "75.1% to 99.9%", which holds the true rate with 95% confidence; low and high
// are its ends.
func Interval(low, high float64) string { return Percent(low) + " to " + Percent(high) }

// Rate is a pass rate; a dash if nothing passed or failed.
func Rate(rate *float64) string {
	if rate == nil {
		return "–"
	}
	return Percent(*rate)
}

// DatasetInterval is the interval of the pass rate of a dataset; "" without one.
func DatasetInterval(d *result.DatasetStats) string {
	if d.Interval == nil {
		return ""
	}
	return Interval(d.Interval.Low, d.Interval.High)
}

// DatasetPassed is "19 of 20 rows passed"; rows that were skipped or stopped did not run.
func DatasetPassed(d *result.DatasetStats) string {
	return fmt.Sprintf("%s of %s passed", Count(d.Passed), Plural(d.Ran(), "row"))
}

// DatasetRest counts the rows that did not pass: "1 failed, 2 errors".
func DatasetRest(d *result.DatasetStats) string {
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(d.Failed, Count(d.Failed)+" failed")
	add(d.Undecided, Count(d.Undecided)+" undecided")
	add(d.Errors, Errors(d.Errors))
	add(d.Skipped, Count(d.Skipped)+" skipped")
	add(d.Cancelled, Count(d.Cancelled)+" not finished")
	return strings.Join(parts, ", ")
}

// DatasetCost is the mean cost of a trial, "$0.0001 simulated"; "": no price is known.
func DatasetCost(d *result.DatasetStats) string {
	if d.Cost == nil {
		return ""
	}
	text := Money(&d.Cost.Mean)
	switch part := SimulatedPart(d.CostUSD, d.SimulatedUSD); {
	case strings.HasPrefix(part, "$"):
		text += " partly" + Simulated
	case part != "":
		text += Simulated
	}
	return text
}

// DatasetJudges is the cost of judging all rows, "judges 1,200 tokens, $0.0100"; "": no model judged.
func DatasetJudges(d *result.DatasetStats) string {
	if d.Judges == nil {
		return ""
	}
	return "judges " + TokensOf(d.Judges) + ", " + cost(d.Judges.CostUSD, d.Judges.SimulatedUSD)
}

// DatasetExpenses are the mean cost and time of a trial: "$0.0001 and 0.9s a row".
func DatasetExpenses(d *result.DatasetStats) string {
	var parts []string
	if d.Cost != nil {
		parts = append(parts, DatasetCost(d))
	} else if d.Unpriced > 0 {
		parts = append(parts, "cost "+Unknown)
	}
	if d.Duration != nil {
		parts = append(parts, Seconds(d.Duration.Mean))
	}
	if len(parts) == 0 {
		return ""
	}
	of := " a row"
	if d.Trials != d.Rows {
		of = " a trial"
	}
	text := strings.Join(parts, " and ") + of
	if d.Cost != nil && d.Unpriced > 0 {
		text += fmt.Sprintf(" (%s of %s price)", Plural(d.Unpriced, "trial"), Unknown)
	}
	return text
}

// RowsCheckName names a check over the rows of a dataset: "turn 1: contains", "eval tone".
func RowsCheckName(c *result.RowsCheck) string {
	text := Line(c.Type)
	if c.Eval != "" {
		text = "eval " + Line(c.Eval)
		if c.Step != "" {
			text += " of " + Line(c.Step)
		}
	}
	return TurnLabel(c.Turn) + ": " + text + inParentheses(Variant(c.Variant))
}

// RowsCheckCounts is "19 of 20 passed, 1 error", or what became of an eval that only measures.
func RowsCheckCounts(c *result.RowsCheck) string {
	var parts []string
	if c.Gates {
		parts = append(parts, fmt.Sprintf("%s of %s passed", Count(c.Passed), Count(c.Passed+c.Failed+c.Errors)))
	} else if c.Scores != nil {
		parts = append(parts, Plural(c.Scores.N, "score"))
	}
	if c.Errors > 0 {
		parts = append(parts, Count(c.Errors)+" not judged")
	}
	if c.Skipped > 0 {
		parts = append(parts, Count(c.Skipped)+" skipped or not run")
	}
	return strings.Join(parts, ", ")
}

// RowsCheckInterval is the interval of the pass rate of a check; "" without one.
func RowsCheckInterval(c *result.RowsCheck) string {
	if c.Interval == nil {
		return ""
	}
	return Interval(c.Interval.Low, c.Interval.High)
}

// ScoreSpread is the mean and the standard deviation of scores, "0.95 ± 0.22"; "" without scores.
func ScoreSpread(s *result.Spread) string {
	switch {
	case s == nil:
		return ""
	case s.Deviation == nil:
		return Score(s.Mean)
	}
	return Score(s.Mean) + " ± " + deviation(*s.Deviation)
}

// deviation has two significant digits if it would be rounded to 0.
func deviation(d float64) string {
	if d > 0 && d < 0.005 {
		return fmt.Sprintf("%.1g", d)
	}
	return fmt.Sprintf("%.2f", d)
}

// Flawed reports whether a check did not pass for all rows, or an eval could not always judge.
func Flawed(c *result.RowsCheck) bool { return c.Failed > 0 || c.Errors > 0 }

// WorstRow describes a row and its outcome: "r7 (failed, score 0.25)", "r7 (1 of 3 passed)".
func WorstRow(w *result.WorstRow) string {
	text := w.Status.String()
	if w.Trials > 1 {
		text += fmt.Sprintf(", %d of %s passed", w.Passed, Plural(w.Trials, "trial"))
	}
	if w.Score != nil {
		text += ", score " + Score(*w.Score)
	}
	return Line(w.Row) + " (" + text + ")"
}
