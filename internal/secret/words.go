package secret

import "strings"

// Lengths of the words of a name.
const (
	longestWord   = 20 // of letters
	longestNumber = 4
	longestMixed  = 4 // v2, k8s, 4o
)

// IsWords reports whether a value is spelled like a name that people give: words of letters, and with them short
// numbers. What a machine made up is not, and neither are most passwords.
func IsWords(value string) bool {
	words := 0
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(" -_./", r) }) {
		switch letters, digits := count(word); {
		case letters+digits < len(word):
			return false
		case digits == 0:
			if letters > longestWord || !isCased(word) {
				return false
			}
			words++
		case letters == 0 && digits > longestNumber, letters > 0 && len(word) > longestMixed:
			return false
		}
	}
	return words > 0
}

func count(word string) (letters, digits int) {
	for i := range len(word) {
		switch c := word[i]; {
		case '0' <= c && c <= '9':
			digits++
		case isWordByte(c):
			letters++
		}
	}
	return letters, digits
}

// isCased reports whether capitals stand only where words begin, as in customerService, or everywhere.
func isCased(word string) bool {
	if strings.ToUpper(word) == word {
		return true
	}
	run := 0 // small letters since a capital
	for i := range len(word) {
		if small := 'a' <= word[i]; !small {
			if i > 0 && run < 2 {
				return false
			}
			run = 0
		} else {
			run++
		}
	}
	return true
}
