package scenario

import "strconv"

// integerOf and numberOf parse numbers of a free map; any other text counts as missing.
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
