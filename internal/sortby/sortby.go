// Package sortby sorts lists by code that all types have in common. Package slices compiles its sorts for each type
// anew, nine kilobytes at a time: that is worth it where long lists are sorted, and nowhere else.
package sortby

import "sort"

// Func sorts a list as compare says, in which a negative number puts a before b. What is equal keeps its order.
func Func[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, k int) bool { return compare(list[i], list[k]) < 0 })
}
