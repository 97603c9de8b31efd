package gate

// Certain tells what a count comes to however the trials that are left end: whether the share that passes reaches a
// threshold. It is Passed or Failed where that is certain, else Open. Broken trials are in neither number.
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
