// Package plural writes numbers with their nouns.
package plural

import (
	"fmt"
	"strconv"
	"strings"
)

// Count is a number with its noun, whose plural takes an s: 1 file, 2 files.
func Count(n int, noun string) string { return Of(n, noun, noun+"s") }

// Of is a number with one of two nouns: 1 reply, 2 replies.
func Of(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Listed are the first ten of some names, and how many more there are: a, b, c and 2 more.
func Listed(names []string) string {
	const maxListed = 10
	if more := len(names) - maxListed; more > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
