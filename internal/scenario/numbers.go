package scenario

import "strconv"

// integerOf and numberOf read numbers of a free map, where anything else just tells nothing.
func integerOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func numberOf(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}
