package diag

import "unicode/utf8"

// Width is the number of columns that a name takes in its file.
func Width(name string) int { return utf8.RuneCountInString(name) }
