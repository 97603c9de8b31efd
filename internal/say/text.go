// Package say formats values for explanations: quoted, cut, and on one line. All texts of models and tools in
// explanations pass through it.
package say

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/ellipsis"
)

// How much of a text is shown, in characters, and of a list.
const (
	QuoteLimit   = 60  // of a quoted text
	ContentLimit = 400 // of a text in details
	ListLimit    = 5   // items of a list
	reasonLimit  = 600 // of the reasons that somebody gives
	chainLimit   = 10  // names in an order
)

// Quote quotes a text for an explanation.
func Quote(s string) string { return strconv.Quote(Cut(s, QuoteLimit)) }

// QuoteEnd quotes a text like Quote, and keeps its end where that keeps the beginning.
func QuoteEnd(s string) string {
	at := len(s)
	for range QuoteLimit {
		if at == 0 {
			return Quote(s)
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	if at == 0 {
		return Quote(s)
	}
	return strconv.Quote("…" + s[at:])
}

// Cut shortens a text to a number of characters.
func Cut(s string, limit int) string { return ellipsis.Runes(s, limit) }

// Content is the beginning of a text, as details keep it.
func Content(s string) string { return Cut(s, ContentLimit) }

// Reason formats a reason by a model or a program: single spaces between words, cut.
func Reason(s string) string {
	return Cut(OneLine(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")), reasonLimit)
}

// OneLine makes control characters visible, line breaks included.
func OneLine(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	quotedText := strconv.Quote(s)
	return strings.ReplaceAll(quotedText[1:len(quotedText)-1], `\"`, `"`)
}

// Named is a name that a model may have made up, on one line and not too long.
func Named(name string) string {
	if name == "" {
		return `""`
	}
	return Cut(OneLine(name), QuoteLimit)
}

// Chained lists names in their order: a, b, c and 2 more.
func Chained(names []string) string {
	short := make([]string, 0, chainLimit)
	for _, name := range names[:min(len(names), chainLimit)] {
		short = append(short, Named(name))
	}
	return joined(short, len(names), ", ")
}

// Quoted is a list of quoted texts: "a", "b" and 3 more.
func Quoted(items []string) string {
	short := make([]string, 0, ListLimit)
	for _, s := range items[:min(len(items), ListLimit)] {
		short = append(short, Quote(s))
	}
	return joined(short, len(items), ", ")
}

// Listed is a list of phrases that need no quotes.
func Listed(items []string, between string) string {
	return joined(items[:min(len(items), ListLimit)], len(items), between)
}

// joined adds to a list how much longer it would be.
func joined(short []string, total int, between string) string {
	text := strings.Join(short, between)
	if rest := total - len(short); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// Or is a list of our own words: a, b or c.
func Or(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Alternatives asks for one of some parameters.
func Alternatives(names []string) string {
	if len(names) == 2 {
		return names[0] + " or " + names[1]
	}
	return "at least one of " + strings.Join(names, ", ")
}

// Times is a number of times in words: never, once, 3 times.
func Times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// Decimal writes a number in its shortest form without an exponent.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Percent writes a share: 25%, 33.3%.
func Percent(share float64) string { return Decimal(math.Round(share*1000)/10) + "%" }

// Money writes dollars with cents, or with as many digits as it takes to be more than nothing.
func Money(f float64) string {
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
