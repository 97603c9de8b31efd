package checks

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/ellipsis"
)

// The words in which checks explain themselves. Whatever comes from a model is quoted and cut.

const (
	quoteLimit   = 60  // characters of a quoted value
	contentLimit = 400 // characters of a text kept in details
	listLimit    = 5   // items of a list
	chainLimit   = 10  // names in an order
)

// quote quotes a text for an explanation.
func quote(s string) string { return strconv.Quote(cut(s, quoteLimit)) }

// quoteEnd quotes a text like quote, and keeps its end where that keeps the beginning.
func quoteEnd(s string) string {
	at := len(s)
	for range quoteLimit {
		if at == 0 {
			return quote(s)
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	if at == 0 {
		return quote(s)
	}
	return strconv.Quote("…" + s[at:])
}

// cut shortens a text to a number of characters.
func cut(s string, limit int) string { return ellipsis.Runes(s, limit) }

// oneLine makes control characters visible, line breaks included.
func oneLine(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	quotedText := strconv.Quote(s)
	return strings.ReplaceAll(quotedText[1:len(quotedText)-1], `\"`, `"`)
}

// named is a name that a model may have made up, on one line and not too long.
func named(name string) string {
	if name == "" {
		return `""`
	}
	return cut(oneLine(name), quoteLimit)
}

// chained shows names in the order in which they came: a, b, c and 2 more.
func chained(names []string) string {
	short := make([]string, 0, chainLimit)
	for _, name := range names[:min(len(names), chainLimit)] {
		short = append(short, named(name))
	}
	return joined(short, len(names), ", ")
}

// quoted is a list of quoted texts: "a", "b" and 3 more.
func quoted(items []string) string {
	short := make([]string, 0, listLimit)
	for _, s := range items[:min(len(items), listLimit)] {
		short = append(short, quote(s))
	}
	return joined(short, len(items), ", ")
}

// listed is a list of phrases that need no quotes.
func listed(items []string, between string) string {
	return joined(items[:min(len(items), listLimit)], len(items), between)
}

// joined adds to a list how much longer it would be.
func joined(short []string, total int, between string) string {
	text := strings.Join(short, between)
	if rest := total - len(short); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// joinWords is a list of our own words: a, b or c.
func joinWords(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// alternatives asks for one of some parameters.
func alternatives(names []string) string {
	if len(names) == 2 {
		return names[0] + " or " + names[1]
	}
	return "at least one of " + strings.Join(names, ", ")
}

// times says how often: never, once, 3 times.
func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// decimal writes a number in its shortest form without an exponent.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// percent writes a share: 25%, 33.3%.
func percent(share float64) string { return decimal(math.Round(share*1000)/10) + "%" }

// money writes dollars with cents, or with as many digits as it takes to be more than nothing.
func money(f float64) string {
	if f == 0 {
		return "$0"
	}
	digits := 2
	if magnitude := math.Floor(math.Log10(math.Abs(f))); magnitude < 0 {
		digits = min(int(-magnitude)+2, 12)
	}
	text := strconv.FormatFloat(f, 'f', digits, 64)
	for digits > 2 && strings.HasSuffix(text, "0") {
		digits--
		text = text[:len(text)-1]
	}
	return "$" + text
}
