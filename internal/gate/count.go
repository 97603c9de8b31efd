package gate

// Certain is the outcome of a count, whether the share of passes reaches a threshold, if the remaining trials cannot
// change it: Passed or Failed, otherwise Open. Broken trials are in neither number.
func Certain(passed, failed, left int, threshold float64) Verdict {
	all := float64(passed + failed + left)
	switch {
	case all == 0:
		return Open
	case float64(passed+left)/all < threshold:
		return Failed
	case float64(passed)/all >= threshold:
		return Passed
	}
	return Open
}
