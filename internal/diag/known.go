package diag

import "strings"

// HintKnown is the hint for a name that nothing has: the nearest one, and those that there are.
func HintKnown(name string, known []string) string {
	const limit = 20
	if len(known) == 0 {
		return "there is none at all"
	}
	list := known
	more := ""
	if len(list) > limit {
		list, more = list[:limit], ", …"
	}
	hint := "known: " + strings.Join(list, ", ") + more
	if near := DidYouMean(name, known); near != "" {
		hint = near + " " + hint
	}
	return hint
}
