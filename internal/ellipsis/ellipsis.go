// Package ellipsis shortens texts for messages.
package ellipsis

import "unicode/utf8"

// Runes returns the first n characters of s, followed by … when something was left out.
func Runes(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end] + "…"
}
