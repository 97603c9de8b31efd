package checks

// gramLimit is the longest n-gram that any measure asks for.
const gramLimit = 4

// gram is up to four items in a row; what is beyond its length is 0.
type gram [gramLimit]int32

// grams counts the n-grams of a text.
func grams(list items, n int) map[gram]int {
	counts := map[gram]int{}
	for i := 0; i+n <= len(list); i++ {
		var g gram
		copy(g[:n], list[i:])
		counts[g]++
	}
	return counts
}

// clipped counts the n-grams of a text that are wanted, none of them more often than it is wanted.
func clipped(wanted map[gram]int, list items, n int) int {
	seen, total := map[gram]int{}, 0
	for i := 0; i+n <= len(list); i++ {
		var g gram
		copy(g[:n], list[i:])
		if most := wanted[g]; most > 0 && seen[g] < most {
			seen[g]++
			total++
		}
	}
	return total
}
