package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Bar is the error bar of a group, rounded outwards: "84–100%". It has more digits if the rounded bar would touch a
// line that the real one does not.
func Bar(g *result.Gate) string {
	low, high := BarEnds(g)
	return strings.TrimSuffix(low, "%") + "–" + high
}

// BarEnds are the ends of Bar: "84%", "100%".
func BarEnds(g *result.Gate) (from, to string) {
	low, high := g.Low, g.High
	for digits := 0; ; digits++ {
		below, above := outwards(low, high, digits)
		clears := g.Rule != result.RuleGate ||
			(low <= lower(g) || below > 100*lower(g)) && (high >= g.PassRate || above < 100*g.PassRate)
		if clears || digits == mostDigits {
			return percentage(below, digits), percentage(above, digits)
		}
	}
}

// mostDigits is how many digits after the point a bar has at most.
const mostDigits = 6

// Range is a range of shares, rounded outwards to so many digits after the point of percents.
func Range(low, high float64, digits int) string {
	below, above := outwards(low, high, digits)
	return strings.TrimSuffix(percentage(below, digits), "%") + "–" + percentage(above, digits)
}

// outwards are the ends in percent.
func outwards(low, high float64, digits int) (below, above float64) {
	const noise = 1e-9 // of decimal fractions
	unit := math.Pow(10, float64(digits))
	below = math.Floor(low*100*unit+noise) / unit
	above = math.Ceil(high*100*unit-noise) / unit
	return max(below, 0), min(above, 100)
}

func percentage(x float64, digits int) string {
	if x == 0 || x == 100 {
		digits = 0
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + "%"
}

// lower is the line that a passed gate lies above.
func lower(g *result.Gate) float64 { return math.Round((g.PassRate-g.Tolerance)*1e12) / 1e12 }

// Asked words the demand of a gate: "asked 80%", or "asked 90%, 75% may pass" with a tolerance.
func Asked(g *result.Gate) string {
	text := "asked " + share(g.PassRate)
	if g.Tolerance > 0 {
		text += ", " + share(lower(g)) + " may pass"
	}
	return text
}

// share writes a line as it was written in the file.
func share(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e10)/1e8, 'f', -1, 64) + "%"
}

// GateLine says what the trials of a gate show: "2 of 7 passed, 8–71%, asked 80%". What has no verdict says why.
func GateLine(g *result.Gate) string {
	text := fmt.Sprintf("%s of %s passed, %s, %s", Count(g.Passed), Count(g.Counted), NamedBar(g), Asked(g))
	if g.Counted == 0 {
		text = "no trial counted, " + Asked(g)
	}
	if g.Broken > 0 {
		text += ", " + Count(g.Broken) + " broke"
	}
	if why := NoVerdictReason(g); why != "" {
		text += ": " + why
	}
	return text
}

// NamedBar is Bar, with its confidence if that is not the default.
func NamedBar(g *result.Gate) string {
	if g.Confidence == result.DefaultConfidence {
		return Bar(g)
	}
	return Bar(g) + " at " + share(g.Confidence) + " confidence"
}

// NoVerdictReason says why a group has no verdict, and what would help; "": it has one.
func NoVerdictReason(g *result.Gate) string {
	switch g.Verdict {
	case result.Undecided:
		if g.Allowed() {
			return "undecided (allowed)" + undecided(g)
		}
		return "undecided" + undecided(g)
	case result.Errored:
		return "error, " + tooMany(g)
	case result.Cancelled:
		return "not run"
	default:
		return ""
	}
}

func undecided(g *result.Gate) string {
	switch g.Reason {
	case result.ReasonBudget:
		return ", the limit of the run was reached"
	case result.ReasonStopped:
		return ", the run was stopped"
	case result.ReasonRecording:
		return ", more trials are needed than were recorded"
	case result.ReasonBaseline:
		return fmt.Sprintf(", red in the baseline: %s of %s cannot show yet that it is mended; --stop never runs them all",
			Count(g.Counted), Plural(g.Max, "trial"))
	default:
	}
	if n := g.About(); n > 0 {
		return fmt.Sprintf("; about %s would likely decide", Plural(roughly(n), "trial"))
	}
	return "; too near the line to tell"
}

// roughly rounds a number to two digits.
func roughly(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

func tooMany(g *result.Gate) string {
	if g.Counted == 0 && g.Replaced > 0 {
		return fmt.Sprintf("the provider refused %s", Plural(g.Replaced, "trial"))
	}
	if g.Replaced > g.Rejections() {
		return fmt.Sprintf("the provider refused %s, of which %s may be replaced", Plural(g.Replaced, "trial"),
			Count(g.Rejections()))
	}
	if g.Broken == 0 {
		return "its rule cannot be held"
	}
	return "trials that broke could have decided it"
}

// Trials says how many trials of the most that there could be were run: "18 of 50 trials".
func Trials(g *result.Gate) string {
	return fmt.Sprintf("%s of %s", Count(g.Counted), Plural(g.Max, "trial"))
}

// Early reports whether the trials of a group may end before all have run.
func Early(g *result.Group) bool {
	return g != nil && g.Gate != nil && g.Gate.Early()
}

// AnyEarly reports whether a run has such a group.
func AnyEarly(run *result.Run) bool {
	for i := range run.Groups {
		if Early(&run.Groups[i]) {
			return true
		}
	}
	return false
}

// SuiteRate is the rate of a suite with its bar and the confidence of its ends: "93.1% (91.8–94.4% at 95%)".
func SuiteRate(r *result.SuiteRate) string {
	return Percent(r.Rate) + " (" + Range(r.Low, r.High, 1) + " at " + share(r.Confidence) + ")"
}

// BarsNote says how certain bars without a confidence are, and why that of the suite is narrower.
func BarsNote(r *result.SuiteRate) string {
	return "bars of groups are at " + share(result.DefaultConfidence) +
		" confidence unless they name another; the suite's, " +
		"at " + share(r.Confidence) + ", is narrower because it is that of the mean of all groups"
}
