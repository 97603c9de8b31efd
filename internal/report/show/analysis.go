package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/analysis"
)

// Measure writes a number of an analysis: money, or a time.
func Measure(what string, n float64) string {
	if what == "cost_usd" {
		return Money(&n)
	}
	return Duration(n)
}

// Duration is a text with enough digits to tell short durations apart.
func Duration(ms float64) string {
	const second = 1000
	if ms < second {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return Seconds(ms)
}

// fewSpread is up to how many numbers have no quartiles to speak of.
const fewSpread = 5

// SpreadText says how cost or time is spread.
func SpreadText(what string, s *analysis.Spread, simulated bool) []string {
	m := func(n float64) string { return Measure(what, n) }
	all := []string{m(s.Median)}
	switch {
	case s.N > 1 && s.Low == s.High:
		all[0] = "each " + all[0]
	case s.N > 1 && m(s.Low) == m(s.High): // equal when written
		all[0] = "each about " + all[0]
	case s.N > 1:
		all[0] = "median " + all[0]
		if s.N >= fewSpread {
			all = append(all, "quartiles "+m(s.Quarter)+" to "+m(s.Threes), "95% up to "+m(s.Percent95))
		}
		all = append(all, "all "+m(s.Low)+" to "+m(s.High))
	}
	if simulated {
		all = append(all, strings.TrimSpace(Simulated))
	}
	return all
}

// GroupName names the trials of a group: "refund · gpt-4o", or the provider alone.
func GroupName(g *analysis.Group) string {
	if g.Scenario == "" {
		return Line(g.Provider)
	}
	return Line(g.Scenario) + " · " + Line(g.Provider)
}

// OutlierText says how far a trial is from the others: "$0.92, the median is $0.03".
func OutlierText(o *analysis.Outlier) string {
	text := fmt.Sprintf("%s, the median is %s", Measure(o.What, o.Value), Measure(o.What, o.Median))
	if o.Simulated {
		text += " (" + strings.TrimSpace(Simulated) + ")"
	}
	return text
}

// RepeatText describes what a conversation repeats: "get_order {"id": 7} 5 times, of which 2 failed".
func RepeatText(r *analysis.Repeat) string {
	const most = 120 // columns
	text := fmt.Sprintf("%s %s   %d times", Line(r.Tool), Cut(Line(r.Arguments), most), r.Times)
	if r.Failed > 0 {
		text += fmt.Sprintf(", of which %d failed", r.Failed)
	}
	return text
}

// LongText says how long a conversation is.
func LongText(l *analysis.Long) string {
	text := Plural(l.Rounds, "model call") + " in " + Plural(l.Turns, "turn")
	if l.ToolCalls > 0 {
		text += ", " + Plural(l.ToolCalls, "tool call")
	}
	return text
}

// FlakyText says how often trials that ask for the same passed.
func FlakyText(f *analysis.Flaky) string {
	parts := []string{fmt.Sprintf("%d of %s passed", f.Passed, Plural(f.Trials, "trial"))}
	if f.Errors > 0 {
		parts = append(parts, Errors(f.Errors))
	}
	if f.Again > 0 {
		parts = append(parts, Plural(f.Again, "trial")+" failed before, although nothing changed")
	}
	if len(f.Runs) > 1 {
		parts = append(parts, "in "+Plural(len(f.Runs), "run"))
	}
	return strings.Join(parts, ", ")
}

// RunName is the name of a run when there are several; "" for a single one.
func RunName(r *analysis.Report, name string) string {
	if len(r.Runs) < 2 {
		return ""
	}
	return Line(name) + ": "
}
