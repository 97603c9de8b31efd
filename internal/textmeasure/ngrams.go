package textmeasure

// MaxGram is the longest n-gram that is counted.
const MaxGram = 4

// gram is up to four items in a row; what is beyond its length is 0.
type gram [MaxGram]int32

// grams counts the n-grams of a text.
func grams(list Items, n int) map[gram]int {
	counts := map[gram]int{}
	for i := 0; i+n <= len(list); i++ {
		var g gram
		copy(g[:n], list[i:])
		counts[g]++
	}
	return counts
}

// clipped counts the n-grams of a text that are wanted, none of them more often than it is wanted.
func clipped(wanted map[gram]int, list Items, n int) int {
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
