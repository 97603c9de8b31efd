package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// The words of the static part. assets/format.js writes the same ones in the browser.

func sign(s result.Status) string {
	switch s {
	case result.Passed:
		return "✓"
	case result.Failed:
		return "✗"
	case result.Skipped:
		return "–"
	case result.Cancelled:
		return "◌"
	default:
		return "!"
	}
}

// count writes a whole number with separators for thousands.
func count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// money writes an amount with enough digits to tell it from nothing; nil is unknown.
func money(usd *float64) string {
	switch {
	case usd == nil:
		return "unknown"
	case *usd == 0:
		return "$0"
	case math.Abs(*usd) >= 1:
		return fmt.Sprintf("$%.2f", *usd)
	}
	places := max(4, 1-int(math.Floor(math.Log10(math.Abs(*usd)))))
	return fmt.Sprintf("$%.*f", places, *usd)
}

// seconds writes a duration given in milliseconds.
func seconds(ms float64) string {
	switch {
	case ms < 100:
		return fmt.Sprintf("%.0fms", math.Ceil(ms))
	case ms < 59_950:
		return fmt.Sprintf("%.1fs", ms/1000)
	case ms < 3_600_000:
		s := int(math.Round(ms / 1000))
		return fmt.Sprintf("%dm %ds", s/60, s%60)
	}
	m := int(math.Round(ms / 60_000))
	return fmt.Sprintf("%dh %dm", m/60, m%60)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// title is the text of the browser's tab.
func (p *page) Title() string {
	return strings.Join(strings.Fields(visible(sign(p.Status)+" "+p.Headline()+" · "+p.Subject())), " ")
}

// Subject is the name of the run.
func (p *page) Subject() string {
	if p.Name == "" {
		return "arena"
	}
	return p.Name
}
